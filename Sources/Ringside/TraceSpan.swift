public import CRingside

/// A duration in flight with its place in a trace, from ``DurationHistogram/start(in:)``. End it once. A span that is
/// dropped without an end is counted as abandoned, outside the percentiles.
@frozen
public struct TraceSpan: ~Copyable {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    @usableFromInline let span: ringside_traced_span

    @inlinable
    init(producer: UnsafeMutablePointer<ringside_producer>, span: ringside_traced_span) {
        self.producer = producer
        self.span = span
    }

    @inlinable
    deinit {
        let span = span.span
        producer.exclusively { ringside_span_abandon($0, span) }
    }

    /// The context for what this span calls. Spans that begin in it have this span as their parent, and so has the next
    /// program that gets its ``TraceContext/traceparent``. A span that sampling or the operator leaves out passes on
    /// its own parent.
    @inlinable
    public var context: TraceContext {
        var span = span
        return TraceContext(ringside_traced_span_trace(&span))
    }

    /// Ends the span and records it; returns its ticks.
    @inlinable @discardableResult
    public consuming func end() -> UInt64 {
        let ticks = end(flags: 0)
        discard self
        return ticks
    }

    /// Ends the span as failed: its duration is in the percentiles, and failures are also counted apart. Returns its
    /// ticks.
    @inlinable @discardableResult
    public consuming func fail() -> UInt64 {
        let ticks = end(flags: UInt32(RINGSIDE_FLAG_FAILED))
        discard self
        return ticks
    }

    @inlinable
    borrowing func end(flags: UInt32) -> UInt64 {
        var span = span
        return producer.exclusively { ringside_traced_span_end($0, &span, flags) }
    }

    /// Discards the span: nothing is recorded or counted.
    @inlinable
    public consuming func cancel() {
        discard self
    }
}

/// Nested spans, also in the traces of other programs. Each writes two records: its place in the trace, and its
/// duration.
extension DurationHistogram {
    /// Starts a span whose parent is the context's. 24 ns with its end, the clock reads included.
    @inlinable
    public func start(in context: TraceContext) -> TraceSpan {
        var trace = context.trace
        return TraceSpan(
            producer: producer, span: producer.exclusively { ringside_traced_span_begin($0, id, &trace) })
    }

    /// Records the time from `start` to `end` as a span whose parent is the context's.
    @inlinable @discardableResult
    public func record(from start: Instant, to end: Instant, in context: TraceContext) -> UInt64 {
        var trace = context.trace
        return producer.exclusively { ringside_traced_span_between($0, id, start.ticks, end.ticks, &trace) }
    }

    /// Records the time since `start` as a span whose parent is the context's. Costs one clock read.
    @inlinable @discardableResult
    public func record(since start: Instant, in context: TraceContext) -> UInt64 {
        record(from: start, to: Instant(ticks: ringside_now(producer)), in: context)
    }

    /// Runs `body` in a span and records how long it took; a body that throws is recorded as failed.
    ///
    /// - Parameter body: Gets the context for what it calls, see ``TraceSpan/context``.
    @inlinable
    public func measure<Result: ~Copyable, Failure: Error>(
        in context: TraceContext, _ body: (TraceContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = start(in: context)
        do throws(Failure) {
            let result = try body(span.context)
            span.end()
            return result
        } catch {
            span.fail()
            throw error
        }
    }

    /// Runs an asynchronous `body` in a span and in the caller's context, without a hop, and records how long it took,
    /// suspensions included.
    @inlinable
    public nonisolated(nonsending) func measure<Result>(
        in context: TraceContext, _ body: nonisolated(nonsending) (TraceContext) async throws -> Result
    ) async rethrows -> Result {
        let span = start(in: context)
        do {
            let result = try await body(span.context)
            span.end()
            return result
        } catch {
            span.fail()
            throw error
        }
    }
}

extension Histogram {
    /// Records a value in a trace, without a time. 8 ns.
    @inlinable
    public func record(_ value: Double, in context: TraceContext) {
        var trace = context.trace
        producer.exclusively { ringside_traced_value($0, id, value, &trace) }
    }

    /// Records a value in a trace with its time, from ``Telemetry/now()``.
    @inlinable
    public func record(_ value: Double, at time: Instant, in context: TraceContext) {
        var trace = context.trace
        producer.exclusively { ringside_traced_value_at($0, id, value, time.ticks, &trace) }
    }
}
