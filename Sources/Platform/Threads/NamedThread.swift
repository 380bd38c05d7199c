internal import CRingside
internal import Glibc

/// A thread with a name. It inherits the signal mask of the thread that creates it.
package final class NamedThread: Sendable {
    private let handle: pthread_t

    /// Starts the thread at once.
    ///
    /// - Parameters:
    ///   - name: 15 bytes at most.
    ///   - body: Runs on the thread. Its captures are kept until it returns.
    /// - Throws: The system's refusal of a thread.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemRefusal) {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var handle = pthread_t()
        let number = pthread_create(&handle, nil, runWork, work.toOpaque())
        guard number == 0 else {
            work.release()
            throw .thread(name, errno: number)
        }
        self.handle = handle
    }

    /// Waits for the thread to end. Called once.
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
