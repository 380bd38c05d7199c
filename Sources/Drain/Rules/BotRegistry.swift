internal import Platform
internal import RingReader
internal import Series

/// The bots that rules are held against: those whose rings a collector reads, or those of a replay.
protocol BotRegistry {
    /// The series of every bot, by name.
    var botSeries: [BotSeries] { get }

    func presence(of bot: BotSeries) -> BotPresence

    /// All bots, sorted by name, with what is known of their cells now.
    ///
    /// - Parameter names: The metrics wanted; nil is all.
    func snapshots(now: MonotonicTime, named names: Set<String>?) -> [BotSnapshot]
}

/// Whether a bot is there, as availability counts it.
enum BotPresence {
    case up
    /// Its producer ended without closing its ring.
    case dead
    /// It ended in order, or nobody watches it.
    case ended
}
