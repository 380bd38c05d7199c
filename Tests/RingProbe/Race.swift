import Glibc
import Ringside

/// Attaches again and again, resuming and replacing in turn, against other processes that do the same. The attached
/// process makes a marker file that must not exist, which shows two producers at once. Ends with `won N`.
func race(ring: String, rounds: Int) {
    var won = 0
    for round in 0..<rounds {
        do throws(AttachError) {
            let mode: AttachOptions.Mode = round % 3 == 0 ? .fresh : .resume
            let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 64, mode: mode))
            enter(beside: telemetry.path!)
            write(10, to: telemetry)
            won += 1
            leave(beside: telemetry.path!)
            telemetry.close()
        } catch {
            switch error.reason {
            case .alreadyAttached, .contended: usleep(200)
            default: fail("refused \(error.reason)\n\(error)")
            }
        }
    }
    say("won \(won)")
}

private func enter(beside path: String) {
    let descriptor = open("\(path).marker", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor < 0 { fail("two producers at once") }
    close(descriptor)
}

private func leave(beside path: String) {
    if unlink("\(path).marker") != 0 { fail("two producers at once") }
}
