internal import CRingside
internal import Platform
internal import RingReader
internal import Series
internal import Sketch

/// The hot path of a ring's drain: copies records out, checks each, and inserts it into its series.
///
/// It is a structure behind a pointer, not a class, because accesses to the properties of a class are checked at run
/// time, once a record.
struct RecordIntake: ~Copyable {
    private let segment: Segment
    private let lane: LaneSeries
    private var table: MetricTable
    private let buffer: UnsafeMutablePointer<ringside_record>
    private(set) var cursor: RingCursor
    private(set) var lives: LifeTrack

    /// The number of records that were read and understood.
    private(set) var drained: UInt64 = 0
    /// The losses of records that were read, of the rest at the end, and of an earlier collector. The cursor counts all
    /// others that were never read.
    private(set) var unreadable = LossCounts()
    /// The time of the last record that had one.
    private(set) var lastRecordTime: MonotonicTime?
    /// The lag of the ring's records at their drain.
    var lag = DrainLag()
    /// The earliest time of a record in the present drain.
    private var earliest = MonotonicTime.max
    private var timeOfUntimed: MonotonicTime
    /// The clock for the times of reads; nil if every read has the time of its call.
    private let time: TimeSource?
    private var front = ReadFront()
    /// The time at which the batch in the buffer was read, and the earliest time at which its records were written.
    private var readAt: MonotonicTime
    private var writtenSince = ReadFront.unknown
    /// The earliest time for a record without a time. If the previous read was recent, it is the time of the read of
    /// its batch, so that no window lacks the record. After a long gap, and if reads have no times, it is the earliest
    /// time at which the record can have been written.
    private var earliestUntimed: MonotonicTime
    /// Whether such a record may be in a wrong window.
    private var isBlurred = false
    /// The time before the last read of the position, on the machine's own clock, because the check for an impossible
    /// advance of the position must not depend on when a turn began.
    private var lastReadNanoseconds: UInt64
    /// The records lost in or before the batch in the buffer; nil if the windows lack nothing.
    private var loss: UInt64?
    /// Metrics that were refused since the last call, with the reason.
    var refusals: [String] = []
    private(set) var overhead = EmitOverhead()
    private var lastSampledOut: UInt64?
    private var lastSampledPosition: UInt64?
    private var spans: SpanIntake
    private var traceReading = TraceReading()
    /// The index in the ring of the first record of the batch in the buffer.
    private var batchFirstIndex: UInt64 = 0
    /// The number of metrics in the ring when it was opened, and whether they were watched from their beginning.
    private let metricsAtOpening: Int
    private let wasWatchedAtOpening: Bool
    /// The number of metrics that may still be registered in the present drain.
    private var registrationsLeft = RecordIntake.registrationsAtOpening

    /// A ring with more metrics than this registers them over several drains, so that others are drained in between.
    private static let registrationsAtOpening = 512

    init(
        segment: Segment, lane: LaneSeries, calibration: any TickScaleSource, wasWatched: Bool, restored: RingState?,
        traces: TraceExchange?, time: TimeSource?, now: MonotonicTime
    ) {
        spans = SpanIntake(traces)
        self.time = time
        self.segment = segment
        self.lane = lane
        lastReadNanoseconds = ringside_monotonic_ns()
        cursor = RingCursor(segment, start: restored.map { .position($0.position) } ?? .oldest)
        table = MetricTable(capacity: segment.geometry.metrics.itemCount)
        lives = LifeTrack(segment: segment, calibration: calibration, firstIndex: cursor.next)
        buffer = .allocate(capacity: RingCursor.batchLimit)
        metricsAtOpening = segment.metricCount
        wasWatchedAtOpening = wasWatched
        timeOfUntimed = now
        readAt = now
        earliestUntimed = now
        // Records that were overwritten before are lost to the totals. The windows are only known to be incomplete. The
        // same holds if an earlier collector read the records.
        if cursor.beforeAttach > 0 || restored != nil { loss = 0 }
        if let restored {
            drained = restored.drained
            unreadable = restored.lost
            lastRecordTime = restored.lastRecordTime
            timeOfUntimed = restored.lastRecordTime ?? now
        }
        lane.beginLife()
        register()
        // If an earlier collector read the ring, it also read the contexts of traces that continue.
        if restored != nil { traceReading.lookBack(segment, before: cursor.next) }
    }

