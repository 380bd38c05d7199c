internal import Platform
internal import RingReader

/// Converts the ticks of a captured ring to nanoseconds since the Unix epoch. It uses only the content of the capture,
/// so that the result is the same on every machine and at any time.
///
/// Captures of one boot share one line: the difference of the wall clock and CLOCK_MONOTONIC is taken from the last of
/// them. So a step of the wall clock between the captures moves no record.
final class CapturedClock: TickScaleSource {
    /// Constant, because the clock is never measured again.
    let generation = 0
    private let clocks: ClockReference
    private let unixOffset: Int64

    /// - Parameter captures: All captures that are replayed together, this one included.
    init(_ capture: CaptureEnvelope, among captures: [CaptureEnvelope]) {
        clocks = capture.clocks
        let ofOneRun = captures.map(\.clocks).filter { $0.bootID == capture.clocks.bootID }
        let last = ofOneRun.max { $0.monotonicNanoseconds < $1.monotonicNanoseconds } ?? capture.clocks
        unixOffset = Int64(bitPattern: last.unixNanoseconds &- last.monotonicNanoseconds)
    }

    /// The time of the capture.
    var capturedAt: MonotonicTime { unixOffset &+ Int64(bitPattern: clocks.monotonicNanoseconds) }

    func scale(of life: Life, in segment: Segment) -> TickScale? {
        guard life.clock != .none, let clock = segment.clock(of: life), clock.ticksPerSecond > 0 else { return nil }
        let nanosecondsPerTick = 1e9 / clock.ticksPerSecond
        if clock.source == .captured {
            return TickScale(
                originTicks: clocks.ticks, originNanoseconds: capturedAt, nanosecondsPerTick: nanosecondsPerTick)
        }
        // The line goes through the life's own anchor. For another boot, nothing else is known.
        let origin =
            segment.bootID == clocks.bootID
            ? unixOffset &+ Int64(bitPattern: life.anchorMonotonicNanoseconds)
            : Int64(bitPattern: life.anchorUnixNanoseconds)
        return TickScale(
            originTicks: life.anchorTicks, originNanoseconds: min(max(origin, -1 << 60), 1 << 62),
            nanosecondsPerTick: nanosecondsPerTick)
    }
}
