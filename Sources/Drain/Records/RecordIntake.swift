internal import CRingside
internal import Platform
internal import RingReader
internal import Series
internal import Sketch

/// The hot half of a ring's drain: copies records out, checks each, and inserts it into its series.
///
/// A structure behind a pointer, not a class: the accesses of a class' properties are checked at run time, once a record.
struct RecordIntake: ~Copyable {
    private let segment: Segment
    private let lane: LaneSeries
    private var table: MetricTable
    private let buffer: UnsafeMutablePointer<ringside_record>
    private(set) var cursor: RingCursor
    private(set) var lives: LifeTrack

    /// Records that were read and understood.
    private(set) var drained: UInt64 = 0
    /// Records lost after they were read, those given up at the end, and all that an earlier collector lost; the cursor counts
    /// all others that were never read.
    private(set) var unreadable = LossCounts()
    /// The time of the last record that had one.
    private(set) var lastRecordTime: MonotonicTime?
    /// How far behind the ring's bot its records are when they are drained.
    var lag = DrainLag()
    /// The least time of a record in the drain that runs.
    private var earliest = MonotonicTime.max
    private var timeOfUntimed: MonotonicTime
    /// The clock that says when the position was read; nil where every read is of the time that it is asked for.
    private let time: TimeSource?
    private var front = ReadFront()
    /// When the batch was read that is in the buffer, and when its records were written at the earliest.
    private var readAt: MonotonicTime
    private var writtenSince = ReadFront.unknown
    /// The least time that a record without one is given: that of the read, where the one before was not long ago, so that no
    /// window lacks it. Else, and where reads say nothing of the time, it has that of the timed record before it.
    private var earliestUntimed: MonotonicTime
    /// Whether such a record may stand in a wrong window.
    private var isBlurred = false
    /// When the position was about to be read last, on the machine's own clock: whether it moved faster than any producer can
    /// move it must not depend on when a turn began.
    private var lastReadNanoseconds: UInt64
    /// Records that the batch in the buffer lost, or that were lost before it; nil where windows lack nothing for it.
    private var loss: UInt64?
    /// What could not be registered since it was last taken.
    var refusals: [String] = []
    private(set) var overhead = EmitOverhead()
    private var spans: SpanIntake
    /// Where in the ring the first record of the batch in the buffer lies.
    private var batchFirstIndex: UInt64 = 0
    /// Metrics that stood in the ring when it was opened, and whether they were watched from their birth.
    private let metricsAtOpening: Int
    private let wasWatchedAtOpening: Bool
    /// Metrics that may still be registered in the drain that runs.
    private var registrationsLeft = RecordIntake.registrationsAtOpening

    /// A ring with more metrics than these has them registered over several drains, so that others are drained in between.
    private static let registrationsAtOpening = 512

    init(
        segment: Segment, lane: LaneSeries, calibration: any TickScaleSource, wasWatched: Bool, kept: RingState?,
        traces: TraceExchange?, time: TimeSource?, now: MonotonicTime
    ) {
        spans = SpanIntake(traces)
        self.time = time
        self.segment = segment
        self.lane = lane
        lastReadNanoseconds = ringside_monotonic_ns()
        cursor = RingCursor(segment, start: kept.map { .position($0.position) } ?? .oldest)
        table = MetricTable(capacity: segment.geometry.metrics.itemCount)
        lives = LifeTrack(segment: segment, calibration: calibration, firstIndex: cursor.next)
        buffer = .allocate(capacity: RingCursor.batchLimit)
        metricsAtOpening = segment.metricCount
        wasWatchedAtOpening = wasWatched
        timeOfUntimed = now
        readAt = now
        earliestUntimed = now
        // What was overwritten before is lost to the totals; of the windows it is only known that they are not whole, as it is
        // where an earlier collector had them.
        if cursor.beforeAttach > 0 || kept != nil { loss = 0 }
        if let kept {
            drained = kept.drained
            unreadable = kept.lost
            lastRecordTime = kept.lastRecordTime
            timeOfUntimed = kept.lastRecordTime ?? now
        }
        lane.beginLife()
        register()
    }

    deinit { buffer.deallocate() }

