import Platform
import Drain
import RingReader
import TestSupport

/// A machine's clocks under the control of a test. CLOCK_MONOTONIC is the truth here. The rate of the ticks beside it
/// changes like a crystal's rate and NTP's slewing. The readings of both are a little apart, and now and then far
/// apart.
final class FakeClocks: MachineClocks {
    let kind: Life.Clock
    /// Nanoseconds since the start, as a fraction, so that no error adds up.
    private(set) var elapsed: Double = 0
    private var tickCount: Double = 3e12
    private var slept: Int64 = 0
    private var wallOffset: Int64 = 1_700_000_000_000_000_000
    private var random: SeededGenerator
    /// Whether the readings are exact.
    var isExact = false

    private static let nominalTicksPerNanosecond = 2.4
    private static let start: Int64 = 50_000_000_000

    init(kind: Life.Clock = .tsc, seed: UInt64) {
        self.kind = kind
        random = SeededGenerator(seed: seed)
    }

    var monotonic: MonotonicTime { Self.start + Int64(elapsed) }
    var ticks: UInt64 { kind == .monotonic ? UInt64(monotonic) : UInt64(tickCount) }

    /// Lets time pass.
    ///
    /// - Parameter drift: The relative excess of ticks a nanosecond.
    func advance(nanoseconds: Double, drift: Double) {
        elapsed += nanoseconds
        tickCount += nanoseconds * Self.nominalTicksPerNanosecond * (1 + drift)
    }

    /// The behaviour of the ticks while the machine sleeps.
    enum Sleep { case ticksStop, ticksGoOn, ticksRestart }

    func suspend(seconds: Double, _ sleep: Sleep) {
        slept += Int64(seconds * 1e9)
        switch sleep {
        case .ticksStop: break
        case .ticksGoOn: tickCount += seconds * 1e9 * Self.nominalTicksPerNanosecond
        case .ticksRestart: tickCount = 1e6
        }
    }

    func stepWallClock(seconds: Double) { wallOffset += Int64(seconds * 1e9) }

    /// Returns the rate as a measurement of 5 ms gives it, which is 1e-5 off.
    func ticksPerSecond() -> Double { Self.nominalTicksPerNanosecond * 1e9 * (1 + 1e-5) }

    func glance() -> (ticks: UInt64, monotonic: MonotonicTime) {
        // One in 200 readings is interrupted in the middle.
        let apart: Double = isExact ? 0 : random.uniform() < 0.005 ? 100_000 * random.uniform() : 30 * random.uniform()
        return (ticks, monotonic + Int64(apart))
    }

    func read() -> ClockReading {
        // One in 50 readings was disturbed in all its tries.
        let bracket: Double = isExact ? 0 : random.uniform() < 0.02 ? 10_000 * random.uniform() : 80
        let apart = (random.uniform() - 0.5) * bracket
        let seen = monotonic + Int64(apart.rounded())
        return ClockReading(
            ticks: ticks, monotonic: seen, bootTime: seen + slept, unix: seen + slept + wallOffset,
            uncertainty: Int64(bracket))
    }
}

extension SeededGenerator {
    fileprivate mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }
}
