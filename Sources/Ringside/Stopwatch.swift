public import CRingside

/// A chain of stages: each ends where the next begins, at one clock read a stage.
///
/// ```swift
/// var watch = telemetry.stopwatch()
/// book.apply(tick);           watch.lap(into: bookUpdate)
/// let signal = model.update() ; watch.lap(into: signalGeneration)
/// ```
///
/// Keep it in a local `var`: in a class property every lap would pay for dynamic exclusivity checks.
@frozen
public struct Stopwatch {
    @usableFromInline let producer: UnsafeMutablePointer<ringside_producer>
    /// The beginning of the stage that runs now.
    @usableFromInline var stageStart: Instant

    @inlinable @inline(__always)
    init(producer: UnsafeMutablePointer<ringside_producer>) {
        self.producer = producer
        self.stageStart = Instant(ticks: ringside_now(producer))
    }

    /// Ends the stage, records it in `histogram` and begins the next; returns the stage's ticks. 10 ns.
    @inlinable @inline(__always) @discardableResult
    public mutating func lap(into histogram: DurationHistogram, trace: UInt64 = 0) -> UInt64 {
        let stage = histogram.endStage(from: stageStart, trace)
        stageStart = Instant(ticks: stage.end)
        return stage.ticks
    }

    /// Begins a stage now and discards the one before. 10 ns.
    @inlinable @inline(__always)
    public mutating func restart() {
        stageStart = Instant(ticks: ringside_now(producer))
    }
}

@available(*, unavailable, message: "a stopwatch belongs to its ring's one producer; attach a lane for another thread")
extension Stopwatch: Sendable {}
