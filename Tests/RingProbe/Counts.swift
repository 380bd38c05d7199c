import CProbe
import Glibc
import Ringside

/// Makes each call a number of times, or one asynchronous call alone, for a counter of instructions.
///
/// - Parameter calls: `all`, each function of the emit path in turn; or `await_nothing`, `await_token`, `await_closure`.
func countInstructions(ring: String, calls: String, rounds: Int) {
    do {
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 1024))
        var instruments = try Instruments.registered(telemetry)
        withUnsafePointer(to: &instruments) { instruments in
            calls == "all" ? callAll(instruments, rounds) : callAsynchronously(instruments, calls, rounds)
        }
        #if DEBUG
            say("build unoptimised")
        #else
            say("build optimised")
        #endif
    } catch {
        fail("refused \(error)")
    }
}

private func callAll(_ instruments: UnsafePointer<Instruments>, _ rounds: Int) {
    for _ in 0..<rounds {
        probeNothing(instruments)
        probeCounter(instruments)
        probeFees(instruments)
        probeUpDown(instruments)
        probeGauge(instruments)
        probeSpikes(instruments)
        probeValue(instruments)
        probeTimedValue(instruments)
        probeNanoseconds(instruments)
        probeClosure(instruments)
        probeToken(instruments)
        probeDroppedToken(instruments)
        probeByHand(instruments)
        probeStopwatch(instruments)
    }
    instruments.pointee.telemetry.close()
    for _ in 0..<rounds { probeDisabledValue(instruments) }
}

/// Awaits `rounds` calls on a task of its own and waits for its end.
private func callAsynchronously(_ instruments: UnsafePointer<Instruments>, _ calls: String, _ rounds: Int) {
    nonisolated(unsafe) let instruments = instruments  // this thread waits until the task is done
    nonisolated(unsafe) let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(done, 0, 0)
    Task.detached {
        switch calls {
        case "await_token": for _ in 0..<rounds { await probeAwaitToken(instruments) }
        case "await_closure": for _ in 0..<rounds { await probeAwaitClosure(instruments) }
        default: for _ in 0..<rounds { await probeAwaitNothing(instruments) }
        }
        sem_post(done)
    }
    while sem_wait(done) != 0 {}
}

@inline(never)
private nonisolated(nonsending) func work() async { probe_work() }

@inline(never)
private nonisolated(nonsending) func probeAwaitNothing(_ instruments: UnsafePointer<Instruments>) async {
    await work()
}

@inline(never)
private nonisolated(nonsending) func probeAwaitToken(_ instruments: UnsafePointer<Instruments>) async {
    let span = instruments.pointee.durations.start()
    await work()
    span.end()
}

@inline(never)
private nonisolated(nonsending) func probeAwaitClosure(_ instruments: UnsafePointer<Instruments>) async {
    await instruments.pointee.durations.measure { () async in await work() }
}
