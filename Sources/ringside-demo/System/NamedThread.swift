internal import Glibc

/// A thread of the system with a name that `top -H` and a debugger show.
///
/// The bots and their venues block in system calls, which a task of the concurrency pool must not do.
package struct NamedThread: Sendable {
    private let handle: pthread_t

    /// Starts the thread.
    ///
    /// - Parameter name: The name, cut after 15 bytes. Linux keeps no more.
    init(_ name: String, _ body: sending @escaping () -> Void) {
        let shortName = String(decoding: name.utf8.prefix(15), as: UTF8.self)
        let start = Unmanaged.passRetained(ThreadBody(shortName, body))
        var handle = pthread_t()
        let code = pthread_create(&handle, nil, threadMain, start.toOpaque())
        precondition(code == 0, "cannot start thread \(name): \(String(cString: strerror(code)))")
        self.handle = handle
    }

    /// Waits until the thread's body has returned; call it once.
    func join() { pthread_join(handle, nil) }
}

private final class ThreadBody {
    let name: String
    let body: () -> Void

    init(_ name: String, _ body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Names the calling thread. The C library's call for it is hidden from Swift. The file of proc_pid_comm(5) does the
/// same.
private func setThreadName(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, name, name.utf8.count)
    close(descriptor)
}

/// Runs the thread's body. This is a function, not a closure literal, because the entry of a thread must not inherit an
/// actor's isolation.
private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue()
    setThreadName(start.name)
    start.body()
    return nil
}
