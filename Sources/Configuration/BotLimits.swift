/// Limits on bots and series, and how long absent bots are kept.
package struct BotLimits: Equatable, Sendable {
    /// The most bots, including those that are gone but not yet forgotten. Rings of further bots are not read.
    package var maximumBots = 4000
    /// The most series of all bots together. Registrations beyond that are refused. A tenth of it is kept for bots with
    /// fewer series than a two-hundredth of it, which is 1,000 by default.
    package var maximumSeriesTotal = 200_000
    /// How long after its end a bot is forgotten if a ring of it still exists.
    package var forgetAfterNanoseconds: Int64 = 30 * 86_400_000_000_000
    /// How long after its end a bot is forgotten if all its rings are removed.
    package var forgetRemovedAfterNanoseconds: Int64 = 86_400_000_000_000

    private static var ages: DurationText.Bounds { DurationText.Bounds(from: "1s", to: "3650d") }

    package init() {}

    init(_ root: Section) {
        maximumBots = root.whole("max_bots", 1...100_000) ?? maximumBots
        maximumSeriesTotal = root.whole("max_series_total", 1...10_000_000) ?? maximumSeriesTotal
        forgetAfterNanoseconds = root.duration("forget_after", Self.ages) ?? forgetAfterNanoseconds
        forgetRemovedAfterNanoseconds =
            root.duration("forget_removed_after", Self.ages) ?? forgetRemovedAfterNanoseconds
    }
}
