import Glibc

/// A thread of its own, for work that must run beside the test. Tasks share a pool that may have only one thread.
package final class NativeThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let handle: pthread_t

    package init(_ run: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        let failed = pthread_create(
            &handle, nil,
            { body in
                Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
                return nil
            }, body)
        guard failed == 0 else { fatalError("cannot start a thread: errno \(failed)") }
        self.handle = handle
    }

    /// Waits for its end. Call it exactly once.
    package func join() { pthread_join(handle, nil) }
}
