/// The state of all bots at one moment. It is immutable, built by the drain agent after a whole drain, and the only
/// input of an export.
///
/// The totals, the buckets and the windows of a snapshot are taken together, so that one scrape is consistent.
package struct Snapshot: Sendable {
    /// The time of the snapshot, in nanoseconds since the Unix epoch.
    package var unixNanoseconds: Int64
    /// The same moment on CLOCK_MONOTONIC, which measures the time between snapshots because it is never set.
    package var monotonicNanoseconds: Int64
    /// The difference from a time on the series' clock to Unix time. It is constant until the wall clock is stepped, so
    /// that the same exemplar has the same time in each snapshot.
    package var clockOffsetNanoseconds: Int64 = 0
    /// The bots, sorted by name.
    package var bots: [BotSnapshot]
    /// The collector's statistics of itself.
    package var collector: CollectorSnapshot
    /// The objectives of each bot, by objective and bot.
    package var objectives: [ObjectiveSnapshot] = []
    /// The alerts of each bot that has the alert's metric, by severity, alert and bot.
    package var alerts: [AlertSnapshot] = []
    /// Alerts that began to fire or ended, until the history has stored the event. Only the history uses them.
    package var alertEvents: [AlertEvent] = []
    /// The silences, by number.
    package var silences: [SilenceSnapshot] = []
    /// Alerts and objectives whose metrics are unknown, and that no bot has registered so far.
    package var waiting: [WaitingRule] = []
    /// Records that are older than the windows, by the minutes of their own time, until the history has stored them.
    /// Only the history uses them.
    package var late: [LateBatch] = []

    /// - Parameter monotonicNanoseconds: Nil if both clocks are one, as in a replay.
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
    /// The part of the ring names before the dot.
    package var name: String
    /// Whether the producer of at least one of its lanes is attached and alive.
    package var isUp: Bool
    /// The constant labels that the bot set at attach, sorted by name.
    package var labels: [Label]
    /// Its rings, sorted by lane; a ring without a lane has the lane "".
    package var rings: [RingSnapshot]
    /// Its series, sorted by name, then labels, then lane.
    package var metrics: [MetricSnapshot]
    /// The completeness of each window over all the bot's rings, in the order of the configuration (1s, 5s, 1m).
    package var windows: [WindowCompleteness]
    /// The number of series that were refused because of `max_series` since the bot is known, by the name in exports.
    package var refusedSeries: [String: UInt64] = [:]
    /// The number of its series that no export shows, by reason; empty if all are shown.
    package var hiddenSeries: [HidingReason: UInt64] = [:]
    /// The series that are hidden because of their unit.
    package var unconvertedSeries: [UnconvertedSeries] = []
    /// The system's statistics of its processes; nil if they were not read yet.
    package var process: BotProcessSnapshot?
    /// The levels of its series, by name and labels as exports show them. Only lanes that are up have levels.
    package var levels: [LevelSnapshot] = []

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

/// Whether a window contains every record and change of the bot in it.
package struct WindowCompleteness: Sendable {
    package var window: WindowSpan
    /// The number of records lost in the window, for any reason, over all the bot's rings.
    package var lost: UInt64
    /// Whether the window is exact. False if a record was lost in the window, emission was disabled, the collector was
    /// not watching throughout, or events without a time of their own may belong to the other side of the window's
    /// beginning.
    package var isComplete: Bool
    /// Whether the totals are complete: all records of the window's time were read, though some may belong to another
    /// window, or a gauge may have been read less often than usual.
    package var isWhole: Bool

    /// - Parameter isWhole: Nil is the same as `isComplete`.
    package init(window: WindowSpan, lost: UInt64, isComplete: Bool, isWhole: Bool? = nil) {
        self.window = window
        self.lost = lost
        self.isComplete = isComplete
        self.isWhole = isWhole ?? isComplete
    }
}
