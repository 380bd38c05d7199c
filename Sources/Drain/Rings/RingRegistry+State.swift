internal import RingReader
internal import Series

/// What a checkpoint takes of all rings and bots.
extension RingRegistry {
    /// Every ring that is read, and those that an earlier collector read and that are not there.
    var ringStates: [RingState] { rings.map(\.state) + absent.values }

    var botStates: [BotState] { bots.values.map(\.state) }

    /// The series that changed since this was last asked; all of them where that is asked for.
    func takeSeriesChanges(all: Bool) -> [KeptSeries] {
        bots.values.flatMap { bot in
            bot.series.takeChanges(all: all).map { KeptSeries(bot: bot.series.name, key: $0.key, state: $0.state) }
        }
    }

    /// The series that gave way to others of their name since this was last asked.
    func takeDroppedSeries() -> [Checkpoint.Removed] {
        defer { droppedSeries = [] }
        // One that came back in the meantime has series of these names again.
        let back = Set(droppedSeries.map(\.bot)).reduce(into: Set<Checkpoint.Removed>()) { back, bot in
            for name in bots[bot]?.series.keptNames ?? [] { back.insert(Checkpoint.Removed(bot: bot, key: name)) }
        }
        return droppedSeries.filter { !back.contains($0) }
            + bots.values.flatMap { bot in
                bot.series.takeDropped().map { Checkpoint.Removed(bot: bot.series.name, key: $0) }
            }
    }
}