    deinit { buffer.deallocate() }

    /// Reads up to `limit` records, which is at least 1.
    ///
    /// - Parameter registrations: The greatest number of metrics to register. A record of a metric that is not
    ///   registered yet waits in the ring, with all records after it.
    /// - Returns: The number of records read, and whether the producer's position was reached and all its metrics are
    ///   registered.
    mutating func drain(
        limit: Int, registrations: Int, now: MonotonicTime
    ) -> (records: Int, isCaughtUp: Bool) {
        var records = 0
        // A read that finds nothing counts as one, so that a ring that is damaged all the time ends the loop.
        var spent = 0
        registrationsLeft = registrations
        let previousRead = lastReadNanoseconds
        lastReadNanoseconds = ringside_monotonic_ns()
        lag.note(backlog: min(cursor.backlog(segment), segment.geometry.capacity))
        earliest = .max
        let unreadSince = front.time
        var hasRecords = false
        var isFirst = true
        var before = now
        while true {
            let resyncs = cursor.resyncs
            let batch = cursor.read(
                segment, into: buffer, limit: limit - spent,
                elapsedNanoseconds: isFirst ? ringside_monotonic_ns() &- previousRead : nil)
            isFirst = false
            hasRecords = hasRecords || batch.count > 0
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
            records += inserted
            spent += max(1, inserted)
            let isCaughtUp = batch.isCaughtUp && !isWaiting
            if isCaughtUp || isWaiting || spent >= limit {
                if hasRecords { lag.note(unreadSince: unreadSince, now: now) }
                if earliest < .max { lag.note(earliest: earliest, latest: lastRecordTime ?? 0, now: now) }
                lane.noteRead(until: front.time, isBehind: front.time < now)
                spans.handOver()
                return (records, isCaughtUp && !table.lacksMetrics(of: segment))
            }
        }
    }

    /// Ends the reading; see ``RingDrain/end(losingRestAs:now:)``.
    mutating func end(losingRestAs reason: LossReason, now: MonotonicTime) {
        let lost = cursor.giveUp()
        unreadable[reason] &+= lost
        noteRead(since: now)
        if lost > 0 { self.lose(lost) }
        closeLoss()
        lane.noteUnread()
    }

    /// Notes that all records still to be read were written after a time.
    mutating func noteQuiet(until time: MonotonicTime) {
        front.advance(to: time)
        lane.noteRead(until: time, isBehind: false)
    }

    /// Returns whether a drain now would find no new record, no new metric and no new life.
    ///
    /// - Parameter withCells: Whether a read of the cells of counters and gauges would find nothing either.
    func isQuiet(withCells: Bool) -> Bool {
        segment.position == cursor.next && cursor.lastHead == cursor.next && lives.isQuiet(segment)
            && !table.lacksMetrics(of: segment)
            && (!withCells
                || segment.sampledOut == lastSampledOut && table.isQuiet(segment, life: lives.newestNumber))
    }

    /// Records a look that found nothing.
    ///
    /// - Parameters:
    ///   - time: A time before the look.
    ///   - withCells: Whether the cells of counters and gauges were looked at too.
    mutating func noteQuietLook(at time: MonotonicTime, withCells: Bool) {
        noteQuiet(until: time)
        guard withCells else { return }
        lane.noteCellsRead(at: time)
        table.cells.noteQuietLook(at: time)
    }

    /// Adds samples to the gauges: their values had not changed at these times.
    func sampleGauges(atQuietLooks times: [MonotonicTime], options: SeriesOptions) {
        table.cells.sampleGauges(atQuietLooks: times, options: options)
    }

