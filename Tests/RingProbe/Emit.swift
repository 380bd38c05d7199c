import CProbe
import Glibc
import Ringside

private let rounds = 100_000

/// Emits in every way: first while it counts allocations, then under a guard that kills the process at any system call.
/// Prints `build optimised|unoptimised`, `allocations N`, `forbidden`, `survived`.
func emitUnderGuard(ring: String) {
    do {
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 1024))
        var instruments = try Instruments.registered(telemetry)
        withUnsafePointer(to: &instruments) { emitUnderGuard(UnsafeRawPointer($0)) }
    } catch {
        fail("refused \(error)")
    }
}

private func emitUnderGuard(_ instruments: UnsafeRawPointer) {
    emitAll(instruments)  // what is bound lazily is bound now
    let before = probe_allocations()
    for _ in 0..<rounds { emitAll(instruments) }
    let allocations = probe_allocations() - before
    #if DEBUG
        say("build unoptimised")
    #else
        say("build optimised")
    #endif
    say("allocations \(allocations)")
    say("forbidden")
    guard probe_forbid_system_calls() == 0 else { fail("seccomp refused: errno \(errno)") }
    for _ in 0..<rounds { emitAll(instruments) }
    let word: StaticString = "survived\n"  // a String might allocate, and so call the system
    write(1, word.utf8Start, word.utf8CodeUnitCount)
    _exit(0)
}

/// Makes every form of an emit, once or twice.
private func emitAll(_ instruments: UnsafeRawPointer) {
    probeCounter(instruments)
    probeFees(instruments)
    probeUpDown(instruments)
    probeSpikes(instruments)
    probeGauge(instruments)
    probeValue(instruments)
    probeTimedValue(instruments)
    probeNanoseconds(instruments)
    probeClosure(instruments)
    _ = probeThrowingClosure(instruments, false)
    _ = probeThrowingClosure(instruments, true)
    probeToken(instruments)
    probeDroppedToken(instruments)
    probeByHand(instruments)
    probeStopwatch(instruments)
    probeSpanInSpan(instruments)
    probeTraceparent(instruments)
}
