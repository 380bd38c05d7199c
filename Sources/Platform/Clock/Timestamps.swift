internal import Glibc

/// Returns CLOCK_REALTIME in nanoseconds: for times that are shown or sent, never for waiting.
package func unixNow() -> Int64 { TimeSource.system.unix() }

/// Returns CLOCK_MONOTONIC in nanoseconds.
package func monotonicNow() -> Int64 { TimeSource.system.monotonic() }

/// Sleeps until a time on CLOCK_MONOTONIC in nanoseconds, through signals.
package func sleep(untilMonotonic deadline: Int64) {
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}

/// Formats a time as RFC 3339, in UTC with milliseconds.
package func rfc3339(unixNanoseconds: Int64) -> String {
    let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rfc3339(timespec(tv_sec: Int(seconds), tv_nsec: Int(rest)))
}

/// Formats a time in UTC with milliseconds: `2025-01-02T03:04:05.678Z` (RFC 3339).
func rfc3339(_ time: timespec) -> String {
    var seconds = time.tv_sec
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ value: Int, _ count: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date =
        "\(digits(Int(parts.tm_year) + 1900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))"
    let clock = "\(digits(Int(parts.tm_hour), 2)):\(digits(Int(parts.tm_min), 2)):\(digits(Int(parts.tm_sec), 2))"
    return "\(date)T\(clock).\(digits(Int(time.tv_nsec) / 1_000_000, 3))Z"
}
