internal import Glibc

/// CLOCK_REALTIME in nanoseconds: what lies in a queue is dated by it, since it outlives the machine's run.
func unixNow() -> Int64 { TimeSource.system.unix() }

/// CLOCK_MONOTONIC in nanoseconds.
func monotonicNow() -> Int64 { TimeSource.system.monotonic() }

/// RFC 3339, UTC, with milliseconds.
func rfc3339(unixNanoseconds: Int64) -> String {
    let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rfc3339(timespec(tv_sec: Int(seconds), tv_nsec: Int(rest)))
}
