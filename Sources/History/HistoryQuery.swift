package import Series

/// What is asked of a history.
package struct HistoryQuery: Equatable, Sendable {
    package var metric: String
    /// Nil is any.
    package var bot: String?
    /// Labels that a series must have, its bot's constant ones included.
    package var labels: [Label]
    /// Minutes since the Unix epoch.
    package var minutes: Range<Int64>
    /// Of the range, from its beginning on.
    package var stepMinutes: Int64
    /// Whether all series found are made one.
    package var isMerged: Bool

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
    package static let mostMinutes: Int64 = 400 * 24 * 60

    var stepCount: Int { Int((Int64(minutes.count) + stepMinutes - 1) / stepMinutes) }

    /// Whether the answer needs a series: it matches, or is noted of a bot.
    package func concerns(_ key: HistorySeriesKey) -> Bool {
        matches(key) || NotedSeries.isOfBot(key.name)
    }

    func matches(_ key: HistorySeriesKey) -> Bool {
        key.name == metric && (bot == nil || bot == key.bot)
            && labels.allSatisfy { key.has($0) }
    }
}

/// What a history answers.
package struct HistoryAnswer: Sendable {
    package var query: HistoryQuery
    /// One for each series that has anything in the range; one for all where they were to be merged.
    package var series: [Series]
    /// Minutes of steps that the collector did not watch whole: of what happened in them it knows part, or nothing.
    package var unwatched: [Range<Int64>]

    package struct Series: Sendable {
        /// Nil where several were merged.
        package var key: HistorySeriesKey?
        package var kind: MetricKind
        package var unit: MetricUnit
        /// The steps in which anything happened: that had a value, lost one, or cannot be read.
        package var points: [HistoryPoint]
    }
}

/// One step of a range.
package struct HistoryPoint: Equatable, Sendable {
    /// Where it begins, in minutes since the Unix epoch.
    package var minute: Int64
    /// How long the collector watched within it.
    package var watchedSeconds: Double
    /// Records that the bots' rings lost within it.
    package var lost: UInt64
    /// Whether the collector watched all of it and nothing was lost.
    package var isComplete: Bool
    package var reading: Reading

    package enum Reading: Equatable, Sendable {
        case counter(increase: Double)
        /// Nil where the bot was not up.
        case gauge(GaugeMinute?)
        case histogram(HistogramPoint)
    }
}

/// The values of one step, from the merge of its minutes.
package struct HistogramPoint: Equatable, Sendable {
    package var calls: UInt64 = 0
    package var failed: UInt64 = 0
    package var count: UInt64 = 0
    package var sum: Double = 0
    /// Nil where there is no value.
    package var minimum: Double?
    package var maximum: Double?
    /// Of ``quantiles``; empty where there is no value.
    package var values: [Double] = []

    package static let quantiles = [0.5, 0.95, 0.99, 0.999]
}
