internal import Glibc

/// SIGTERM and SIGINT, received by the main thread when it asks for them.
///
/// They are blocked in every thread, because a new thread inherits the mask. So no handler runs between two
/// instructions of a bot: sigtimedwait(2) takes the place of sigaction(2).
struct StopSignals {
    private var set = sigset_t()

    /// Blocks the signals. Call it before any thread is started. A closed pipe at standard output does not end the
    /// process either.
    static func block() -> StopSignals {
        var signals = StopSignals()
        sigemptyset(&signals.set)
        sigaddset(&signals.set, SIGTERM)
        sigaddset(&signals.set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        signal(SIGPIPE, SIG_IGN)
        return signals
    }

    /// Sleeps for a time, or until a signal comes. Returns whether one came.
    func wait(nanoseconds: Int64) -> Bool {
        var set = set
        var time = timespec(nanoseconds: nanoseconds)
        return sigtimedwait(&set, nil, &time) > 0
    }
}
