import Ringside
import RingsideCatalogue

// The demo emits only through these types. Each call goes to the library and, if a report is asked for, into a note
// beside it. `--report` and `--exact` are made from the notes.

/// The values emitted into one histogram.
struct HistogramNote {
    var count: UInt64 = 0
    /// Ticks or nanoseconds, whichever the histogram records; exact.
    var integerSum: UInt64 = 0
    var realSum = 0.0
    /// Every value as it was recorded: an integer, or the bits of a Double. Empty unless `keepsValues`.
    var values: [UInt64] = []
    let keepsValues: Bool

    init(keepsValues: Bool) {
        self.keepsValues = keepsValues
        if keepsValues { values.reserveCapacity(1 << 14) }
    }

    @inline(__always)
    mutating func add(_ integer: UInt64) {
        count += 1
        integerSum &+= integer
        if keepsValues { values.append(integer) }
    }

    @inline(__always)
    mutating func add(_ real: Double) {
        count += 1
        realSum += real
        if keepsValues { values.append(real.bitPattern) }
    }
}

struct RecordedCounter {
    let counter: Counter
    let note: UnsafeMutablePointer<UInt64>?

    @inline(__always)
    func increment(by amount: UInt64 = 1) {
        counter.increment(by: amount)
        if let note { note.pointee &+= amount }
    }
}

struct RecordedFractionalCounter {
    let counter: FractionalCounter
    let note: UnsafeMutablePointer<Double>?

    /// Adds an amount that is not negative.
    @inline(__always)
    func increment(by amount: Double) {
        counter.increment(by: amount)
        if let note { note.pointee += amount }
    }
}

struct RecordedUpDownCounter {
    let counter: UpDownCounter
    let note: UnsafeMutablePointer<Int64>?

    @inline(__always)
    func add(_ amount: Int64) {
        counter.add(amount)
        if let note { note.pointee &+= amount }
    }
}

struct RecordedGauge {
    let gauge: Gauge
    /// NaN while unset.
    let note: UnsafeMutablePointer<Double>?

    @inline(__always)
    func set(_ value: Double) {
        gauge.set(value)
        if let note, !value.isNaN { note.pointee = value }
    }
}

/// The memory of a part of the bot.
struct RecordedMemory {
    let memory: MemoryGauge
    /// NaN while unset.
    let note: UnsafeMutablePointer<Double>?

    func measure() {
        guard let bytes = memory.measure() else { return }
        note?.pointee = Double(bytes)
    }
}

/// A histogram of numbers in the metric's own unit.
struct RecordedHistogram {
    let histogram: Histogram
    let note: UnsafeMutablePointer<HistogramNote>?

    /// Records a value without a time. It belongs to the timed record before it.
    @inline(__always)
    func record(_ value: Double) {
        histogram.record(value)
        note?.pointee.add(value)
    }

    @inline(__always)
    func record(_ value: Double, at time: Instant, trace: UInt64) {
        histogram.record(value, at: time, trace: trace)
        note?.pointee.add(value)
    }
}

/// A histogram of durations, noted in the ticks that were recorded.
struct RecordedDuration {
    let histogram: DurationHistogram
    let note: UnsafeMutablePointer<HistogramNote>?

    /// Measures a closure.
    @inline(__always)
    func measure<Result>(_ body: () -> Result) -> Result {
        guard let note else { return histogram.measure(body) }
        let (result, ticks) = histogram.measureTicks(body)
        note.pointee.add(ticks)
        return result
    }

    /// Starts a span.
    @inline(__always)
    func start(trace: UInt64 = 0) -> RecordedSpan { RecordedSpan(span: histogram.start(trace: trace), note: note) }

    /// Ends a stage of a stopwatch.
    @inline(__always)
    func lap(_ watch: inout Stopwatch) {
        let ticks = watch.lap(into: histogram)
        note?.pointee.add(ticks)
    }

    /// Records a duration between two times taken by hand.
    @inline(__always)
    func record(from start: Instant, to end: Instant, trace: UInt64 = 0) {
        let ticks = histogram.record(from: start, to: end, trace: trace)
        note?.pointee.add(ticks)
    }
}

/// A histogram of durations that were measured on another clock, noted in nanoseconds.
struct RecordedNanoseconds {
    let histogram: DurationHistogram
    let note: UnsafeMutablePointer<HistogramNote>?

    @inline(__always)
    func record(_ nanoseconds: UInt64) {
        histogram.record(nanoseconds: nanoseconds)
        note?.pointee.add(nanoseconds)
    }
}

/// A duration in flight. A dropped span is abandoned and not noted.
struct RecordedSpan: ~Copyable {
    private let span: Span
    private let note: UnsafeMutablePointer<HistogramNote>?

    @inline(__always)
    fileprivate init(span: consuming Span, note: UnsafeMutablePointer<HistogramNote>?) {
        self.span = span
        self.note = note
    }

    @inline(__always)
    consuming func end() {
        let note = note
        let ticks = span.end()
        note?.pointee.add(ticks)
    }

    /// Ends the span as failed. It is in the percentiles all the same.
    @inline(__always)
    consuming func fail() {
        let note = note
        let ticks = span.fail()
        note?.pointee.add(ticks)
    }
}
