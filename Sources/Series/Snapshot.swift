package import Sketch

/// Everything that can be said of all bots at one moment: immutable, built by the drain agent after a whole drain, and
/// the only thing that an export reads.
///
/// One snapshot is one moment: the totals, the buckets and the windows in it were taken together, so that what one
/// scrape shows agrees with itself.
package struct Snapshot: Sendable {
    /// When the snapshot was taken, in nanoseconds since the Unix epoch.
    package var unixNanoseconds: Int64
    /// What is added to a time on the series' clock to make it Unix time: the same in every snapshot, so that the same
    /// exemplar has the same time in each.
    package var clockOffsetNanoseconds: Int64 = 0
    /// The bots, sorted by name.
    package var bots: [BotSnapshot]
    /// The collector's account of itself.
    package var collector: CollectorSnapshot
    /// Each objective of each bot that it is for, by objective and bot.
    package var objectives: [ObjectiveSnapshot] = []
    /// Each alert of each bot that has what it looks at, by severity, alert and bot.
    package var alerts: [AlertSnapshot] = []

    package init(unixNanoseconds: Int64, bots: [BotSnapshot], collector: CollectorSnapshot) {
        self.unixNanoseconds = unixNanoseconds
        self.bots = bots
        self.collector = collector
    }
}

/// One bot: the rings of all its lanes, and its series with the lanes' counters and histograms summed.
package struct BotSnapshot: Sendable {
    /// The part of the ring name before the dot.
    package var name: String
    /// Whether the producer of at least one of its lanes is attached and alive.
    package var isUp: Bool
    /// The constant labels that the bot gave at attach, sorted by name.
    package var labels: [Label]
    /// Its rings, sorted by lane; a ring without a lane has the lane "".
    package var rings: [RingSnapshot]
    /// Its series, sorted by name, then labels, then lane.
    package var metrics: [MetricSnapshot]
    /// What is known of each window over all the bot's rings, in the order of the configuration (1s, 5s, 1m).
    package var windows: [WindowCompleteness]
    /// By the name that exports show, how many series have been refused one of their own, for the sake of `max_series`, since
    /// the bot is known.
    package var refusedSeries: [String: UInt64] = [:]
    /// What the system says of its processes; nil where nobody looked yet.
    package var process: BotProcessSnapshot?

    package init(
        name: String, isUp: Bool, labels: [Label], rings: [RingSnapshot], metrics: [MetricSnapshot],
        windows: [WindowCompleteness], process: BotProcessSnapshot? = nil
    ) {
        self.name = name
        self.isUp = isUp
        self.labels = labels
        self.rings = rings
        self.metrics = metrics
        self.windows = windows
        self.process = process
    }
}

/// Whether a window holds all that the bot recorded in it.
package struct WindowCompleteness: Sendable {
    package var window: WindowSpan
    /// Records lost in the window, for whatever reason, over all the bot's rings.
    package var lost: UInt64
    /// False when a record was lost in the window, emission was disabled, or the collector was not watching throughout.
    package var isComplete: Bool

    package init(window: WindowSpan, lost: UInt64, isComplete: Bool) {
        self.window = window
        self.lost = lost
        self.isComplete = isComplete
    }
}

/// One ring: where its producer stands and what became of its records. `drained + lost = position - backlog` always.
package struct RingSnapshot: Sendable {
    /// The lane; "" for a ring without one.
    package var lane: String
    package var isUp: Bool
    /// The process id of the last life, in the bot's own pid namespace.
    package var pid: Int32
    /// Records ever written, over all rings that this name has had.
    package var position: UInt64
    package var drained: UInt64
    package var backlog: UInt64
    package var lost: [LossReason: UInt64]
    /// Records that are in the totals but in no window, because their time was too old or lay ahead of now.
    package var late: UInt64
    package var future: UInt64
    /// Seconds since the time of the last record; nil when there was none.
    package var lastRecordAge: Double?
    /// What telemetry cost the bot at most over the last whole second, as a share of one core's time; nil where the bot is
    /// down, or was not watched for so long.
    package var emitOverheadRatio: Double?
    /// The longest time between two reads of the ring that the lane has now, in seconds; nil where it has none.
    package var longestReadGap: Double?
    /// Registrations that the lane's ring refused its bot, for want of room or for a bad name; nil where the lane has no ring now.
    package var refusedMetrics: UInt64?
    /// Records that ever waited at once in the ring that the lane has now, at the beginning of a drain; nil where it has none.
    package var backlogMaximum: UInt64?
    /// From the time of the record drained last to its drain, in seconds; nil where none of the ring was drained.
    package var lag: Double?
    /// The longest such time of the last minute; nil where no record came.
    package var worstRecentLag: Double?

    package init(
        lane: String, isUp: Bool, pid: Int32, position: UInt64, drained: UInt64, backlog: UInt64,
        lost: [LossReason: UInt64], late: UInt64, future: UInt64, lastRecordAge: Double?,
        emitOverheadRatio: Double? = nil, longestReadGap: Double? = nil, refusedMetrics: UInt64? = nil,
        backlogMaximum: UInt64? = nil, lag: Double? = nil, worstRecentLag: Double? = nil
    ) {
        self.lane = lane
        self.isUp = isUp
        self.pid = pid
        self.position = position
        self.drained = drained
        self.backlog = backlog
        self.lost = lost
        self.late = late
        self.future = future
        self.lastRecordAge = lastRecordAge
        self.emitOverheadRatio = emitOverheadRatio
        self.longestReadGap = longestReadGap
        self.refusedMetrics = refusedMetrics
        self.backlogMaximum = backlogMaximum
        self.lag = lag
        self.worstRecentLag = worstRecentLag
    }
}

