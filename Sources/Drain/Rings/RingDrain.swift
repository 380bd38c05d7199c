internal import CRingside
package import Platform
package import RingReader
package import Series

/// One ring and the account of every record that it ever took.
///
/// `drained + lost + backlog = position` of the ring: a record is either understood (inserted; or, abandoned, passed over
/// knowingly), or lost for one of the reasons.
package final class RingDrain {
    package let segment: Segment
    package let lane: LaneSeries
    /// Whether the configuration leaves the ring now, after it was taken: nothing of it is read until it is taken again.
    var isLaidAside = false
    private let intake: UnsafeMutablePointer<RecordIntake>
    private var lastRead: MonotonicTime
    /// Where the ring stood when `takePublished` was last asked, and in which life.
    private var lastSeen: (position: UInt64, life: UInt64)?
    /// The longest time between two reads of the ring, or from its opening to the first: what it must be able to hold.
    package private(set) var longestReadGapNanoseconds: Int64 = 0

    /// Up to where its records are in a checkpoint, or in none when the ring was opened.
    var keptIndex: UInt64

    /// - Parameters:
    ///   - wasWatched: Whether the collector ran when the ring was made: then its counters began at 0.
    ///   - kept: Where reading goes on; nil begins at the oldest record still held.
    ///   - traces: Where records go that carry a trace id; nil where nobody wants them.
    ///   - time: Says when the ring was really read; nil where that is always when it was asked for.
    package init(
        segment: Segment, lane: LaneSeries, calibration: any TickScaleSource, wasWatched: Bool, kept: RingState? = nil,
        traces: TraceExchange? = nil, time: TimeSource? = nil, now: MonotonicTime
    ) {
        self.segment = segment
        self.lane = lane
        lastRead = now
        intake = .allocate(capacity: 1)
        intake.initialize(
            to: RecordIntake(
                segment: segment, lane: lane, calibration: calibration, wasWatched: wasWatched, kept: kept,
                traces: traces, time: time, now: now))
        keptIndex = intake.pointee.cursor.next
    }

    deinit {
        intake.deinitialize(count: 1)
        intake.deallocate()
    }

    /// Reads up to `limit` records, which is 1 or more.
    ///
    /// - Parameter registrations: Metrics that are registered at most; records of others wait in the ring.
    /// - Returns: how many were read, and whether the producer's position was reached and all its metrics are registered.
    package func drain(
        limit: Int, registrations: Int = .max, now: MonotonicTime
    ) -> (records: Int, isCaughtUp: Bool) {
        longestReadGapNanoseconds = max(longestReadGapNanoseconds, now - lastRead)
        lastRead = now
        return intake.pointee.drain(limit: limit, registrations: registrations, now: now)
    }

    /// No more will be read: what was seen published and not read is lost for `reason`.
    package func end(losingRestAs reason: LossReason, now: MonotonicTime) {
        intake.pointee.end(losingRestAs: reason, now: now)
    }

    /// Takes note that nothing which is still to be read was written before a time.
    func noteQuiet(until time: MonotonicTime) { intake.pointee.noteQuiet(until: time) }

    /// The index of the record that would be read next.
    var nextIndex: UInt64 { intake.pointee.cursor.next }

    /// Reads the cells of all metrics into their series, those registered since included, so many at most.
    package func sampleCells(options: SeriesOptions, registrations: Int = .max, now: MonotonicTime) {
        intake.pointee.sampleCells(options: options, registrations: registrations, now: now)
    }

    /// Metrics of the ring that are registered with the collector.
    var metricCount: Int { intake.pointee.metricCount }

    /// Takes note that the bot's histograms may be held to other thresholds now.
    func renewWatches() { intake.pointee.renewWatches() }

    /// Records that the producer has published since this was last asked; nil the first time in a life.
    func takePublished() -> UInt64? {
        let seen = (position: intake.pointee.cursor.lastHead, life: intake.pointee.lives.newestNumber)
        defer { lastSeen = seen }
        guard let last = lastSeen, last.life == seen.life else { return nil }
        return seen.position &- last.position
    }

    /// Records that were read and understood.
    package var drained: UInt64 { intake.pointee.drained }

    /// Records that the ring lost, by reason.
    package var lost: LossCounts {
        var lost = intake.pointee.unreadable
        lost[.lapped] &+= intake.pointee.cursor.lapped
        lost[.beforeAttach] &+= intake.pointee.cursor.beforeAttach
        lost[.corrupt] &+= intake.pointee.cursor.corrupt
        return lost
    }

    /// Records that were overwritten since this process opened the ring.
    var lapped: UInt64 { intake.pointee.cursor.lapped }

    /// What a checkpoint keeps of it.
    var state: RingState {
        RingState(
            name: segment.name, ringID: segment.ringID, position: nextIndex, drained: drained, lost: lost,
            lastRecordTime: lastRecordTime, pid: newestLife?.pid ?? 0)
    }

    /// Records published and not yet read.
    package var backlog: UInt64 { intake.pointee.cursor.backlog(segment) }

    /// Records that ever waited at once at the beginning of a drain.
    package var backlogMaximum: UInt64 { intake.pointee.lag.backlogMaximum }

    /// From the time of the record drained last to its drain; nil before the first with a time.
    package var lagNanoseconds: Int64? { intake.pointee.lag.last }

    /// The longest such time of the last minute; nil where no record came.
    package func worstLagNanoseconds(now: MonotonicTime) -> Int64? { intake.pointee.lag.worst(now: now) }

    /// The time of the last record that had one.
    package var lastRecordTime: MonotonicTime? { intake.pointee.lastRecordTime }

    /// What telemetry costs the bot at most, as a share of one core's time; see `EmitOverhead`.
    package var emitOverheadRatio: Double? { intake.pointee.overhead.ratio }

    package var newestLife: Life? { intake.pointee.lives.newest }

    /// The names of the metrics that are in no series, since another lane has them with another kind or unit; sorted.
    package var conflictingMetrics: [String] { intake.pointee.refusedNames }

    /// What could not be registered since this was last asked.
    package func takeRefusals() -> [String] {
        defer { intake.pointee.refusals = [] }
        return intake.pointee.refusals
    }
}
