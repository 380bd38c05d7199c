/// The limit of series over all bots, and the bots that were refused series. Thread rule: that of the series.
package final class SeriesBudget {
    /// If it is set below the number of series, further ones are refused and none is removed.
    package var limit: Int
    private(set) package var count = 0
    /// Registrations that were refused, by bot.
    private(set) package var refused: [String: UInt64] = [:]

    package init(limit: Int = .max) { self.limit = limit }

    /// A tenth of the limit is kept for the first series of each bot, up to a twentieth of that tenth. So bots that register too
    /// many do not keep others out.
    private var kept: Int { limit / 10 }
    private var firstSeries: Int { kept / 20 }

    /// Returns whether a bot that has some series may have no more.
    func isFull(holding own: Int) -> Bool { count >= (own < firstSeries ? limit : limit - kept) }

    /// Reserves a place for one more series and returns true, or counts a refusal and returns false.
    ///
    /// - Parameter own: The number of series that the bot has.
    func take(for bot: String, holding own: Int) -> Bool {
        guard !isFull(holding: own) else {
            refused[bot, default: 0] &+= 1
            return false
        }
        count += 1
        return true
    }

    /// Reserves a place whatever the limit is, for a series that existed before.
    func takeAnyway() { count += 1 }

    func giveBack(_ places: Int) { count -= places }

    /// Removes the refusals of a bot that no longer exists.
    package func forget(bot: String) { refused[bot] = nil }
}