/// Why a record that was written is in no total.
package enum LossReason: String, CaseIterable, Sendable {
    /// Overwritten before it could be read: the collector came too late.
    case lapped
    /// Its bytes, or the position that announced it, are no producer's.
    case corrupt
    /// Of a metric that its ring does not have.
    case unknownMetric = "unknown_metric"
    /// Overwritten before the collector first came to the ring.
    case beforeAttach = "before_attach"
    /// Of a metric that is in no series: its slot makes no sense, or another lane has its name with another kind or unit.
    case refused
    /// Nothing says what the ticks of the life that wrote it mean.
    case clock
    /// Written into a ring whose file was removed and whose name another ring has taken, by a bot that lives on: the name's
    /// present ring is the one that is read. A ring that was only removed is read to its bot's end, and loses nothing; of
    /// one that was removed before the collector saw it nothing is known, nor of what came into one that was replaced while no
    /// collector ran.
    case unlinked
}

/// One series of one bot (a gauge: of one lane of one bot).
package struct MetricSnapshot: Sendable {
    /// The registered and exported name, with its unit's suffix and, for a counter, `_total`.
    package var name: String
    package var help: String
    package var unit: MetricUnit
    /// The metric's own labels, sorted by name.
    package var labels: [Label]
    /// Since when the totals count, in seconds since the Unix epoch; it moves where they may have fallen. Nil for a gauge.
    package var createdUnixSeconds: Double?
    package var reading: Reading

    package enum Reading: Sendable {
        case counter(CounterSnapshot)
        case upDownCounter(CounterSnapshot)
        case gauge(GaugeSnapshot)
        case histogram(HistogramSnapshot)
    }

    package init(
        name: String, help: String, unit: MetricUnit, labels: [Label], createdUnixSeconds: Double? = nil,
        reading: Reading
    ) {
        self.name = name
        self.help = help
        self.unit = unit
        self.labels = labels
        self.createdUnixSeconds = createdUnixSeconds
        self.reading = reading
    }
}

/// A counter or up-down counter, summed over lanes.
package struct CounterSnapshot: Sendable {
    package var value: Number
    /// Increase per second over the last whole second; nil before a whole second has been watched.
    package var rate: Double?
    /// Increase in each window, in the order of the configuration; empty when the bot is down.
    package var windows: [CounterWindow]
    /// Increase since the collector watches it: what it counted before is not in it.
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
    /// Increase per second over the time that the window really covers.
    package var rate: Double

    package init(window: WindowSpan, increase: Double, rate: Double) {
        self.window = window
        self.increase = increase
        self.rate = rate
    }
}

/// A gauge of one lane. Gauges of a bot that is down, and gauges never set, are in no snapshot.
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

    package init(window: WindowSpan, minimum: Double, maximum: Double, last: Double) {
        self.window = window
        self.minimum = minimum
        self.maximum = maximum
        self.last = last
    }
}

/// A histogram, summed over lanes. Values are in the metric's unit (seconds for a duration).
///
/// An immutable object: it goes from the snapshot through each export as it is, and handing it on costs one reference where
/// a structure of so many arrays would cost one for each.
package final class HistogramSnapshot: Sendable {
    /// Times that the bot called the instrument: records written or sampled out, lapped ones included.
    package let calls: UInt64
    /// Spans dropped without an end; they are in no percentile.
    package let abandoned: UInt64
    /// Records whose span failed; they are in the percentiles.
    package let failed: UInt64
    /// All that was drained since the ring began.
    package let total: HistogramSummary
    /// The sketch that `total` was read from, for exports that carry buckets.
    package let sketch: SketchSnapshot
    /// Upper edges of the classic buckets, ascending, without +Inf, and how many values lie at or below each.
    package let classicBuckets: [ClassicBucket]
    /// The latest traced record of each classic bucket, and of the one above them, ascending by value.
    package let exemplars: [ExemplarSnapshot]
    /// The windows, in the order of the configuration; empty when the bot is down.
    package let windows: [HistogramWindow]
    /// How its p99 and rate stand to their usual levels; empty until these are known, and when the bot is down.
    package let levels: [LevelSnapshot]

    package init(
        calls: UInt64, abandoned: UInt64, failed: UInt64, total: HistogramSummary, sketch: SketchSnapshot,
        classicBuckets: [ClassicBucket], exemplars: [ExemplarSnapshot] = [], windows: [HistogramWindow],
        levels: [LevelSnapshot] = []
    ) {
        self.calls = calls
        self.abandoned = abandoned
        self.failed = failed
        self.total = total
        self.sketch = sketch
        self.classicBuckets = classicBuckets
        self.exemplars = exemplars
        self.windows = windows
        self.levels = levels
    }
}

