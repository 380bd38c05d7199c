internal import Glibc
internal import Ringside
internal import Synchronization

/// The thread of a pause meter.
final class PauseThread: Sendable {
    private let loopStop: PauseLoop.Stop
    /// The thread's handle; nil once the thread was joined.
    private let handle: Mutex<pthread_t?>
    /// The process that has the thread. A forked child has no such thread.
    private let pid: pid_t

    /// Starts the thread with all signals blocked, so that the bot's handlers run on the bot's threads.
    init(_ loop: PauseLoop) throws(AttachError) {
        loopStop = loop.stop
        pid = getpid()
        let argument = Unmanaged.passRetained(loop)
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, pauseThreadMain, argument.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            argument.release()
            throw AttachError(
                reason: .system(errno: code),
                description: "cannot start the thread of a pause meter: \(String(cString: strerror(code)))")
        }
        handle = Mutex(thread)
    }

    var isRunning: Bool { getpid() == pid && handle.withLock { $0 != nil } }

    func stop() {
        guard getpid() == pid else { return }
        loopStop.isSet.store(true, ordering: .relaxed)
        // The lock is held during the join, so that a second caller also returns after the end.
        handle.withLock { handle in
            guard let thread = handle.take() else { return }
            pthread_join(thread, nil)
        }
    }
}

/// The thread's entry. It is a function, not a closure literal, because the entry of a thread must not inherit an
/// actor's isolation.
private func pauseThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<PauseLoop>.fromOpaque(argument!).takeRetainedValue().run()
    return nil
}
