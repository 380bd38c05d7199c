internal import Drain
internal import CBench
internal import Glibc

/// The length of a tick of the bracket's clock.
enum TickScale {
    /// Measured once against CLOCK_MONOTONIC over 20 ms, with an error of about 1e-5.
    static let nanosecondsPerTick: Double = {
        let (ticks, time) = (bench_ticks(), monotonicNanoseconds())
        while monotonicNanoseconds() - time < 20_000_000 {}
        let elapsed = Double(monotonicNanoseconds() - time)
        return elapsed / Double(bench_ticks() - ticks)
    }()

    static func nanoseconds(_ ticks: Double) -> Double { ticks * nanosecondsPerTick }
    static func ticks(nanoseconds: Double) -> UInt64 { UInt64(nanoseconds / nanosecondsPerTick) }
}

/// Returns CLOCK_MONOTONIC in nanoseconds.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Returns the processor time that the calling thread has had, in nanoseconds.
func threadNanoseconds() -> Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Sleeps for a time, even if signals come.
func sleep(nanoseconds: Int64) {
    let end = monotonicNanoseconds() + nanoseconds
    var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