    /// Reads up to `limit` records, which is 1 or more.
    ///
    /// - Parameter registrations: Metrics that are registered at most. A record of one that is not registered yet waits in the ring,
    ///   with all that come after it.
    /// - Returns: how many were read, and whether the producer's position was reached.
    mutating func drain(
        limit: Int, registrations: Int, now: MonotonicTime
    ) -> (records: Int, isCaughtUp: Bool) {
        var records = 0
        registrationsLeft = registrations
        let previousRead = lastReadNanoseconds
        lastReadNanoseconds = ringside_monotonic_ns()
        lag.note(backlog: min(cursor.backlog(segment), segment.geometry.capacity))
        earliest = .max
        var isFirst = true
        var before = now
        while true {
            let resyncs = cursor.resyncs
            let batch = cursor.read(
                segment, into: buffer, limit: limit - records,
                elapsedNanoseconds: isFirst ? ringside_monotonic_ns() &- previousRead : nil)
            isFirst = false
            noteRead(since: before)
            if batch.lost > 0 || cursor.resyncs != resyncs { lose(batch.lost) }
            follow()
            dateUntimed()
            if table.lacksMetrics(of: segment) { register() }
            let inserted = insert(batch, now: readAt)
            let isWaiting = inserted < batch.count
            if isWaiting { cursor.goBack(to: batch.firstIndex &+ UInt64(inserted)) }
            closeLoss()
            front.advance(to: cursor.next, position: cursor.lastHead, seenAfter: before)
            before = readAt
            records += max(1, inserted)
            let isCaughtUp = batch.isCaughtUp && !isWaiting
            if isCaughtUp || isWaiting || records >= limit {
                if earliest < .max { lag.note(earliest: earliest, latest: lastRecordTime ?? 0, now: now) }
                lane.noteRead(until: front.time, isBehind: front.time < now)
                spans.handOver()
                return (records, isCaughtUp && !table.lacksMetrics(of: segment))
            }
        }
    }

    /// No more will be read from the ring; see ``RingDrain/end(losingRestAs:now:)``.
    mutating func end(losingRestAs reason: LossReason, now: MonotonicTime) {
        let lost = cursor.giveUp()
        unreadable[reason] &+= lost
        noteRead(since: now)
        if lost > 0 { self.lose(lost) }
        closeLoss()
        lane.noteUnread()
    }

    /// Takes note that nothing which is still to be read was written before a time.
    mutating func noteQuiet(until time: MonotonicTime) {
        front.advance(to: time)
        lane.noteRead(until: time, isBehind: false)
    }

    /// Says when the position was read: a collector that was stopped in the midst of a drain goes on at another time.
    private mutating func noteRead(since before: MonotonicTime) {
        readAt = time.map { max(before, $0.monotonic()) } ?? before
        lane.advance(to: readAt)
    }

    /// Says when records without a time were written, of the life that they are of.
    private mutating func dateUntimed() {
        writtenSince = min(max(front.time, lives.begun), readAt)
        isBlurred = readAt - writtenSince > lane.sharpNanoseconds
        earliestUntimed = isBlurred || time == nil ? writtenSince : readAt
    }

    /// A life is published before its first record, so that this, done after a batch was copied, knows them all.
    private mutating func follow() {
        refusals += table.refuseSuperseded(in: lane)
        guard lives.follow(segment) else { return }
        lane.beginLife()
        if let life = lives.newest { cursor.beginLife(at: life.firstPosition) }
    }

    private mutating func register() {
        let before = table.count
        let (atOpening, wasWatched) = (metricsAtOpening, wasWatchedAtOpening)
        refusals += table.register(segment, in: lane, life: lives.newestNumber, limit: registrationsLeft) {
            $0 >= atOpening || wasWatched
        }
        registrationsLeft -= table.count - before
    }

    /// Metrics that are registered.
    var metricCount: Int { table.count }

    /// Reads the cells of all metrics into their series, those registered since included, so many at most.
    mutating func sampleCells(options: SeriesOptions, registrations: Int, now: MonotonicTime) {
        follow()
        registrationsLeft = registrations
        register()
        refusals += table.follow(segment, in: lane, life: lives.newestNumber)
        lane.noteCellsRead(at: time.map { max(now, $0.monotonic()) } ?? now)
        let calls = table.sampleCells(segment, options: options, firstLifeBegun: lives.firstBegun(segment)) {
            time.map { max(now, $0.monotonic()) } ?? now
        }
        table.sampleControls(segment, in: lane) { time.map { max(now, $0.monotonic()) } ?? now }
        let counts = EmitOverhead.Counts(
            durations: calls.durations, values: calls.values, position: segment.position, sampledOut: segment.sampledOut
        )
        overhead.sample(counts, costs: lives.newest?.callCostPicoseconds ?? [], now: now)
    }

