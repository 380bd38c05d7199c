import CProbe
import Glibc
import Ringside

/// Attaches `RING` and `RING.lane`, prepares for an end by a signal according to `words`, prints `ready`, and waits for
/// it.
///
/// - Parameter words: `close` closes on termination; `handler` has a handler of its own, which marks and exits with 3;
///   `ignore` ignores SIGTERM first; `fork` prints `child PID` for a child that waits too; `busy` attaches and closes
///   another lane without end.
func waitForTheEnd(ring: String, words: [String]) -> Never {
    beginWithDefaultSignals()
    do throws(AttachError) {
        let telemetry = try Telemetry.attach(ring)
        let lane = try Telemetry.attach(ring + ".lane")
        defer { withExtendedLifetime((telemetry.isAttached, lane.isAttached)) {} }
        _ = try? telemetry.counter("hits_total", help: "")
        _ = try? lane.counter("hits_total", help: "")
        if words.contains("ignore") { signal(SIGTERM, SIG_IGN) }
        if words.contains("handler") {
            signal(SIGTERM) { _ in
                Telemetry.markAllClosed()
                _exit(3)
            }
        }
        if words.contains("close") { say("handlers \(Telemetry.closeOnTermination())") }
        if words.contains("fork") {
            let child = probe_fork()
            if child == 0 {
                alarm(60)
                while true { pause() }
            }
            say("child \(child)")
        }
        say("ready")
        while words.contains("busy") { try Telemetry.attach(ring + ".busy").close() }
        while true { pause() }
    } catch {
        fail("\(error)")
    }
}

/// Restores the default signals. A test's process may hand down signals that are blocked or ignored.
private func beginWithDefaultSignals() {
    for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
}
