import Glibc

/// Ends a wait that does not end by itself. The test fails with the error thrown, and goes on to its clean-up.
package enum Watchdog {
    package struct Expired: Error, CustomStringConvertible {
        package let description: String
    }

    /// Waits until `condition` holds, and checks it every millisecond.
    ///
    /// - Parameters:
    ///   - what: The awaited event, for the error.
    ///   - limitSeconds: The time limit, generous as a loaded machine may be slow; default 60.
    /// - Throws: ``Expired``, or the error of `condition`.
    package static func wait(
        for what: @autoclosure () -> String, limitSeconds: Double = 60, until condition: () throws -> Bool
    ) throws {
        let limit = monotonicNanoseconds() + UInt64(limitSeconds * 1e9)
        while try !condition() {
            guard monotonicNanoseconds() < limit else {
                throw Expired(description: "waited \(limitSeconds) s in vain for \(what())")
            }
            usleep(1000)
        }
    }
}

/// Returns CLOCK_MONOTONIC in nanoseconds.
package func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
