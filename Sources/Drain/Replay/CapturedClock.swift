internal import Platform
internal import RingReader

/// The ticks of a captured ring in nanoseconds since the Unix epoch, told by nothing but what the capture holds: the same on
/// every machine and at any time.
///
/// Captures of one run of a machine lie on one line: the wall clock's distance from CLOCK_MONOTONIC is taken from the last of
/// them, so that a wall clock that was stepped in between moves no record.
final class CapturedClock: TickScaleSource {
    /// Nothing is ever measured again.
    let generation = 0
    private let clocks: ClockReference
    private let unixOffset: Int64

    /// - Parameter captures: All that are replayed together, this one included.
    init(_ capture: CaptureEnvelope, among captures: [CaptureEnvelope]) {
        clocks = capture.clocks
        let ofOneRun = captures.map(\.clocks).filter { $0.bootID == capture.clocks.bootID }
        let last = ofOneRun.max { $0.monotonicNanoseconds < $1.monotonicNanoseconds } ?? capture.clocks
        unixOffset = Int64(bitPattern: last.unixNanoseconds &- last.monotonicNanoseconds)
    }

    /// When the capture was taken.
    var capturedAt: MonotonicTime { unixOffset &+ Int64(bitPattern: clocks.monotonicNanoseconds) }

    func scale(of life: Life, in segment: Segment) -> TickScale? {
        guard life.clock != .none, let clock = segment.clock(of: life), clock.ticksPerSecond > 0 else { return nil }
        let nanosecondsPerTick = 1e9 / clock.ticksPerSecond
        if clock.source == .captured {
            return TickScale(
                originTicks: clocks.ticks, originNanoseconds: capturedAt, nanosecondsPerTick: nanosecondsPerTick)
        }
        // By the life's own anchor; of another run of the machine nothing else is known.
        let origin =
            segment.bootID == clocks.bootID
            ? unixOffset &+ Int64(bitPattern: life.anchorMonotonicNanoseconds)
            : Int64(bitPattern: life.anchorUnixNanoseconds)
        return TickScale(
            originTicks: life.anchorTicks, originNanoseconds: min(max(origin, -1 << 60), 1 << 62),
            nanosecondsPerTick: nanosecondsPerTick)
    }
}
