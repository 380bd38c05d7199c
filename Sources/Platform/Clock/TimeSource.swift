internal import CRingside
internal import Glibc

/// Nanoseconds of CLOCK_MONOTONIC, the time axis of the windows.
package typealias MonotonicTime = Int64

/// The collector's clocks; tests supply their own.
package struct TimeSource: Sendable {
    package var monotonic: @Sendable () -> MonotonicTime
    package var unix: @Sendable () -> Int64

    package init(
        monotonic: @escaping @Sendable () -> MonotonicTime, unix: @escaping @Sendable () -> Int64
    ) {
        self.monotonic = monotonic
        self.unix = unix
    }

    /// The wall clock in seconds, with its fraction.
    package var unixSeconds: Double { Double(unix()) / 1e9 }

    /// Reads both clocks at one moment; reads again if the thread was interrupted in between.
    package func both() -> (monotonic: MonotonicTime, unix: Int64) {
        var before = monotonic()
        for _ in 1..<Self.attempts {
            let found = unix()
            let after = monotonic()
            if after - before < Self.togetherNanoseconds { return (before, found) }
            before = after
        }
        return (before, unix())
    }

    private static let attempts = 8
    private static let togetherNanoseconds: Int64 = 1_000_000

    package static let system = TimeSource(
        monotonic: { Int64(bitPattern: ringside_monotonic_ns()) },
        unix: {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        })
}
