import Glibc
import Ringside

/// Writes `rate` values a second for some seconds, as evenly as the machine allows. Late values follow at once. Prints
/// `ready`, then `wrote N SECONDS`, and stays attached until it is killed.
func pace(ring: String, rate: Double, seconds: Double) {
    do {
        let telemetry = try Telemetry.attach(ring)
        let values = try telemetry.histogram("paced_value", help: "Counts up to 999 and begins anew.")
        let total = try telemetry.counter("paced_values_total", help: "How many values.")
        say("ready")
        let start = monotonicSeconds()
        let wanted = UInt64(rate * seconds)
        var written: UInt64 = 0
        while written < wanted {
            let due = min(wanted, UInt64((monotonicSeconds() - start) * rate))
            while written < due {
                values.record(Double(written % 1000), at: telemetry.now())
                total.increment()
                written += 1
            }
            usleep(500)
        }
        say("wrote \(wanted) \(monotonicSeconds() - start)")
        while true { pause() }
    } catch {
        fail("refused \(error)")
    }
}

private func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
