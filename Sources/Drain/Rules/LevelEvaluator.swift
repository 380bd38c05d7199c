internal import Platform
internal import RingReader
internal import Series

/// Looks every few seconds whether the bots' latencies and rates have left their usual levels, on the drain agent's thread.
struct LevelEvaluator {
    private let logger: Logger
    private var next: MonotonicTime = .min

    init(logger: Logger) { self.logger = logger }

    /// Does what is due.
    mutating func doWork(_ registry: some BotRegistry, now: MonotonicTime) {
        guard now >= next else { return }
        next = now + BotSeries.levelIntervalNanoseconds
        for bot in registry.botSeries {
            for change in bot.readLevels(now: now) { log(change, bot: bot.name) }
        }
    }

    private func log(_ change: LevelChange, bot: String) {
        let statistic = change.level.statistic.rawValue
        let value =
            change.level.statistic == .rate
            ? change.rate : change.summary.quantiles.first { $0.quantile == 0.99 }?.value ?? 0
        logger.info(
            change.level.state == .usual
                ? "\(statistic) is usual again" : "\(statistic) is unusually \(change.level.state)",
            [
                ("bot", "\(bot)"), ("metric", "\(change.metric)"), ("value", .number(value)),
                ("usual", .number(change.level.usualLevel)),
            ] + change.labels.map { ("label_\($0.name)", "\($0.value)") })
    }
}
