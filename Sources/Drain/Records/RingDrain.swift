internal import CRingside
package import Platform
package import RingReader
package import Series

/// One ring, and the account of all records ever written into it.
///
/// `drained + lost + backlog = position` of the ring. A record is either understood (inserted, or skipped because its
/// span was abandoned), or lost for one of the reasons.
package final class RingDrain {
    package let segment: Segment
    package let lane: LaneSeries
    /// Whether the configuration excludes the ring, after it was opened. It is not read until it is included again.
    var isExcluded = false
    private let intake: UnsafeMutablePointer<RecordIntake>
    private var lastRead: MonotonicTime
    /// The position and the life at the last `takePublished`.
    private var lastSeen: (position: UInt64, life: UInt64)?
    /// The longest time between two reads of the ring, or from its opening to the first: the time for which it must
    /// have capacity.
    package private(set) var longestReadGapNanoseconds: Int64 = 0

    /// The time since which new records would have been seen: since the ring was first read to its end, or since the
    /// last record read if an earlier collector had read the ring. Nil before the end was reached.
    private var watchedSince: MonotonicTime?
    private let readBefore: MonotonicTime?
    private var activity = ActivityTrack()
    /// The last known position of the producer; nil before the first read.
    private var lastPosition: UInt64?

    /// The index up to which a checkpoint has its records; at first the index at which reading begins.
    var checkpointedIndex: UInt64

    /// - Parameters:
    ///   - wasWatched: Whether the collector ran when the ring was made. Then its counters began at 0.
    ///   - restored: The state from which reading continues; nil begins at the oldest record in the ring.
    ///   - traces: Receives records with a trace id; nil if no export wants them.
    ///   - time: The clock for the times of reads; nil if every read has the time of its call.
    package init(
        segment: Segment, lane: LaneSeries, calibration: any TickScaleSource, wasWatched: Bool,
        restored: RingState? = nil,
        traces: TraceExchange? = nil, time: TimeSource? = nil, now: MonotonicTime
    ) {
        self.segment = segment
        self.lane = lane
        lastRead = now
        readBefore = restored?.lastRecordTime
        intake = .allocate(capacity: 1)
        intake.initialize(
            to: RecordIntake(
                segment: segment, lane: lane, calibration: calibration, wasWatched: wasWatched, restored: restored,
                traces: traces, time: time, now: now))
        checkpointedIndex = intake.pointee.cursor.next
    }

    deinit {
        intake.deinitialize(count: 1)
        intake.deallocate()
    }

    /// Reads up to `limit` records, which is at least 1.
    ///
    /// - Parameter registrations: The greatest number of metrics to register; records of others wait in the ring.
    /// - Returns: The number of records read, and whether the producer's position was reached and all its metrics are
    ///   registered.
    package func drain(
        limit: Int, registrations: Int = .max, now: MonotonicTime
    ) -> (records: Int, isCaughtUp: Bool) {
        longestReadGapNanoseconds = max(longestReadGapNanoseconds, now - lastRead)
        lastRead = now
        let outcome = intake.pointee.drain(limit: limit, registrations: registrations, now: now)
        if watchedSince == nil, outcome.isCaughtUp { watchedSince = readBefore ?? now }
        notePosition(now: now)
        return outcome
    }

    /// Ends the reading: records that were published but not read are lost for `reason`.
    package func end(losingRestAs reason: LossReason, now: MonotonicTime) {
        intake.pointee.end(losingRestAs: reason, now: now)
    }

    /// Notes that all records still to be read were written after a time.
    func noteQuiet(until time: MonotonicTime) { intake.pointee.noteQuiet(until: time) }

    /// Returns whether a drain now would find nothing.
    ///
    /// - Parameter withCells: Whether a read of the cells of counters and gauges would find nothing either.
    func isQuiet(withCells: Bool) -> Bool {
        isExcluded || intake.pointee.isQuiet(withCells: withCells)
    }

    /// Records a look that found nothing. `time` is a time before the look.
    func noteQuietLook(at time: MonotonicTime, withCells: Bool) {
        guard !isExcluded else { return }
        longestReadGapNanoseconds = max(longestReadGapNanoseconds, time - lastRead)
        lastRead = max(lastRead, time)
        intake.pointee.noteQuietLook(at: time, withCells: withCells)
    }

    /// Adds samples to the gauges: their values had not changed at these times.
    func sampleGauges(atQuietLooks times: [MonotonicTime], options: SeriesOptions) {
        guard !isExcluded else { return }
        intake.pointee.sampleGauges(atQuietLooks: times, options: options)
    }

    /// The index of the next record.
    var nextIndex: UInt64 { intake.pointee.cursor.next }

    /// Records the position; activity before the first read has no known time.
    private func notePosition(now: MonotonicTime) {
        let position = segment.position
        if let lastPosition, position != lastPosition {
            activity.note(life: intake.pointee.lives.newestNumber, now: now)
        }
        lastPosition = position
    }

    /// Reads the cells of all metrics into their series, including metrics registered since, up to a limit.
    ///
    /// - Parameter isThorough: Whether the cells of histograms, which affect only totals, and every control word are
    ///   read too.
    package func sampleCells(
        options: SeriesOptions, registrations: Int = .max, isThorough: Bool = true, now: MonotonicTime
    ) {
        let hasChanged = intake.pointee.sampleCells(
            options: options, registrations: registrations, isThorough: isThorough, now: now)
        if hasChanged { activity.note(life: intake.pointee.lives.newestNumber, now: now) }
    }

    /// Returns the time since the producer last wrote a record or changed a cell; nil if that was never seen.
    func activityAgeNanoseconds(now: MonotonicTime) -> Int64? { activity.age(now: now) }

    /// The longest pause of the last ten minutes; nil if the life was not watched for long enough.
    var usualPauseNanoseconds: Int64? { activity.usualPause }

    /// The number of the ring's registered metrics.
    var metricCount: Int { intake.pointee.metricCount }

    /// Renews the counters of values against thresholds, which may have changed.
    func renewWatches() { intake.pointee.renewWatches() }

    /// Returns the number of records published since the last call; nil at the first call in a life.
    func takePublished() -> UInt64? {
        let seen = (position: intake.pointee.cursor.lastHead, life: intake.pointee.lives.newestNumber)
        defer { lastSeen = seen }
        guard let last = lastSeen, last.life == seen.life else { return nil }
        return seen.position &- last.position
    }

    /// The number of records that were read and understood.
    package var drained: UInt64 { intake.pointee.drained }

    /// The number of lost records, by reason.
    package var lost: LossCounts {
        var lost = intake.pointee.unreadable
        lost[.lapped] &+= intake.pointee.cursor.lapped
        lost[.beforeAttach] &+= intake.pointee.cursor.beforeAttach
        lost[.corrupt] &+= intake.pointee.cursor.corrupt
        return lost
    }

    /// The number of records that were overwritten since this process opened the ring.
    var lapped: UInt64 { intake.pointee.cursor.lapped }

    /// Its state in a checkpoint.
    var state: RingState {
        RingState(
            name: segment.name, ringID: segment.ringID, position: nextIndex, drained: drained, lost: lost,
            lastRecordTime: lastRecordTime, pid: newestLife?.pid ?? 0,
            wasClosed: segment.isClosed)
    }

    /// The number of records published but not read yet.
    package var backlog: UInt64 { intake.pointee.cursor.backlog(segment) }

    /// The greatest number of records that waited at the beginning of a drain.
    package var backlogMaximum: UInt64 { intake.pointee.lag.backlogMaximum }

    /// The time from the last drained record to its drain; nil before the first record with a time.
    package var lagNanoseconds: Int64? { intake.pointee.lag.last }

    /// Returns the longest such time of the last minute; nil if there was no record.
    package func worstLagNanoseconds(now: MonotonicTime) -> Int64? { intake.pointee.lag.worst(now: now) }

    /// Returns how long the records of the last 6 to 12 seconds waited at most; nil if none was drained.
    package func worstWaitNanoseconds(now: MonotonicTime) -> Int64? { intake.pointee.lag.worstWait(now: now) }

    /// The time of the last record that had one.
    package var lastRecordTime: MonotonicTime? { intake.pointee.lastRecordTime }

    /// Returns how long the bot is known to have written nothing. It starts no earlier than the collector's watch, or
    /// the bot's present life. Nil before the first record that has a time.
    func silenceNanoseconds(now: MonotonicTime) -> Int64? {
        guard let lastRecordTime else { return nil }
        guard let watchedSince else { return 0 }
        let attached = newestLife.map { Int64(clamping: $0.anchorMonotonicNanoseconds) } ?? .min
        return max(0, now - max(lastRecordTime, watchedSince, attached))
    }

    /// The greatest cost of records for the bot, as a share of one core's time; see `EmitOverhead`.
    package var recordOverheadRatio: Double? { intake.pointee.overhead.ofRecords }

    /// The same cost of counters without a unit.
    package var counterOverheadRatio: Double? { intake.pointee.overhead.ofCounters }

    package var newestLife: Life? { intake.pointee.lives.newest }

    /// The names of the metrics that are in no series, because another lane has them with another kind or unit; sorted.
    package var conflictingMetrics: [String] { intake.pointee.refusedNames }

    /// Returns the metrics that were refused since the last call.
    package func takeRefusals() -> [String] {
        defer { intake.pointee.refusals = [] }
        return intake.pointee.refusals
    }
}

extension ProcessMonitor.Holder {
    /// Nil if the ring has no life with the data of its producer.
    init?(_ ring: RingDrain) {
        guard let life = ring.newestLife else { return nil }
        self.init(
            bot: ring.segment.name.bot, pid: life.pid, pidNamespace: life.pidNamespace,
            startTicks: life.processStartTicks)
    }
}
