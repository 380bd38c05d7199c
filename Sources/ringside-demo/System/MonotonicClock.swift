internal import Glibc

/// Returns nanoseconds of CLOCK_MONOTONIC, by clock_gettime(2) without a system call.
func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Sleeps for a time, or less if a signal interrupts it.
func sleepNanoseconds(_ nanoseconds: Int64) {
    var time = timespec(nanoseconds: nanoseconds)
    nanosleep(&time, nil)
}

extension timespec {
    init(nanoseconds: Int64) {
        let (seconds, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(tv_sec: Int(seconds), tv_nsec: Int(rest))
    }
}
