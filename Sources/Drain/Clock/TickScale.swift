package import Platform
package import RingReader

/// The conversion from a life's ticks to nanoseconds of CLOCK_MONOTONIC.
///
/// It is a straight line through one point at which both clocks were read together.
package struct TickScale: Equatable {
    package let originTicks: UInt64
    package let originNanoseconds: Int64
    package let nanosecondsPerTick: Double

    package var secondsPerTick: Double { nanosecondsPerTick * 1e-9 }

    /// Returns the time of `ticks`. A tick count decades away from the origin is not from a clock: its time becomes one
    /// before or after every window, whatever the length of a tick is.
    ///
    /// The result is within 2^62 of 0, so that its distance from the present never overflows.
    @inlinable @inline(__always)
    package func monotonic(_ ticks: UInt64) -> MonotonicTime {
        let distance = Double(Int64(bitPattern: ticks &- originTicks)) * nanosecondsPerTick
        guard distance.magnitude < Self.farthest else { return distance < 0 ? 0 : 1 << 62 }
        return originNanoseconds &+ Int64(distance)
    }

    /// 2^60 nanoseconds, 36 years.
    @usableFromInline static let farthest = 0x1p60

    /// Makes a line of untrusted numbers: the origin is limited to 2^61, and an impossible length of a tick is replaced
    /// by a nanosecond.
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

/// A source of scales for lives: this machine's clocks, or those of a capture.
package protocol TickScaleSource: AnyObject {
    /// Increases with every new reading of the clocks, so that a lane knows that its scale is outdated.
    var generation: Int { get }

    /// Returns the scale of a life's ticks; nil if it is unknown.
    func scale(of life: Life, in segment: Segment) -> TickScale?
}
