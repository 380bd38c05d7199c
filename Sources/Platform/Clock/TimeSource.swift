internal import CRingside
internal import Glibc

/// Nanoseconds of CLOCK_MONOTONIC: the axis on which windows lie.
package typealias MonotonicTime = Int64

/// Where the collector's time comes from; a test hands in its own.
package struct TimeSource: Sendable {
    package var monotonic: @Sendable () -> MonotonicTime
    package var unix: @Sendable () -> Int64

    package init(
        monotonic: @escaping @Sendable () -> MonotonicTime, unix: @escaping @Sendable () -> Int64
    ) {
        self.monotonic = monotonic
        self.unix = unix
    }

    package static let system = TimeSource(
        monotonic: { Int64(bitPattern: ringside_monotonic_ns()) },
        unix: {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        })
}
