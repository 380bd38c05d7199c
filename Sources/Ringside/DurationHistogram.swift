public import CRingside

/// A distribution of durations, measured here by any of these shapes: a closure (``measure(trace:_:)``), a wrapped function
/// (``measured(_:)``), a ``Span``, a ``Stopwatch``, or by hand.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached. What is returned is the
/// duration in ticks of ``TickClock``, whether it was written or left out; 0 where it was not measured, because a closure or
/// a span that is left out by sampling or by the operator reads no clock. A `trace` ties the records of one order together
/// across instruments and lanes; 0 is none.
@frozen
public struct DurationHistogram: Instrument {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Starts a span that is ended by hand, on any path. One clock read, and another at its end.
    @inlinable @inline(__always)
    public func start(trace: UInt64 = 0) -> Span {
        Span(producer: producer, span: begin(trace))
    }

    /// Records the time since `start` (from ``Telemetry/now()``). One clock read.
    @inlinable @inline(__always) @discardableResult
    public func record(since start: Instant, trace: UInt64 = 0) -> UInt64 {
        producer.exclusively { ringside_span_between($0, id, start.ticks, ringside_now($0), trace) }
    }

    /// Records the time from `start` to `end`. No clock read; an end before its start counts as 0.
    @inlinable @inline(__always) @discardableResult
    public func record(from start: Instant, to end: Instant, trace: UInt64 = 0) -> UInt64 {
        producer.exclusively { ringside_span_between($0, id, start.ticks, end.ticks, trace) }
    }

    /// Records a duration that was measured elsewhere, in nanoseconds, without a time.
    @inlinable @inline(__always)
    public func record(nanoseconds: UInt64, trace: UInt64 = 0) {
        producer.exclusively { ringside_duration_ns($0, id, nanoseconds, trace) }
    }

    @inlinable @inline(__always)
    func begin(_ trace: UInt64) -> ringside_span {
        producer.exclusively { ringside_span_begin($0, id, trace) }
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
