import Glibc
import Ringside

/// Attaches ten new rings while a timer interrupts every system call that can be interrupted.
func attachUnderSignals(ring: String) {
    signal(SIGALRM) { _ in }
    var timer = itimerval()
    timer.it_interval.tv_usec = 1000
    timer.it_value.tv_usec = 1000
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    for _ in 0..<10 {
        do throws(AttachError) {
            try Telemetry.attach(ring, options: AttachOptions(mode: .fresh)).close()
        } catch {
            fail("refused \(error.reason)\n\(error)")
        }
    }
    say("attached 10 times")
}
