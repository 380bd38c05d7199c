internal import Platform
internal import RingReader
internal import Series

/// What is shown of all bots.
extension Roster {
    func presence(of bot: BotSeries) -> BotPresence {
        if bot.isUp { return .up }
        let own = rings.filter { $0.segment.name.bot == bot.name && !$0.isLaidAside }
        return own.contains { !$0.segment.isClosed } ? .dead : .ended
    }

    /// The series of every bot, by name.
    var botSeries: [BotSeries] { bots.values.map(\.series).sorted { $0.name < $1.name } }

    /// All bots, sorted by name, with their cells read now.
    ///
    /// - Parameter names: The metrics wanted; nil is all.
    func snapshots(now: MonotonicTime, named names: Set<String>? = nil) -> [BotSnapshot] {
        sampleCells(now: now)
        return bots.values.sorted { $0.series.name < $1.series.name }.map { bot in
            bot.snapshot(
                rings: rings.filter { $0.segment.name.bot == bot.series.name },
                absent: absent.values.filter { $0.name.bot == bot.series.name },
                process: processes.snapshot(of: bot.series.name), now: now, named: names)
        }
    }
}
