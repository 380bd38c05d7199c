/// One ring: the position of its producer, and the numbers of drained, waiting and lost records. It always holds that
/// `drained + lost = position - backlog`.
package struct RingSnapshot: Sendable {
    /// The lane; "" for a ring without one.
    package var lane: String
    package var isUp: Bool
    /// Whether its producer is present, and how it ended if it is not.
    package var presence: LanePresence = .unknown
    /// Seconds since the producer last wrote a record or changed a cell; nil if that was never seen.
    package var activityAge: Double?
    /// The longest pause between two such changes in the last ten minutes, in seconds; nil if the lane's life was
    /// watched for less than half a minute.
    package var usualPause: Double?
    /// Whether an operator has some of its metrics disabled.
    package var hasDisabledMetrics = false
    /// The number of lives in the lane's rings, as far as the present ring knows.
    package var lifeCount: UInt64 = 0
    /// The process id of the last life, in the bot's own pid namespace.
    package var pid: Int32
    /// The number of records ever written, over all rings of this name.
    package var position: UInt64
    package var drained: UInt64
    package var backlog: UInt64
    package var lost: [LossReason: UInt64]
    /// The number of records that are in the totals but in no window, because their time was too old or too far ahead
    /// of now.
    package var late: UInt64
    package var future: UInt64
    /// Seconds since the time of the last record; nil if there was none.
    package var lastRecordAge: Double?
    /// Seconds for which the bot is known to have written nothing. It is the age of the last record, but starts no
    /// earlier than the collector's first complete read of the ring, or the present life. Nil if there was no record.
    package var silence: Double?
    /// The greatest cost of records for the bot over the last whole second, as a share of one core's time; nil if the
    /// bot is down, or was not watched for so long.
    package var recordOverheadRatio: Double?
    /// The same cost of counters without a unit.
    package var counterOverheadRatio: Double?
    /// The longest time between two reads of the lane's present ring, in seconds; nil if it has none.
    package var longestReadGap: Double?
    /// The number of registrations that the lane's present ring refused, because it was full or the name was bad; nil
    /// if the lane has no ring.
    package var refusedMetrics: UInt64?
    /// The names of its metrics that are in no series, because another lane has them with another kind or unit.
    package var conflictingMetrics: [String]
    /// The greatest number of records that waited in the lane's present ring at the beginning of a drain; nil if it has
    /// none.
    package var backlogMaximum: UInt64?
    /// The time from the last drained record to its drain, in seconds; nil if no record of the ring was drained.
    package var lag: Double?
    /// The longest such time of the last minute; nil if there was no record.
    package var worstRecentLag: Double?
    /// The longest time in seconds that a record drained in the last 6 to 12 seconds waited in the ring; nil if no
    /// record was drained.
    package var worstRecentWait: Double?

    /// - Parameter silence: Nil is the same as `lastRecordAge`.
    package init(
        lane: String, isUp: Bool, pid: Int32, position: UInt64, drained: UInt64, backlog: UInt64,
        lost: [LossReason: UInt64], late: UInt64, future: UInt64, lastRecordAge: Double?,
        silence: Double? = nil, recordOverheadRatio: Double? = nil, counterOverheadRatio: Double? = nil,
        longestReadGap: Double? = nil, refusedMetrics: UInt64? = nil,
        conflictingMetrics: [String] = [],
        backlogMaximum: UInt64? = nil, lag: Double? = nil, worstRecentLag: Double? = nil
    ) {
        self.lane = lane
        self.isUp = isUp
        presence = isUp ? .up : .unknown
        self.pid = pid
        self.position = position
        self.drained = drained
        self.backlog = backlog
        self.lost = lost
        self.late = late
        self.future = future
        self.lastRecordAge = lastRecordAge
        self.silence = silence ?? lastRecordAge
        self.recordOverheadRatio = recordOverheadRatio
        self.counterOverheadRatio = counterOverheadRatio
        self.longestReadGap = longestReadGap
        self.refusedMetrics = refusedMetrics
        self.conflictingMetrics = conflictingMetrics
        self.backlogMaximum = backlogMaximum
        self.lag = lag
        self.worstRecentLag = worstRecentLag
    }
}

/// Whether a lane's producer is present, and how it ended if it is not.
package enum LanePresence: String, Sendable {
    case up
    /// It ended without closing its ring.
    case down
    /// It closed its ring.
    case closed
    /// The lane is not watched: the configuration excludes its ring, or the ring had been removed before the collector
    /// began.
    case unknown
}

/// The reason why a written record is in no total.
package enum LossReason: String, CaseIterable, Sendable {
    /// It was overwritten before it could be read: the collector came too late.
    case lapped
    /// Its bytes, or the position that announced it, are not from a producer.
    case corrupt
    /// Its metric does not exist in its ring.
    case unknownMetric = "unknown_metric"
    /// It was overwritten before the collector first read the ring.
    case beforeAttach = "before_attach"
    /// Its metric is in no series: the metric's slot is invalid, or another lane has the name with another kind or
    /// unit.
    case refused
    /// The length of the ticks of the life that wrote it is unknown.
    case clock
    /// A living bot wrote it into a ring whose file was removed, and another ring has taken the name. Only the present
    /// ring of the name is read. A ring that was only removed is read to its bot's end, and loses nothing. Losses are
    /// unknown if a ring was removed before the collector saw it, or replaced while no collector ran.
    case unlinked
}

extension RingSnapshot {
    /// The number of records lost since the collector reads the lane, for whatever reason. Records that were overwritten
    /// before it first read the ring are no loss of this collector.
    package var lostRecords: UInt64 { lost.reduce(0) { $1.key == .beforeAttach ? $0 : $0 &+ $1.value } }

    /// Whether its records show that the bot is active. A pause meter (the lane `pause`) records whether the bot is
    /// active or not, so with it a bot that hangs would never be silent.
    package var showsActivity: Bool { lane != "pause" }
}

extension [BotSnapshot] {
    /// The longest wait of the records that were drained in the last 6 to 12 seconds, over all rings, in seconds; 0 if
    /// no record was drained.
    package var worstRecentWait: Double { flatMap(\.rings).compactMap(\.worstRecentWait).max() ?? 0 }
}
