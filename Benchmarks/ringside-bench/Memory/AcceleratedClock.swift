internal import Drain
internal import Platform
internal import RingReader
internal import Ringside
internal import Synchronization

/// The machine's clocks, all set ahead by the same time. A collector that reads them lives through hours in seconds.
final class AcceleratedClock: MachineClocks {
    private let system = SystemClocks()
    private let ahead = Ahead()
    private let ticksPerNanosecond: Double

    private final class Ahead: Sendable {
        let nanoseconds = Atomic<Int64>(0)
    }

    init() { ticksPerNanosecond = system.ticksPerSecond() / 1e9 }

    /// Sets the clocks ahead.
    func advance(by nanoseconds: Int64) { ahead.nanoseconds.add(nanoseconds, ordering: .relaxed) }

    private var aheadNanoseconds: Int64 { ahead.nanoseconds.load(ordering: .relaxed) }

    private var aheadTicks: UInt64 { UInt64(Double(aheadNanoseconds) * ticksPerNanosecond) }

    /// The present moment of a bot's clock.
    var instant: Instant { Instant(ticks: system.glance().ticks &+ aheadTicks) }

    /// The time source for a collector that goes by this clock.
    var source: TimeSource {
        let (real, ahead) = (TimeSource.system, ahead)
        return TimeSource(
            monotonic: { real.monotonic() + ahead.nanoseconds.load(ordering: .relaxed) },
            unix: { real.unix() + ahead.nanoseconds.load(ordering: .relaxed) })
    }

    var kind: Life.Clock { system.kind }

    func ticksPerSecond() -> Double { system.ticksPerSecond() }

    func glance() -> (ticks: UInt64, monotonic: MonotonicTime) {
        let (ticks, monotonic) = system.glance()
        return (ticks &+ aheadTicks, monotonic + aheadNanoseconds)
    }

    func read() -> ClockReading {
        var reading = system.read()
        reading.ticks &+= aheadTicks
        reading.monotonic += aheadNanoseconds
        reading.bootTime += aheadNanoseconds
        reading.unix += aheadNanoseconds
        return reading
    }
}
