/// One series of one bot (a gauge: of one lane of one bot).
package struct MetricSnapshot: Sendable {
    /// The registered and exported name, with its unit's suffix and, for a counter, `_total`.
    package var name: String
    package var help: String
    package var unit: MetricUnit
    /// The metric's own labels, sorted by name.
    package var labels: [Label]
    /// The time from which the totals count, in seconds since the Unix epoch; later if they may have decreased. Nil for
    /// a gauge.
    package var createdUnixSeconds: Double?
    /// The time from which a histogram's calls and abandoned spans count. They may have continued when the other totals
    /// decreased.
    package var cellsCreatedUnixSeconds: Double?
    package var reading: Reading

    package enum Reading: Sendable {
        case counter(CounterSnapshot)
        case upDownCounter(CounterSnapshot)
        case gauge(GaugeSnapshot)
        case histogram(HistogramSnapshot)
    }

    package init(
        name: String, help: String, unit: MetricUnit, labels: [Label], createdUnixSeconds: Double? = nil,
        cellsCreatedUnixSeconds: Double? = nil, reading: Reading
    ) {
        self.name = name
        self.help = help
        self.unit = unit
        self.labels = labels
        self.createdUnixSeconds = createdUnixSeconds
        self.cellsCreatedUnixSeconds = cellsCreatedUnixSeconds ?? createdUnixSeconds
        self.reading = reading
    }
}

/// A counter or up-down counter, summed over lanes.
package struct CounterSnapshot: Sendable {
    package var value: Number
    /// Increase per second over the last whole second; nil until a whole second has been watched.
    package var rate: Double?
    /// The increase in each window, in the order of the configuration; empty if the bot is down.
    package var windows: [CounterWindow]
    /// The increase since the collector began to watch it, without earlier counts.
    package var watchedIncrease: Double

    package init(value: Number, rate: Double?, windows: [CounterWindow], watchedIncrease: Double = 0) {
        self.value = value
        self.watchedIncrease = watchedIncrease
        self.rate = rate
        self.windows = windows
    }
}

package struct CounterWindow: Sendable {
    package var window: WindowSpan
    package var increase: Double
    /// Increase per second over the time that the window covers.
    package var rate: Double
    /// Whether it has exactly the increases in the window. False if increases may be missing, or if some may be from
    /// before the window.
    package var isComplete: Bool

    package init(window: WindowSpan, increase: Double, rate: Double, isComplete: Bool = true) {
        self.window = window
        self.increase = increase
        self.rate = rate
        self.isComplete = isComplete
    }
}

/// A gauge of one lane. Snapshots omit gauges of a bot that is down, and gauges that were never set.
package struct GaugeSnapshot: Sendable {
    package var lane: String
    package var value: Number
    /// The highest value since the bot's life began.
    package var highest: Number
    package var windows: [GaugeWindow]

    package init(lane: String, value: Number, highest: Number, windows: [GaugeWindow]) {
        self.lane = lane
        self.value = value
        self.highest = highest
        self.windows = windows
    }
}

package struct GaugeWindow: Sendable {
    package var window: WindowSpan
    package var minimum: Double
    package var maximum: Double
    package var last: Double
    /// Whether the extremes are certain. False if the gauge may have had a lower or a higher value that was not seen,
    /// or if a gauge that does not record every change was not read as often as usual.
    package var isComplete: Bool

    package init(window: WindowSpan, minimum: Double, maximum: Double, last: Double, isComplete: Bool = true) {
        self.window = window
        self.minimum = minimum
        self.maximum = maximum
        self.last = last
        self.isComplete = isComplete
    }
}
