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
    /// The names of its metrics that are in no series, since another lane has them with another kind or unit.
    package var conflictingMetrics: [String]
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
        conflictingMetrics: [String] = [],
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
        self.conflictingMetrics = conflictingMetrics
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
