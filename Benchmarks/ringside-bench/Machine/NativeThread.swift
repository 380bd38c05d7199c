internal import Glibc

/// A thread that runs one function to its end.
final class NativeThread: Sendable {
    private let handle: pthread_t

    init(_ run: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let failed = pthread_create(&handle, nil, runBody, Unmanaged.passRetained(Body(run)).toOpaque())
        precondition(failed == 0, "the system gives no thread: errno \(failed)")
        self.handle = handle
    }

    /// Waits for its end. Call it exactly once.
    func join() { pthread_join(handle, nil) }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
    return nil
}
