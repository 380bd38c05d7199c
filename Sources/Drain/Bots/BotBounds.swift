internal import Configuration
internal import Platform
internal import Series

/// The limits of bots and series, and the refusals.
struct BotBounds {
    private(set) var limits = BotLimits()
    /// The limit that the series of all bots share.
    let budget = SeriesBudget(limit: BotLimits().maximumSeriesTotal)
    /// Bots whose rings are not read, because the limit is reached.
    private var refusedBots: Set<String> = []
    private var hasLogged = (bots: false, series: false)

    /// Applies limits from here on; existing bots and series stay.
    mutating func use(_ limits: BotLimits) {
        self.limits = limits
        budget.limit = limits.maximumSeriesTotal
    }

    /// Begins a scan of the ring directory, which finds all refused bots again.
    mutating func beginScan() { refusedBots = [] }

    /// Records that a bot is refused.
    mutating func refuse(bot: String) { refusedBots.insert(bot) }

    /// Logs once that bots or series are refused. Logs it again after a time without refusals.
    mutating func logRefusals(_ logger: Logger) {
        if hasLogged.bots == refusedBots.isEmpty {
            hasLogged.bots = !refusedBots.isEmpty
            if hasLogged.bots {
                logger.warn(
                    "rings not read: the collector has as many bots as max_bots allows; forget some that are gone",
                    [
                        ("max_bots", .integer(Int64(limits.maximumBots))),
                        ("refused", .integer(Int64(refusedBots.count))), ("bot", .text(refusedBots.min() ?? "")),
                    ])
            }
        }
        if hasLogged.series == budget.refused.isEmpty {
            hasLogged.series = !budget.refused.isEmpty
            if hasLogged.series {
                logger.warn(
                    "series refused: the collector has as many as max_series_total allows (a tenth of it is kept for the first series of each bot); their records are lost as refused; /health names the largest bots",
                    [
                        ("max_series_total", .integer(Int64(limits.maximumSeriesTotal))),
                        ("bot", .text(budget.refused.keys.min() ?? "")),
                    ])
            }
        }
    }

    func status(bots: Int, forgottenBots: UInt64) -> LimitStatus {
        LimitStatus(
            bots: bots, maximumBots: limits.maximumBots, refusedBots: refusedBots.sorted(), series: budget.count,
            maximumSeries: limits.maximumSeriesTotal, refusedSeries: budget.refused, forgottenBots: forgottenBots)
    }
}
