/// The bots that were forgotten, for the parts that must remove their state of them.
struct ForgottenBots {
    /// The number of bots forgotten since the collector began.
    private(set) var count: UInt64 = 0
    private var names: [String] = []
    private var removedSeries: [Checkpoint.Removed] = []

    mutating func add(_ bot: String, series: [String]) {
        count += 1
        names.append(bot)
        removedSeries += series.map { Checkpoint.Removed(bot: bot, key: $0) }
    }

    /// Returns the names of bots that were forgotten since the last call.
    mutating func takeNames() -> [String] {
        defer { names = [] }
        return names
    }

    /// Returns the series that a checkpoint should remove, without those that a bot has again because it came back in
    /// the meantime.
    ///
    /// - Parameter present: Returns the names of the series that a bot has now.
    mutating func takeRemovedSeries(present: (String) -> [String]) -> [Checkpoint.Removed] {
        defer { removedSeries = [] }
        let back = Set(removedSeries.map(\.bot)).reduce(into: Set<Checkpoint.Removed>()) { back, bot in
            for name in present(bot) { back.insert(Checkpoint.Removed(bot: bot, key: name)) }
        }
        return removedSeries.filter { !back.contains($0) }
    }
}
