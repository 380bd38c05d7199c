internal import Platform
internal import RingReader
internal import Series

/// What is shown of all bots.
extension RingRegistry {
    func presence(of bot: BotSeries) -> BotPresence {
        if bot.isUp { return .up }
        let own = index.byBot[bot.name] ?? []
        return own.contains { !$0.isLaidAside && !$0.segment.isClosed } ? .dead : .ended
    }

    /// The series of every bot, by name.
    var botSeries: [BotSeries] { bots.values.map(\.series).sorted { $0.name < $1.name } }

    /// All bots, sorted by name, with their cells as they were sampled last. Changes nothing.
    ///
    /// - Parameter names: The metrics wanted; nil is all.
    func snapshots(now: MonotonicTime, named names: Set<String>? = nil) -> [BotSnapshot] {
        let absent = Dictionary(grouping: absent.values) { $0.name.bot }
        return bots.values.sorted { $0.series.name < $1.series.name }.map { bot in
            bot.snapshot(
                rings: index.byBot[bot.series.name] ?? [], absent: absent[bot.series.name] ?? [],
                process: processes.snapshot(of: bot.series.name), now: now, named: names)
        }
    }
}
