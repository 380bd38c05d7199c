/// The numbers of bots and series, their limits, and the bots that were refused.
package struct LimitStatus: Equatable, Sendable {
    package var bots: Int
    package var maximumBots: Int
    /// Bots whose rings are not read, because the limit of bots is reached.
    package var refusedBots: [String]
    package var series: Int
    package var maximumSeries: Int
    /// The number of refused registrations of series, by bot.
    package var refusedSeries: [String: UInt64]
    /// The five bots with the most series, while registrations are refused; otherwise empty.
    package var largestBots: [BotSize] = []

    package struct BotSize: Equatable, Sendable {
        package var bot: String
        package var series: Int

        package init(bot: String, series: Int) { (self.bot, self.series) = (bot, series) }
    }
    /// The number of bots forgotten since the collector began.
    package var forgottenBots: UInt64

    package init(
        bots: Int, maximumBots: Int, refusedBots: [String], series: Int, maximumSeries: Int,
        refusedSeries: [String: UInt64], forgottenBots: UInt64
    ) {
        self.bots = bots
        self.maximumBots = maximumBots
        self.refusedBots = refusedBots
        self.series = series
        self.maximumSeries = maximumSeries
        self.refusedSeries = refusedSeries
        self.forgottenBots = forgottenBots
    }
}
