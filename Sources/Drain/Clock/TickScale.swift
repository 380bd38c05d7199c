package import Platform
package import RingReader

/// From a life's ticks to nanoseconds of CLOCK_MONOTONIC.
///
/// A straight line through one point where both clocks were read together.
package struct TickScale: Equatable {
    package let originTicks: UInt64
    package let originNanoseconds: Int64
    package let nanosecondsPerTick: Double

    package var secondsPerTick: Double { nanosecondsPerTick * 1e-9 }

    /// When `ticks` was. A tick count that lies decades from the origin is nobody's clock: it is given a time that lies before
    /// or after every window, whatever a tick is said to be worth.
    ///
    /// What is returned lies within 2^62 of 0, so that its distance from the present never overflows.
    @inlinable @inline(__always)
    package func monotonic(_ ticks: UInt64) -> MonotonicTime {
        let distance = Double(Int64(bitPattern: ticks &- originTicks)) * nanosecondsPerTick
        guard distance.magnitude < Self.farthest else { return distance < 0 ? 0 : 1 << 62 }
        return originNanoseconds &+ Int64(distance)
    }

    /// 2^60 nanoseconds, 36 years.
    @usableFromInline static let farthest = 0x1p60

    /// Makes a line of numbers that may be anybody's: the origin is brought within 2^61 of 0, and a length that no tick can
    /// have is taken for a nanosecond.
    package init(originTicks: UInt64, originNanoseconds: Int64, nanosecondsPerTick: Double) {
        self.originTicks = originTicks
        self.originNanoseconds = max(-Self.farthestOrigin, min(Self.farthestOrigin, originNanoseconds))
        self.nanosecondsPerTick = nanosecondsPerTick > 0 && nanosecondsPerTick <= 1e15 ? nanosecondsPerTick : 1
    }

    /// 2^61 nanoseconds, 73 years: Unix times of captures are origins too.
    private static let farthestOrigin: Int64 = 1 << 61

    /// A clock whose ticks are nanoseconds of CLOCK_MONOTONIC.
    package static let nanoseconds = TickScale(originTicks: 0, originNanoseconds: 0, nanosecondsPerTick: 1)
}

/// What says how long a life's ticks are and when they were: this machine's clocks, or those that a capture brought along.
package protocol TickScaleSource: AnyObject {
    /// Grows with every new reading of the clocks: a lane compares it to know that its scale is old.
    var generation: Int { get }

    /// The scale of a life's ticks; nil where they cannot be told.
    func scale(of life: Life, in segment: Segment) -> TickScale?
}
