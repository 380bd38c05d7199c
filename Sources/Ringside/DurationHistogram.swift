public import CRingside

/// A distribution of durations. A duration is measured by a closure (``measure(trace:_:)``), a wrapped function
/// (``measured(_:)``), a ``Span``, a ``Stopwatch``, or by hand.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached. Its calls return
/// the duration in ticks of ``TickClock``, whether or not a record was written. They return 0 if nothing was measured,
/// because a closure or a span that sampling or the operator leaves out reads no clock. A `trace` ties the records of
/// one order together across instruments and lanes; 0 means no trace.
@frozen
public struct DurationHistogram: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Starts a span that the caller ends, on any path. Costs one clock read, and another at its end.
    @inlinable @inline(__always)
    public func start(trace: UInt64 = 0) -> Span {
        Span(producer: producer, span: begin(trace))
    }

    /// Records the time since `start` (from ``Telemetry/now()``). Costs one clock read.
    @inlinable @inline(__always) @discardableResult
    public func record(since start: Instant, trace: UInt64 = 0) -> UInt64 {
        endStage(from: start, trace).ticks
    }

    /// Records the time from `start` to `end`. Reads no clock. An end before its start counts as 0.
    @inlinable @inline(__always) @discardableResult
    public func record(from start: Instant, to end: Instant, trace: UInt64 = 0) -> UInt64 {
        producer.exclusively { ringside_span_between($0, id, start.ticks, end.ticks, trace) }
    }

    /// Records a duration that was measured elsewhere, in nanoseconds. The record has no time.
    @inlinable @inline(__always)
    public func record(nanoseconds: UInt64, trace: UInt64 = 0) {
        producer.exclusively { ringside_duration_ns($0, id, nanoseconds, trace) }
    }

    /// Records a duration that was measured elsewhere, to the nanosecond. The record has no time. A negative duration
    /// counts as 0, and one of more than 584 years as 2^64 - 1 ns.
    @inlinable @inline(__always)
    public func record(_ duration: Duration, trace: UInt64 = 0) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carries) = whole.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000))
        record(nanoseconds: overflows || carries ? .max : sum, trace: trace)
    }

    /// A histogram without a ring, for a registration that failed: every call does nothing.
    public static var disabled: DurationHistogram { DurationHistogram(producer: ringside_inert(), id: 0) }

    @inlinable @inline(__always)
    func begin(_ trace: UInt64) -> ringside_span {
        producer.exclusively { ringside_span_begin($0, id, trace) }
    }

    @inlinable @inline(__always)
    func endStage(from start: Instant, _ trace: UInt64) -> ringside_stage {
        producer.exclusively { ringside_stage_end($0, id, start.ticks, trace) }
    }

    @inlinable @inline(__always) @discardableResult
    func end(_ span: ringside_span, failed: Bool) -> UInt64 {
        producer.exclusively { ringside_span_end($0, span, failed ? UInt32(RINGSIDE_FLAG_FAILED) : 0) }
    }
}

@available(
    *, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread"
)
extension DurationHistogram: Sendable {}
