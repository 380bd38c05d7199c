internal import CRingside
internal import Glibc
package import Platform
package import RingReader

/// A machine's clocks, read as one.
package struct ClockReading: Equatable, Sendable {
    package var ticks: UInt64
    /// CLOCK_MONOTONIC in nanoseconds: slewed by NTP, never stepped, stands still while the machine is suspended.
    package var monotonic: MonotonicTime
    /// CLOCK_BOOTTIME in nanoseconds: the same, and goes on meanwhile.
    package var bootTime: Int64
    /// CLOCK_REALTIME in nanoseconds since the Unix epoch: goes on meanwhile, and is stepped when somebody sets it.
    package var unix: Int64
    /// By how much `ticks` and `monotonic` may be apart, in nanoseconds.
    package var uncertainty: Int64

    package init(ticks: UInt64, monotonic: MonotonicTime, bootTime: Int64, unix: Int64, uncertainty: Int64) {
        self.ticks = ticks
        self.monotonic = monotonic
        self.bootTime = bootTime
        self.unix = unix
        self.uncertainty = uncertainty
    }
}

/// Where a calibration's readings come from: the machine, or a test.
package protocol MachineClocks: AnyObject {
    /// The clock whose ticks are read; `monotonic` where the machine has none that can be trusted.
    var kind: Life.Clock { get }

    /// A first measurement of the ticks' rate, as good as it can be had at once.
    func ticksPerSecond() -> Double

    /// Ticks and CLOCK_MONOTONIC, one read right after the other.
    func glance() -> (ticks: UInt64, monotonic: MonotonicTime)

    /// All clocks, as close together as several tries bring them.
    func read() -> ClockReading
}

/// The clocks of this machine. Cost: a glance 35 ns, a reading some 2 us; the first rate waits 5 ms, once a process.
package final class SystemClocks: MachineClocks {
    package let kind: Life.Clock
    private let rawKind: UInt32
    private let nanosecondsPerTick: Double

    /// Tries of one reading, of which the one that was disturbed least counts.
    private static let attempts = 16

    package init() {
        rawKind = ringside_clock_kind().rawValue
        kind = Life.Clock(rawValue: rawKind) ?? .monotonic
        nanosecondsPerTick = 1e9 / ringside_clock_ticks_per_second()
    }

    package func ticksPerSecond() -> Double { ringside_clock_ticks_per_second() }

    package func glance() -> (ticks: UInt64, monotonic: MonotonicTime) {
        (ringside_ticks(rawKind), Self.nanoseconds(CLOCK_MONOTONIC))
    }

    package func read() -> ClockReading {
        var best = readTicks()
        for _ in 1..<Self.attempts {
            let next = readTicks()
            if next.bracket < best.bracket { best = next }
        }
        let (bootTime, unix) = readOffsets()
        return ClockReading(
            ticks: best.ticks, monotonic: best.monotonic, bootTime: best.monotonic + bootTime,
            unix: best.monotonic + unix,
            uncertainty: Int64(Double(min(best.bracket, 1 << 52)) * nanosecondsPerTick))
    }

    /// CLOCK_MONOTONIC between two reads of the ticks; the ticks lie in the middle.
    private func readTicks() -> (ticks: UInt64, monotonic: MonotonicTime, bracket: UInt64) {
        let before = ringside_ticks(rawKind)
        let monotonic = Self.nanoseconds(CLOCK_MONOTONIC)
        let bracket = ringside_ticks(rawKind) &- before
        return (before &+ bracket / 2, monotonic, bracket)
    }

    /// How far the two other clocks are ahead of CLOCK_MONOTONIC.
    private func readOffsets() -> (bootTime: Int64, unix: Int64) {
        var best = (bootTime: Int64(0), unix: Int64(0))
        var shortest = Int64.max
        for _ in 0..<Self.attempts {
            let before = Self.nanoseconds(CLOCK_MONOTONIC)
            let (bootTime, unix) = (Self.nanoseconds(CLOCK_BOOTTIME), Self.nanoseconds(CLOCK_REALTIME))
            let bracket = Self.nanoseconds(CLOCK_MONOTONIC) - before
            guard bracket < shortest else { continue }
            shortest = bracket
            best = (bootTime - before - bracket / 2, unix - before - bracket / 2)
        }
        return best
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
