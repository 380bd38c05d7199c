package import Series

/// A query for a metric's history.
package struct HistoryQuery: Equatable, Sendable {
    package var metric: String
    /// Nil is any.
    package var bot: String?
    /// Labels that a series must have, including its bot's constant ones.
    package var labels: [Label]
    /// Minutes since the Unix epoch.
    package var minutes: Range<Int64>
    /// The length of a step. Steps start at the beginning of the range.
    package var stepMinutes: Int64
    /// Whether all found series are merged into one.
    package var isMerged: Bool
    /// Whether each step of a histogram has its whole ``HistogramPoint/distribution``.
    package var hasDistribution = false

    package init(
        metric: String, bot: String? = nil, labels: [Label] = [], minutes: Range<Int64>, stepMinutes: Int64,
        isMerged: Bool = false
    ) {
        self.metric = metric
        self.bot = bot
        self.labels = labels
        self.minutes = minutes
        self.stepMinutes = stepMinutes
        self.isMerged = isMerged
    }

    package static let mostSteps: Int64 = 11_000
    /// The most steps with distributions, each of which takes some kilobytes of the answer.
    static let mostDistributionSteps = 60
    package static let mostMinutes: Int64 = 400 * 24 * 60

    var stepCount: Int { Int((Int64(minutes.count) + stepMinutes - 1) / stepMinutes) }

    /// Returns whether the answer needs a series, because it matches or records a bot's losses.
    package func concerns(_ key: HistorySeriesKey) -> Bool {
        matches(key) || BuiltInSeries.isOfBot(key.name)
    }

    func matches(_ key: HistorySeriesKey) -> Bool {
        key.name == metric && (bot == nil || bot == key.bot)
            && labels.allSatisfy { key.has($0) }
    }
}

/// The answer to a history query.
package struct HistoryAnswer: Sendable {
    package var query: HistoryQuery
    /// One for each series with values in the range; a single one if they are merged.
    package var series: [Series]
    /// The minutes of steps that the collector did not watch completely. It knows only part of them, or nothing.
    package var unwatched: [Range<Int64>]

    package struct Series: Sendable {
        /// Nil if several were merged.
        package var key: HistorySeriesKey?
        package var kind: MetricKind
        package var unit: MetricUnit
        /// The steps with a value, a loss or damage.
        package var points: [HistoryPoint]
    }
}

/// One step of a range.
package struct HistoryPoint: Equatable, Sendable {
    /// The step's first minute, counted since the Unix epoch.
    package var minute: Int64
    /// How long the collector watched within it.
    package var watchedSeconds: Double
    /// Records that the bots' rings lost within it.
    package var lost: UInt64
    /// Whether the collector watched all of it, nothing was lost and nothing is unreadable.
    package var isComplete: Bool
    package var reading: Reading

    package enum Reading: Equatable, Sendable {
        case counter(increase: Double)
        /// Nil if there is no value, as while the bot is not up.
        case gauge(GaugeMinute?)
        case histogram(HistogramPoint)
    }
}

/// The values of one step, merged from its minutes.
package struct HistogramPoint: Equatable, Sendable {
    package var calls: UInt64 = 0
    package var failed: UInt64 = 0
    package var count: UInt64 = 0
    package var sum: Double = 0
    /// Nil if there is no value.
    package var minimum: Double?
    package var maximum: Double?
    /// For each of ``quantiles``; empty if there is no value.
    package var values: [Double] = []
    /// Nil if it was not asked for, or there is no value.
    package var distribution: HistoryDistribution?

    package static let quantiles = [0.5, 0.95, 0.99, 0.999]
}
