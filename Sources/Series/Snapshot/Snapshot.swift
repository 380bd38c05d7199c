/// Everything that can be said of all bots at one moment: immutable, built by the drain agent after a whole drain, and
/// the only thing that an export reads.
///
/// One snapshot is one moment: the totals, the buckets and the windows in it were taken together, so that what one
/// scrape shows agrees with itself.
package struct Snapshot: Sendable {
    /// When the snapshot was taken, in nanoseconds since the Unix epoch.
    package var unixNanoseconds: Int64
    /// The same moment on CLOCK_MONOTONIC, by which time between snapshots is measured: nobody sets that clock.
    package var monotonicNanoseconds: Int64
    /// What is added to a time on the series' clock to make it Unix time: the same in every snapshot until the wall clock is stepped,
    /// so that the same exemplar has the same time in each.
    package var clockOffsetNanoseconds: Int64 = 0
    /// The bots, sorted by name.
    package var bots: [BotSnapshot]
    /// The collector's account of itself.
    package var collector: CollectorSnapshot
    /// Each objective of each bot that it is for, by objective and bot.
    package var objectives: [ObjectiveSnapshot] = []
    /// Each alert of each bot that has what it looks at, by severity, alert and bot.
    package var alerts: [AlertSnapshot] = []
    /// Records that are older than the windows, by the minutes of their own time, until they are written down: no export shows
    /// them but the history.
    package var late: [LateBatch] = []

    /// - Parameter monotonicNanoseconds: nil where both clocks are one, as in a replay.
    package init(
        unixNanoseconds: Int64, monotonicNanoseconds: Int64? = nil, bots: [BotSnapshot], collector: CollectorSnapshot
    ) {
        self.unixNanoseconds = unixNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds ?? unixNanoseconds
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
    /// False when a record was lost in the window, emission was disabled, the collector was not watching throughout, or what has
    /// no time of its own may belong on the other side of the window's beginning.
    package var isComplete: Bool
    /// Whether nothing is missing but what this window alone lacks: all that was recorded while it went by was read, and is in
    /// the totals, but some of it may belong into another window, or a gauge may have been read less often than usual.
    package var isWhole: Bool

    /// - Parameter isWhole: nil is the same as `isComplete`.
    package init(window: WindowSpan, lost: UInt64, isComplete: Bool, isWhole: Bool? = nil) {
        self.window = window
        self.lost = lost
        self.isComplete = isComplete
        self.isWhole = isWhole ?? isComplete
    }
}
