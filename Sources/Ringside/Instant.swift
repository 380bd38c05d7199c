internal import CRingside

/// A moment in ticks of the process' telemetry clock (time-stamp counter, virtual counter or CLOCK_MONOTONIC).
@frozen
public struct Instant: Sendable, Hashable, Comparable {
    public let ticks: UInt64

    @inlinable @inline(__always)
    public init(ticks: UInt64) {
        self.ticks = ticks
    }

    @inlinable
    public static func < (a: Instant, b: Instant) -> Bool { a.ticks < b.ticks }
}

/// The length of this process' tick.
public enum TickClock {
    /// The number of ticks a second, measured against CLOCK_MONOTONIC since the process first asked (at its first
    /// attach). It is off by some 1e-5 after 5 ms and by less than 1e-7 after a second. Cold: reads the clocks some 16
    /// times.
    public static var ticksPerSecond: Double { ringside_clock_ticks_per_second() }
}
