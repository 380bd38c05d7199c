internal import Platform
internal import RingReader
internal import Series

/// Checks once a minute, each series in a second of its own, whether the series has left its usual range. Runs on the
/// drain agent's thread.
struct LevelEvaluator {
    private let logger: Logger
    /// The second of the last check.
    private var last: Int64?

    private static let secondNanoseconds: Int64 = 1_000_000_000

    init(logger: Logger) { self.logger = logger }

    /// Checks the series that are due.
    ///
    /// - Parameter unixNanoseconds: The wall clock, which gives the time of day.
    mutating func doWork(_ registry: some RuleBotSource, now: MonotonicTime, unixNanoseconds: Int64) {
        let second = now / Self.secondNanoseconds
        guard let last else { return self.last = second }
        guard second > last else { return }
        self.last = second
        for bot in registry.botSeries {
            let changes = bot.readLevels(
                seconds: max(last, second - 60) + 1..<second + 1, now: now,
                unixSeconds: unixNanoseconds / Self.secondNanoseconds)
            for change in changes { log(change, bot: bot.name) }
        }
    }

    private func log(_ level: LevelSnapshot, bot: String) {
        let statistic = level.statistic.name
        let text =
            switch level.state {
            case .high, .low: "\(statistic) is unusually \(level.state)"
            case .usual: "\(statistic) is usual again"
            case .learning, .noData: "\(statistic) is no longer judged"
            }
        var fields: [Logger.Field] = [
            ("bot", "\(bot)"), ("metric", "\(level.metric)"), ("value", .number(level.value)),
        ]
        if let usual = level.usual {
            fields += [("usual_low", .number(usual.low)), ("usual_high", .number(usual.high))]
        }
        if !level.lane.isEmpty { fields.append(("lane", "\(level.lane)")) }
        logger.info(text, fields + level.labels.map { ("label_\($0.name)", "\($0.value)") })
    }
}