    /// Records the time of a read of the position. A collector that was stopped during a drain continues at another
    /// time.
    private mutating func noteRead(since before: MonotonicTime) {
        readAt = time.map { max(before, $0.monotonic()) } ?? before
        lane.advance(to: readAt)
    }

    /// Sets the time for records of the current life without a time.
    private mutating func dateUntimed() {
        writtenSince = min(max(front.time, lives.begun), readAt)
        isBlurred = readAt - writtenSince > lane.sharpNanoseconds
        earliestUntimed = isBlurred || time == nil ? writtenSince : readAt
    }

    /// Loads new lives. A life is published before its first record, so this call after a batch was copied loads the
    /// lives of all its records.
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

    /// The number of registered metrics.
    var metricCount: Int { table.count }

    /// Reads the cells of all metrics into their series, including metrics registered since, up to a limit.
    ///
    /// - Parameter isThorough: Whether the cells of histograms, which affect only totals, and every control word are
    ///   read too.
    /// - Returns: Whether a cell has changed since the last read.
    mutating func sampleCells(
        options: SeriesOptions, registrations: Int, isThorough: Bool, now: MonotonicTime
    ) -> Bool {
        follow()
        registrationsLeft = registrations
        register()
        refusals += table.follow(segment, in: lane, life: lives.newestNumber)
        lane.noteCellsRead(at: time.map { max(now, $0.monotonic()) } ?? now)
        var hasChanged = table.cells.sample(segment, options: options, firstLifeBegun: lives.firstBegun(segment)) {
            time.map { max(now, $0.monotonic()) } ?? now
        }
        table.sampleControls(segment, in: lane, isThorough: isThorough) {
            time.map { max(now, $0.monotonic()) } ?? now
        }
        // A call without a record shows only in its cell, or in the number of calls sampled out.
        let sampledOut = segment.sampledOut
        hasChanged = hasChanged || sampledOut != lastSampledOut ?? sampledOut
        lastSampledOut = sampledOut
        guard isThorough else { return hasChanged }
        let histograms = table.cells.sampleHistograms(segment, count: table.count)
        let position = segment.position
        // A bot that wrote records is known to be active by their times.
        let hasWritten = position != lastSampledPosition ?? position
        lastSampledPosition = position
        let counts = EmitOverhead.Counts(
            durations: histograms.calls.durations, values: histograms.calls.values, position: position,
            sampledOut: sampledOut, counters: table.cells.rises)
        overhead.sample(counts, costs: lives.newest?.callCostPicoseconds ?? [], now: now)
        return hasChanged || histograms.hasChanged && !hasWritten
    }

