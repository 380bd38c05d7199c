internal import CRingside
internal import Glibc

/// A thread with a name, from its beginning to its end. It has the signal mask of the thread that begins it.
package final class NamedThread: Sendable {
    private let handle: pthread_t

    /// Begins at once. Nil where the system gives no thread.
    ///
    /// - Parameters:
    ///   - name: 15 bytes at most.
    ///   - body: What is done on it. What it captures is kept until it returns.
    package init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var handle = pthread_t()
        guard pthread_create(&handle, nil, runWork, work.toOpaque()) == 0 else {
            work.release()
            return nil
        }
        self.handle = handle
    }

    /// The same for what the collector cannot be without.
    package static func needed(_ name: String, _ body: @escaping @Sendable () -> Void) -> NamedThread {
        guard let thread = NamedThread(name, body) else {
            preconditionFailure("the system gives no thread for \(name)")
        }
        return thread
    }

    /// Waits for its end. Called once.
    package func join() { pthread_join(handle, nil) }
}

private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(context!).takeRetainedValue()
    ringside_name_thread(work.name)
    work.body()
    return nil
}
