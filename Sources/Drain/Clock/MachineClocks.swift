internal import CRingside
internal import Glibc
package import Platform
package import RingReader

/// A reading of all of a machine's clocks at one moment.
package struct ClockReading: Equatable, Sendable {
    package var ticks: UInt64
    /// CLOCK_MONOTONIC in nanoseconds: slewed by NTP, never stepped, stopped while the machine is suspended.
    package var monotonic: MonotonicTime
    /// CLOCK_BOOTTIME in nanoseconds: the same, but it continues during a suspend.
    package var bootTime: Int64
    /// CLOCK_REALTIME in nanoseconds since the Unix epoch: it continues during a suspend, and is stepped when it is
    /// set.
    package var unix: Int64
    /// The greatest difference in time between `ticks` and `monotonic`, in nanoseconds.
    package var uncertainty: Int64

    package init(ticks: UInt64, monotonic: MonotonicTime, bootTime: Int64, unix: Int64, uncertainty: Int64) {
        self.ticks = ticks
        self.monotonic = monotonic
        self.bootTime = bootTime
        self.unix = unix
        self.uncertainty = uncertainty
    }
}

/// The source of a calibration's readings: the machine, or a test.
package protocol MachineClocks: AnyObject {
    /// The clock whose ticks are read; `monotonic` if the machine has none that can be trusted.
    var kind: Life.Clock { get }

    /// Measures the ticks' rate for the first time, as well as it can be done at once.
    func ticksPerSecond() -> Double

    /// Reads the ticks, and CLOCK_MONOTONIC right after them.
    func glance() -> (ticks: UInt64, monotonic: MonotonicTime)

    /// Reads all clocks, as close together as several tries allow.
    func read() -> ClockReading
}

/// The clocks of this machine. Cost: a glance 35 ns, a reading some 2 us; the first measurement of the rate waits 5 ms,
/// once a process.
package final class SystemClocks: MachineClocks {
    package let kind: Life.Clock
    private let rawKind: UInt32
    private let nanosecondsPerTick: Double

    /// The number of tries of one reading; the least disturbed one is used.
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

    /// Reads CLOCK_MONOTONIC between two reads of the ticks; the middle of the two is used.
    private func readTicks() -> (ticks: UInt64, monotonic: MonotonicTime, bracket: UInt64) {
        let before = ringside_ticks(rawKind)
        let monotonic = Self.nanoseconds(CLOCK_MONOTONIC)
        let bracket = ringside_ticks(rawKind) &- before
        return (before &+ bracket / 2, monotonic, bracket)
    }

    /// Returns how far the two other clocks are ahead of CLOCK_MONOTONIC.
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