package struct ClassicBucket: Sendable {
    package var upperBound: Double
    package var cumulativeCount: UInt64

    package init(upperBound: Double, cumulativeCount: UInt64) {
        self.upperBound = upperBound
        self.cumulativeCount = cumulativeCount
    }
}

package struct HistogramWindow: Sendable {
    package var window: WindowSpan
    package var summary: HistogramSummary
    /// Records per second over the time that the window really covers.
    package var rate: Double
    /// Records lost in this window by the rings that feed the series.
    package var lost: UInt64
    package var isComplete: Bool

    package init(window: WindowSpan, summary: HistogramSummary, rate: Double, lost: UInt64, isComplete: Bool) {
        self.window = window
        self.summary = summary
        self.rate = rate
        self.lost = lost
        self.isComplete = isComplete
    }
}

/// Count, sum, extremes and quantiles of one set of values.
package struct HistogramSummary: Sendable {
    /// Values, each counted with its weight.
    package var count: UInt64
    package var sum: Double
    /// What is nil where `count` is 0.
    package var extremes: Extremes?
    /// The configured quantiles with their values, ascending; empty where `count` is 0.
    package var quantiles: [QuantileValue]

    package struct Extremes: Sendable {
        package var minimum: Double
        package var maximum: Double
        package init(minimum: Double, maximum: Double) {
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    package init(count: UInt64, sum: Double, extremes: Extremes?, quantiles: [QuantileValue]) {
        self.count = count
        self.sum = sum
        self.extremes = extremes
        self.quantiles = quantiles
    }
}

package struct QuantileValue: Sendable {
    /// Between 0 and 1.
    package var quantile: Double
    package var value: Double

    package init(quantile: Double, value: Double) {
        self.quantile = quantile
        self.value = value
    }
}

/// What the collector says of itself.
package struct CollectorSnapshot: Sendable {
    package var version: String
    package var uptimeSeconds: Double
    /// Seconds that each drain cycle took, since the collector began.
    package var drainCycle: HistogramSummary
    package var drainCycleSketch: SketchSnapshot
    /// The longest cycle of the last minute, in seconds; that since the beginning is the maximum of `drainCycle`. Nil where
    /// none was made.
    package var worstRecentCycle: Double?
    /// What the reading of one record took over the last minute, in seconds: the time in which rings were read by the records
    /// that came of it, without the turning of windows. Nil where no record came.
    package var recordCost: Double?
    /// Nil where there is no configuration to speak of.
    package var configuration: ConfigurationStatus?
    /// What is wrong with the state directory, so that a restart would forget what is counted now; nil where nothing is.
    package var checkpointFailure: String?
    /// The destinations that it sends to, by name.
    package var exports: [ExportStatus]
    /// What works beside the drain.
    package var services: [ServiceStatus] = []
    /// The machine's clocks; nil where nobody looks at them, as in a replay.
    package var clock: ClockSnapshot?

    package init(
        version: String, uptimeSeconds: Double, drainCycle: HistogramSummary, drainCycleSketch: SketchSnapshot,
        worstRecentCycle: Double? = nil, recordCost: Double? = nil, configuration: ConfigurationStatus? = nil,
        checkpointFailure: String? = nil, exports: [ExportStatus] = []
    ) {
        self.version = version
        self.uptimeSeconds = uptimeSeconds
        self.drainCycle = drainCycle
        self.drainCycleSketch = drainCycleSketch
        self.worstRecentCycle = worstRecentCycle
        self.recordCost = recordCost
        self.checkpointFailure = checkpointFailure
        self.exports = exports
        self.configuration = configuration
    }
}

/// How the last loading of the collector's configuration went.
package struct ConfigurationStatus: Sendable {
    package var isLastReloadSuccessful: Bool
    /// When the configuration in force was read, in nanoseconds since the Unix epoch.
    package var lastSuccessUnixNanoseconds: Int64

    package init(isLastReloadSuccessful: Bool, lastSuccessUnixNanoseconds: Int64) {
        self.isLastReloadSuccessful = isLastReloadSuccessful
        self.lastSuccessUnixNanoseconds = lastSuccessUnixNanoseconds
    }
}
