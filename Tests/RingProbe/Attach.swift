import Glibc
import Ringside

/// Attaches according to `words` and prints the result: `attached PATH`, `disabled`, or `refused REASON` and the
/// message.
///
/// - Parameter words: `uid=N` gives up root first; `fresh` replaces the ring; `nap` waits to be killed; `leave` ends
///   without a close; `lock` locks the ring in memory; `records=N` writes N values and counts them.
func attachAndTell(ring: String, words: [String]) {
    func number(_ key: String) -> UInt32? {
        words.first { $0.hasPrefix("\(key)=") }.flatMap { UInt32($0.dropFirst(key.count + 1)) }
    }
    if let user = number("uid"), setgid(user) != 0 || setuid(user) != 0 { exit(3) }
    do throws(AttachError) {
        let telemetry = try Telemetry.attach(
            ring,
            options: AttachOptions(
                mode: words.contains("fresh") ? .fresh : .resume, locksMemory: words.contains("lock")))
        say(telemetry.path.map { "attached \($0)" } ?? "disabled")
        if let warning = telemetry.warning { say("warning \(warning)") }
        write(number("records") ?? 0, to: telemetry)
        say("ready")
        while words.contains("nap") { pause() }
        if words.contains("leave") { exit(0) }
        telemetry.close()
    } catch {
        say("refused \(error.reason)\n\(error)")
    }
}

/// Counts forever. The handle is not mentioned again.
func loopForEver(ring: String) {
    do {
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 64))
        let total = try telemetry.counter("probe_total", help: "Rounds of the loop.")
        say("looping")
        while true {
            total.increment()
            usleep(1000)
        }
    } catch {
        fail("refused \(error)")
    }
}

/// Writes the values 0, 1, 2 ... to `probe_value`, and their number to `probe_values_total`.
func write(_ count: UInt32, to telemetry: borrowing Telemetry) {
    do throws(RegistrationError) {
        let values = try telemetry.histogram("probe_value", help: "What the probe wrote.")
        let total = try telemetry.counter("probe_values_total", help: "How often.")
        for value in 0..<count {
            values.record(Double(value))
            total.increment()
        }
    } catch {
        say("refused \(error.reason)\n\(error)")
    }
}
