public import CRingside

/// A distribution of durations, measured here by any of four shapes: a closure, a ``Span``, a ``Stopwatch``, or by hand.
///
/// Copyable, not `Sendable`: it belongs to the ring's one producer. Inert once its ring is detached. What is returned as
/// `ticks` is the duration as recorded, in ticks of ``TickClock``; 0 when sampling or the operator left it out.
@frozen
public struct DurationHistogram {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let id: UInt32

    init(producer: UnsafeMutablePointer<ringside_producer>, id: UInt32) {
        self.producer = producer
        self.id = id
    }

    /// Runs `body` and records how long it took; one that throws is recorded as failed. 20 ns, of which 20 are the two
    /// clock reads.
    @inlinable @inline(__always)
    public func measure<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = ringside_span_begin(producer, id)
        do throws(Failure) {
            let result = try body()
            ringside_span_end(producer, span, 0)
            return result
        } catch {
            ringside_span_end(producer, span, UInt32(RINGSIDE_FLAG_FAILED))
            throw error
        }
    }

    /// As ``measure(_:)``, and says how long it took.
    @inlinable @inline(__always)
    public func measureTicks<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, ticks: UInt64) {
        let span = ringside_span_begin(producer, id)
        do throws(Failure) {
            let result = try body()
            return (result, ringside_span_end(producer, span, 0))
        } catch {
            ringside_span_end(producer, span, UInt32(RINGSIDE_FLAG_FAILED))
            throw error
        }
    }

    /// Starts a span that is ended by hand, on any path. One clock read, and another at its end.
    @inlinable @inline(__always)
    public func start() -> Span {
        Span(producer: producer, span: ringside_span_begin(producer, id))
    }

    /// Records the time since `start` (from ``Telemetry/now()``). One clock read.
    @inlinable @inline(__always) @discardableResult
    public func record(since start: Instant) -> UInt64 {
        ringside_span_between(producer, id, start.ticks, ringside_now(producer))
    }

    /// Records the time from `start` to `end`. No clock read; an end before its start counts as 0.
    @inlinable @inline(__always) @discardableResult
    public func record(from start: Instant, to end: Instant) -> UInt64 {
        ringside_span_between(producer, id, start.ticks, end.ticks)
    }

    /// Records a duration that was measured elsewhere, in nanoseconds, without a time.
    @inlinable @inline(__always)
    public func record(nanoseconds: UInt64) {
        ringside_duration_ns(producer, id, nanoseconds)
    }
}

@available(*, unavailable, message: "an instrument belongs to its ring's one producer; attach a lane for another thread")
extension DurationHistogram: Sendable {}
