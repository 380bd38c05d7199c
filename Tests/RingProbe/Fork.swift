import CProbe
import Glibc
import Ringside

/// Forks while attached. The child emits through the instruments that it inherited, prints `child PID`, and lives on.
/// The parent waits to be killed.
func forkWhileAttached(ring: String) {
    do {
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 64))
        let values = try telemetry.durationHistogram("probe_seconds", help: "Spans.")
        let total = try telemetry.counter("probe_total", help: "A counter.")
        let level = try telemetry.gauge("probe_level", help: "A gauge.")
        let span = values.start()
        for _ in 0..<5 { values.record(nanoseconds: 1) }
        total.increment(by: 7)
        level.set(3)
        if probe_fork() == 0 {
            alarm(60)  // no child inherits an alarm
            emitInChild(values, total, level, span)
            say("child \(getpid()) attached \(telemetry.isAttached)")
            attachInChild("\(ring)-child")
            while true { pause() }
        }
        while true { pause() }
    } catch {
        say("refused \(error)")
    }
}

private func emitInChild(
    _ values: DurationHistogram, _ total: Counter, _ level: Gauge, _ span: consuming Span
) {
    for _ in 0..<1000 {
        values.measure { total.increment() }
        level.set(99)
    }
    span.end()
}

/// Attaches a ring of the child's own, which is allowed.
private func attachInChild(_ ring: String) {
    do throws(AttachError) {
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 64))
        write(3, to: telemetry)
        say("own \(telemetry.isAttached)")
        telemetry.close()
    } catch {
        say("own refused \(error)")
    }
}
