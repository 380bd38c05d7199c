internal import Glibc

/// The signals SIGTERM and SIGINT, which are checked between two pieces of work, so that an import ends cleanly.
struct StopSignals {
    private var set = sigset_t()

    /// Blocks the signals. Must be called before any thread is started, because threads inherit the mask.
    static func block() -> StopSignals {
        var signals = StopSignals()
        sigemptyset(&signals.set)
        sigaddset(&signals.set, SIGTERM)
        sigaddset(&signals.set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        return signals
    }

    /// Whether a signal is pending (sigpending(2)).
    var areRaised: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }
}
