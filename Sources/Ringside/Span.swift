public import CRingside

/// A duration in flight, from ``DurationHistogram/start()``. End it once. A span that is dropped without an end is
/// counted as abandoned, outside the percentiles.
@frozen
public struct Span: ~Copyable {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let span: ringside_span

    @inlinable @inline(__always)
    init(producer: UnsafeMutablePointer<ringside_producer>, span: ringside_span) {
        self.producer = producer
        self.span = span
    }

    @inlinable @inline(__always)
    deinit {
        let span = span
        producer.exclusively { ringside_span_abandon($0, span) }
    }

    /// Ends the span and records it; returns its ticks.
    @inlinable @inline(__always) @discardableResult
    public consuming func end() -> UInt64 {
        let ticks = end(flags: 0)
        discard self
        return ticks
    }

    /// Ends the span as failed: its duration is in the percentiles, and failures are also counted apart. Returns its
    /// ticks.
    @inlinable @inline(__always) @discardableResult
    public consuming func fail() -> UInt64 {
        let ticks = end(flags: UInt32(RINGSIDE_FLAG_FAILED))
        discard self
        return ticks
    }

    @inlinable @inline(__always)
    borrowing func end(flags: UInt32) -> UInt64 {
        let span = span
        return producer.exclusively { ringside_span_end($0, span, flags) }
    }

    /// Discards the span: nothing is recorded or counted.
    @inlinable @inline(__always)
    public consuming func cancel() {
        discard self
    }
}