    /// - Returns: The number of records inserted. It is less than the batch's if the next record's metric must wait.
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
        guard let recorder = slot.pointee.recorder else { return takeOther(record, slot, flags, now) }
        if flags & UInt32(RINGSIDE_FLAG_ABANDONED) != 0 { return takeAbandoned(record, slot, flags) }
        guard let scale = lives.scale else {
            lose(.clock)
            return
        }
        let time = timeOf(record, slot, flags, scale)
        guard insert(record, recorder, slot, scale, time, flags) else { return lose(.corrupt) }
        if record.pointee.trace_id != 0 { noteTrace(record, slot, scale, time, flags) }
        drained &+= 1
    }

    /// Handles a record of a histogram that is not counted: a span without an end, or the context of the trace for the
    /// next records.
    @inline(never)
    private mutating func takeAbandoned(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ flags: UInt32
    ) {
        switch ringside_record_kind(record) {
        case RINGSIDE_RECORD_TRACE_CONTEXT.rawValue, RINGSIDE_RECORD_SPAN_LINK.rawValue:
            traceReading.note(record.pointee, at: index(of: record))
        case RINGSIDE_RECORD_SAMPLE.rawValue:
            guard let scale = lives.scale else { return lose(.clock) }
            _ = timeOf(record, slot, flags, scale)
        default: return lose(.corrupt)
        }
        drained &+= 1
    }

    /// Returns the index in the ring of a record of the batch in the buffer.
    private func index(of record: UnsafePointer<ringside_record>) -> UInt64 {
        batchFirstIndex &+ UInt64(record - UnsafePointer(buffer))
    }

    /// Handles a record with a trace id. It may be shown as an exemplar, and is a span of its trace if an export wants
    /// spans, unless the program that began the trace has decided not to record it.
    @inline(never)
    private mutating func noteTrace(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ scale: TickScale,
        _ time: MonotonicTime, _ flags: UInt32
    ) {
        let index = index(of: record)
        guard
            let trace = traceReading.trace(
                word: record.pointee.trace_id, flags: flags, at: index, prefix: lives.tracePrefix),
            trace.isSampled
        else { return }
        noteExemplar(record, TraceID(high: trace.high, low: trace.low), slot, scale, time)
        guard spans.isWanted, flags & UInt32(RINGSIDE_FLAG_HAS_TIME) != 0 else { return }
        spans.note(
            record, trace, index: index, scale, end: time, flags, segment: segment, labels: lives.newest?.labels ?? [])
    }

    private func noteExemplar(
        _ record: UnsafePointer<ringside_record>, _ trace: TraceID, _ slot: UnsafeMutablePointer<MetricTable.Slot>,
        _ scale: TickScale, _ time: MonotonicTime
    ) {
        let word = record.pointee.value
        let value =
            switch ringside_record_encoding(record) {
            case RINGSIDE_ENCODING_TICKS.rawValue: Double(Int64(clamping: word)) * scale.secondsPerTick
            case RINGSIDE_ENCODING_NANOSECONDS.rawValue: Double(word) * 1e-9
            default: slot.pointee.numberType.double(word)
            }
        slot.pointee.instrument?.takeUnretainedValue()
            .note(exemplar: value, time: time, traceID: trace)
    }

    /// Handles a record of another metric than a histogram: a gauge that writes every change, or a metric in no series.
    private mutating func takeOther(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>, _ flags: UInt32,
        _ now: MonotonicTime
    ) {
        // This includes metrics in no series, because the context of a trace applies to all metrics of the ring.
        if flags & UInt32(RINGSIDE_FLAG_ABANDONED) != 0,
            ringside_record_kind(record) > RINGSIDE_RECORD_GAUGE.rawValue || slot.pointee.thresholdRecorder != nil
        {
            return takeAbandoned(record, slot, flags)
        }
        if let recorder = slot.pointee.thresholdRecorder {
            return takeWithThresholds(record, slot, recorder, flags, now)
        }
        if slot.pointee.isRefused {
            guard takeUp(slot) else { return lose(.refused) }
            return insert(record, slot, now: now)
        }
        guard ringside_record_kind(record) == RINGSIDE_RECORD_GAUGE.rawValue else { return lose(.corrupt) }
        guard let scale = lives.scale else { return lose(.clock) }
        let time = timeOf(record, slot, flags, scale)
        drained &+= 1
        slot.pointee.instrument?.takeUnretainedValue()
            .note(
                gaugeChange: slot.pointee.numberType.number(record.pointee.value), at: time, now: now,
                isOfPresentLife: lives.nextFirstPosition == .max)
    }

    /// Accepts a refused metric if a later life registered it again and its name is free now.
    private mutating func takeUp(_ slot: UnsafeMutablePointer<MetricTable.Slot>) -> Bool {
        guard table.hasReturned(slot - table.slots, segment) else { return false }
        refusals += table.follow(segment, in: lane, life: lives.newestNumber)
        return !slot.pointee.isRefused
    }

    /// Inserts a record of a histogram with thresholds.
    private mutating func takeWithThresholds(
        _ record: UnsafePointer<ringside_record>, _ slot: UnsafeMutablePointer<MetricTable.Slot>,
        _ recorder: UnsafeMutablePointer<ThresholdRecorder>, _ flags: UInt32, _ now: MonotonicTime
    ) {
        guard let scale = lives.scale else { return lose(.clock) }
        let time = timeOf(record, slot, flags, scale)
        guard insert(record, recorder.pointee.records, slot, scale, time, flags) else { return lose(.corrupt) }
        count(record, slot.pointee.numberType, recorder, scale)
        if record.pointee.trace_id != 0 { noteTrace(record, slot, scale, time, flags) }
        drained &+= 1
    }

    @inline(__always)
    private func count(
        _ record: UnsafePointer<ringside_record>, _ type: Metric.NumberType,
        _ recorder: UnsafeMutablePointer<ThresholdRecorder>, _ scale: TickScale
    ) {
        let word = record.pointee.value
        let weight = ringside_record_weight(record)
        switch ringside_record_encoding(record) {
        case RINGSIDE_ENCODING_TICKS.rawValue:
            if recorder.pointee.epoch != lives.epoch {
                recorder.pointee.beginEpoch(lives.epoch, valuePerUnit: scale.secondsPerTick)
            }
            recorder.pointee.count(units: Int64(clamping: word), weight: weight)
        case RINGSIDE_ENCODING_NANOSECONDS.rawValue:
            recorder.pointee.count(nanoseconds: Int64(clamping: word), weight: weight)
        default: recorder.pointee.count(value: type.double(word), weight: weight)
        }
    }

    /// The names of the metrics that are in no series, because another lane has them with another kind or unit.
    var refusedNames: [String] { mutating get { table.refusedNames } }

    /// Renews the counters of values against thresholds, which may have changed.
    func renewWatches() { table.renewWatches() }

    /// Inserts a record's value. Returns false if the value is invalid: of an unknown kind or encoding, or NaN.
    @inline(__always)
    private mutating func insert(
        _ record: UnsafePointer<ringside_record>, _ recorder: SketchRecorder,
        _ slot: UnsafeMutablePointer<MetricTable.Slot>,
        _ scale: TickScale, _ time: MonotonicTime, _ flags: UInt32
    ) -> Bool {
        let word = record.pointee.value
        let weight = ringside_record_weight(record)
        let failed = flags & UInt32(RINGSIDE_FLAG_FAILED) != 0
        // Tests kind and encoding at once, at the cost of testing the encoding alone.
        switch flags & Self.formMask {
        case Self.form(RINGSIDE_ENCODING_TICKS):
            if slot.pointee.epoch != lives.epoch {
                slot.pointee.epoch = lives.epoch
                recorder.beginEpoch(valuePerUnit: scale.secondsPerTick)
            }
            recorder.insert(units: Int64(clamping: word), timeNanoseconds: time, weight: weight, failed: failed)
            return true
        case Self.form(RINGSIDE_ENCODING_NANOSECONDS):
            recorder.insert(nanoseconds: Int64(clamping: word), timeNanoseconds: time, weight: weight, failed: failed)
            return true
        case Self.form(RINGSIDE_ENCODING_NUMBER):
            let value = slot.pointee.numberType.double(word)
            return recorder.insert(value: value, timeNanoseconds: time, weight: weight, failed: failed)
        default: return false
        }
    }

    private static var formMask: UInt32 { UInt32(RINGSIDE_FLAG_KIND_MASK) | UInt32(RINGSIDE_FLAG_ENCODING_MASK) }

    /// Returns the flags of a sample with this encoding.
    @inline(__always)
    private static func form(_ encoding: ringside_encoding) -> UInt32 {
        RINGSIDE_RECORD_SAMPLE.rawValue | encoding.rawValue << UInt32(RINGSIDE_FLAG_ENCODING_SHIFT)
    }

    /// Returns the time of a record. A record without a time of its own gets the time of its read. After a long gap
    /// between two reads, and if reads have no times, it gets the time of the timed record before it, limited to the two
    /// reads between which it was written.
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

    /// Ends a loss. Lost records were written before the loss was noticed, so windows that began later are complete.
    /// The times of the records around them prove nothing.
    private mutating func closeLoss() {
        guard let loss else { return }
        lane.loss.add(lost: loss, from: front.time, to: readAt)
        self.loss = nil
    }
}
