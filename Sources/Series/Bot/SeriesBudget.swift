/// How many series all bots together may have, and who was refused one. Thread rule: that of the series.
package final class SeriesBudget {
    /// A smaller one than there are series refuses further ones and takes none away.
    package var limit: Int
    private(set) package var count = 0
    /// Registrations that were refused, by bot.
    private(set) package var refused: [String: UInt64] = [:]

    package init(limit: Int = .max) { self.limit = limit }

    /// Takes a place for one more series, or counts it as refused.
    func take(for bot: String) -> Bool {
        guard count < limit else {
            refused[bot, default: 0] &+= 1
            return false
        }
        count += 1
        return true
    }

    /// Takes a place whatever the limit is: for a series that was there before.
    func takeAnyway() { count += 1 }

    func giveBack(_ places: Int) { count -= places }

    /// Nothing was refused to a bot that is not there any more.
    package func forget(bot: String) { refused[bot] = nil }
}