    /// - Returns: how many records of the batch were taken: fewer than it has where the next one's metric has to wait.
    private mutating func insert(_ batch: RingCursor.Batch, now: MonotonicTime) -> Int {
        let shift = segment.geometry.shift
        batchFirstIndex = batch.firstIndex &- UInt64(batch.offset)
        for offset in 0..<batch.count {
            let record = UnsafePointer(buffer + batch.offset + offset)
            let index = batch.firstIndex &+ UInt64(offset)
            guard ringside_record_is_valid(record, index, shift) != 0 else {
                lose(.corrupt)
                continue
            }
            if index >= lives.nextFirstPosition {
                lives.enter(index, segment)
                dateUntimed()
            }
            let id = Int(ringside_record_metric(record))
            if id >= table.count { register() }
            guard id < table.count else {
                if id < segment.metricCount { return offset }
                lose(.unknownMetric)
                continue
            }
            insert(record, table.slots + id, now: now)
        }
        return batch.count
    }

    @inline(__always)
    private mutating func insert(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, now: MonotonicTime
    ) {
        let flags = ringside_record_flags(record)
        guard let feed = slot.pointee.feed else { return takeOther(record, slot, flags, now) }
        guard let scale = lives.scale else {
            lose(.clock)
            return
        }
        let time = timeOf(record, slot, flags, scale)
        if flags & UInt32(RINGSIDE_FLAG_ABANDONED) == 0 {
            guard insert(record, feed, slot, scale, time, flags) else { return lose(.corrupt) }
            if record.pointee.trace_id != 0 { noteTrace(record, slot, scale, time, flags) }
        }
        drained &+= 1
    }

    /// A record that belongs to a trace may be shown as an exemplar, and is a span of its trace where somebody wants to see it.
    @inline(never)
    private mutating func noteTrace(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ scale: TickScale,
        _ time: MonotonicTime, _ flags: UInt32
    ) {
        noteExemplar(record, slot, scale, time)
        guard spans.isWanted, flags & UInt32(RINGSIDE_FLAG_HAS_TIME) != 0 else { return }
        let index = batchFirstIndex &+ UInt64(record - UnsafePointer(buffer))
        spans.note(record, index: index, scale, end: time, flags, segment: segment, labels: lives.newest?.labels ?? [])
    }

    private func noteExemplar(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ scale: TickScale,
        _ time: MonotonicTime
    ) {
        let word = record.pointee.value
        let value =
            switch ringside_record_encoding(record) {
            case RINGSIDE_ENCODING_TICKS.rawValue: Double(Int64(clamping: word)) * scale.secondsPerTick
            case RINGSIDE_ENCODING_NANOSECONDS.rawValue: Double(word) * 1e-9
            default: slot.pointee.numberType.double(word)
            }
        slot.pointee.instrument?.takeUnretainedValue()
            .note(exemplar: value, time: time, traceID: record.pointee.trace_id)
    }

    /// A record of a metric that is no histogram: a gauge that writes every change, or one that is in no series.
    private mutating func takeOther(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ flags: UInt32,
        _ now: MonotonicTime
    ) {
        if let watched = slot.pointee.watched { return takeWatched(record, slot, watched, flags, now) }
        if slot.pointee.isRefused {
            guard takeUp(slot) else { return lose(.refused) }
            return insert(record, slot, now: now)
        }
        guard let scale = lives.scale else { return lose(.clock) }
        let time = timeOf(record, slot, flags, scale)
        drained &+= 1
        slot.pointee.instrument?.takeUnretainedValue()
            .note(
                gaugeChange: slot.pointee.numberType.number(record.pointee.value), at: time, now: now,
                isOfPresentLife: lives.nextFirstPosition == .max)
    }

    /// Takes up a metric that was refused, where a later life registered it again and its name is free now.
    private mutating func takeUp(_ slot: UnsafeMutablePointer<MetricTable.Slot>) -> Bool {
        guard table.hasReturned(slot - table.slots, segment) else { return false }
        refusals += table.follow(segment, in: lane, life: lives.newestNumber)
        return !slot.pointee.isRefused
    }

