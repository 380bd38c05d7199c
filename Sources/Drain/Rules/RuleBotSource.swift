internal import Platform
internal import RingReader
internal import Series

/// The bots that rules are evaluated for: those whose rings a collector reads, or those of a replay.
protocol RuleBotSource {
    /// The series of every bot, by name.
    var botSeries: [BotSeries] { get }

    func availability(of bot: BotSeries, now: MonotonicTime) -> BotAvailability

    /// Returns the levels of a bot's series, as the exports show them. Cost: some 0.2 us a level.
    func levels(of bot: String) -> [LevelSnapshot]

    /// Returns all bots, sorted by name, with the last known values of their cells.
    ///
    /// - Parameter names: The metrics wanted, without levels; nil is all, with levels.
    func snapshots(now: MonotonicTime, named names: Set<String>?) -> [BotSnapshot]
}

/// Whether a bot is present, for availability.
enum BotAvailability {
    case up
    /// A producer of it ended without closing its ring, or it hangs.
    case down
    /// It ended cleanly, or is not watched.
    case ended
}
