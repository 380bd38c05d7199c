internal import CRingside
package import RingReader

/// From a life's ticks to nanoseconds of CLOCK_MONOTONIC.
///
/// A straight line through one point where both clocks were read together. Its slope is measured over as long as this
/// process runs, so that it is off by less than 1e-7 after the first second.
package struct TickScale: Equatable {
    package let originTicks: UInt64
    package let originNanoseconds: Int64
    package let nanosecondsPerTick: Double

    package var secondsPerTick: Double { nanosecondsPerTick * 1e-9 }

    /// When `ticks` was. A tick count further than 2^52 from the origin (weeks) is nobody's clock: it is given a time that
    /// lies before or after every window.
    @inlinable @inline(__always)
    package func monotonic(_ ticks: UInt64) -> MonotonicTime {
        let distance = Int64(bitPattern: ticks &- originTicks)
        guard distance.magnitude < 1 << 52 else { return distance < 0 ? 0 : Int64.max / 2 }
        return originNanoseconds &+ Int64(Double(distance) * nanosecondsPerTick)
    }

    @usableFromInline
    init(originTicks: UInt64, originNanoseconds: Int64, nanosecondsPerTick: Double) {
        self.originTicks = originTicks
        self.originNanoseconds = originNanoseconds
        self.nanosecondsPerTick = nanosecondsPerTick
    }

    /// A clock whose ticks are nanoseconds of CLOCK_MONOTONIC.
    package static let nanoseconds = TickScale(originTicks: 0, originNanoseconds: 0, nanosecondsPerTick: 1)
}

/// The collector's own reading of the machine's clocks, taken anew every second.
package final class TickCalibration {
    private let kind: ringside_clock_kind
    private var scale: TickScale
    private var nextNanoseconds: Int64
    /// Grows with every new reading: lanes compare it to know that their scale is old.
    package private(set) var generation = 0

    package static let intervalNanoseconds: Int64 = 1_000_000_000

    package init() {
        kind = ringside_clock_kind()
        scale = Self.measure(kind)
        nextNanoseconds = scale.originNanoseconds + Self.intervalNanoseconds
    }

    private static func measure(_ kind: ringside_clock_kind) -> TickScale {
        if kind == RINGSIDE_CLOCK_MONOTONIC { return .nanoseconds }
        let ticksPerSecond = ringside_clock_ticks_per_second()
        let anchor = ringside_clock_anchor(kind)
        return TickScale(
            originTicks: anchor.ticks, originNanoseconds: Int64(bitPattern: anchor.monotonic_ns),
            nanosecondsPerTick: 1e9 / ticksPerSecond)
    }

    package func refresh(now: MonotonicTime) {
        guard now >= nextNanoseconds else { return }
        scale = Self.measure(kind)
        nextNanoseconds = now + Self.intervalNanoseconds
        generation += 1
    }

    /// The scale of a life's ticks; nil where they cannot be told: a life without a clock, or a clock that this machine
    /// does not have and whose rate its producer never said.
    package func scale(of life: Life, ticksPerSecond: UInt64, isThisBoot: Bool) -> TickScale? {
        if isThisBoot && life.clock == .monotonic { return .nanoseconds }
        if isThisBoot && life.clock.rawValue == kind.rawValue { return scale }
        guard life.clock != .none, ticksPerSecond > 0 else { return nil }
        // Another boot's ticks keep their length; their times lie before every window.
        return TickScale(
            originTicks: life.anchorTicks,
            originNanoseconds: isThisBoot ? Int64(clamping: life.anchorMonotonicNanoseconds) : -(1 << 60),
            nanosecondsPerTick: 1e9 / Double(ticksPerSecond))
    }
}