    /// A record of a histogram that is held to thresholds.
    private mutating func takeWatched(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>,
        _ watched: UnsafeMutablePointer<WatchedFeed>, _ flags: UInt32, _ now: MonotonicTime
    ) {
        guard let scale = lives.scale else { return lose(.clock) }
        let time = timeOf(record, slot, flags, scale)
        if flags & UInt32(RINGSIDE_FLAG_ABANDONED) == 0 {
            guard insert(record, watched.pointee.records, slot, scale, time, flags) else { return lose(.corrupt) }
            count(record, slot.pointee.numberType, watched, scale)
            if record.pointee.trace_id != 0 { noteTrace(record, slot, scale, time, flags) }
        }
        drained &+= 1
    }

    @inline(__always)
    private func count(
        _ record: UnsafePointer<ringside_record>, _ type: Metric.NumberType,
        _ watched: UnsafeMutablePointer<WatchedFeed>, _ scale: TickScale
    ) {
        let word = record.pointee.value
        let weight = ringside_record_weight(record)
        switch ringside_record_encoding(record) {
        case RINGSIDE_ENCODING_TICKS.rawValue:
            if watched.pointee.epoch != lives.epoch {
                watched.pointee.beginEpoch(lives.epoch, valuePerUnit: scale.secondsPerTick)
            }
            watched.pointee.count(units: Int64(clamping: word), weight: weight)
        case RINGSIDE_ENCODING_NANOSECONDS.rawValue:
            watched.pointee.count(nanoseconds: Int64(clamping: word), weight: weight)
        default: watched.pointee.count(value: type.double(word), weight: weight)
        }
    }

    /// The names of the metrics that are in no series, since another lane has them with another kind or unit.
    var refusedNames: [String] { table.refusedNames }

    /// Takes note that histograms may be held to other thresholds now.
    func renewWatches() { table.renewWatches() }

    /// False where the value is none: an unknown encoding, or not a number.
    @inline(__always)
    private mutating func insert(
        _ record: UnsafePointer<ringside_record>, _ feed: SketchFeed, _ slot: UnsafeMutablePointer<MetricTable.Slot>,
        _ scale: TickScale, _ time: MonotonicTime, _ flags: UInt32
    ) -> Bool {
        let word = record.pointee.value
        let weight = ringside_record_weight(record)
        let failed = flags & UInt32(RINGSIDE_FLAG_FAILED) != 0
        switch ringside_record_encoding(record) {
        case RINGSIDE_ENCODING_TICKS.rawValue:
            if slot.pointee.epoch != lives.epoch {
                slot.pointee.epoch = lives.epoch
                feed.beginEpoch(valuePerUnit: scale.secondsPerTick)
            }
            feed.insert(units: Int64(clamping: word), timeNanoseconds: time, weight: weight, failed: failed)
            return true
        case RINGSIDE_ENCODING_NANOSECONDS.rawValue:
            return feed.insert(value: Double(word) * 1e-9, timeNanoseconds: time, weight: weight, failed: failed)
        case RINGSIDE_ENCODING_NUMBER.rawValue:
            let value = slot.pointee.numberType.double(word)
            return feed.insert(value: value, timeNanoseconds: time, weight: weight, failed: failed)
        default: return false
        }
    }

    /// A record without a time has that of the timed one before it, kept between the two reads that it was written between.
    @inline(__always)
    private mutating func timeOf(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ flags: UInt32,
        _ scale: TickScale
    ) -> MonotonicTime {
        guard flags & UInt32(RINGSIDE_FLAG_HAS_TIME) != 0 else {
            if isBlurred { noteBlur(slot) }
            return min(max(timeOfUntimed, earliestUntimed), readAt)
        }
        let time = scale.monotonic(record.pointee.time)
        timeOfUntimed = time
        lastRecordTime = time
        earliest = min(earliest, time)
        return time
    }

    @inline(never)
    private func noteBlur(_ slot: UnsafeMutablePointer<MetricTable.Slot>) {
        slot.pointee.instrument?.takeUnretainedValue().noteBlur(from: writtenSince, to: readAt)
    }

    private mutating func lose(_ reason: LossReason) {
        unreadable[reason] &+= 1
        lose(1)
    }

    private mutating func lose(_ lost: UInt64) { loss = (loss ?? 0) &+ lost }

    /// What is lost was written before it was missed: no window that began later lacks it. What records around it say of
    /// their times proves nothing.
    private mutating func closeLoss() {
        guard let loss else { return }
        lane.loss.add(lost: loss, from: front.time, to: readAt)
        self.loss = nil
    }
}
