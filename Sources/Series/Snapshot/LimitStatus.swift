/// How many bots and series there are beside how many there may be, and who was refused.
package struct LimitStatus: Equatable, Sendable {
    package var bots: Int
    package var maximumBots: Int
    /// Bots whose rings lie there and are not read, since there are as many bots as there may be.
    package var refusedBots: [String]
    package var series: Int
    package var maximumSeries: Int
    /// Registrations of series that were refused, by bot.
    package var refusedSeries: [String: UInt64]
    /// Bots forgotten since the collector began.
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
