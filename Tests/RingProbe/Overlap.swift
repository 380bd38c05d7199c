import Glibc
import Ringside

/// A copy of an instrument that is smuggled into another thread, as a bot's author might do by mistake.
private struct Smuggled: @unchecked Sendable {
    let total: Counter  // The wrong itself: nothing proves that one thread at a time uses it.
}

/// Emits from two threads through one instrument for up to two seconds.
func emitFromTwoThreads(ring: String) {
    do {
        #if DEBUG
            say("build unoptimised")
        #else
            say("build optimised")
        #endif
        let telemetry = try Telemetry.attach(ring, options: AttachOptions(capacityRecords: 64))
        let smuggled = Smuggled(total: try telemetry.counter("probe_total", help: "A counter."))
        let other = startThread { incrementForTwoSeconds(smuggled.total) }
        incrementForTwoSeconds(smuggled.total)
        pthread_join(other, nil)
        telemetry.close()
    } catch {
        fail("refused \(error)")
    }
}

private func incrementForTwoSeconds(_ total: Counter) {
    let end = time(nil) + 2
    while time(nil) < end {
        for _ in 0..<100_000 { total.increment() }
    }
}

private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { context in
            Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    return thread
}
