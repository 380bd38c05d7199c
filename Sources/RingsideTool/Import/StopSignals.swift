internal import Glibc

/// SIGTERM and SIGINT, asked for between two pieces of work: an import ends in order.
struct StopSignals {
    private var set = sigset_t()

    /// To be called before any thread is started, which inherits the mask.
    static func block() -> StopSignals {
        var signals = StopSignals()
        sigemptyset(&signals.set)
        sigaddset(&signals.set, SIGTERM)
        sigaddset(&signals.set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        return signals
    }

    /// Whether one has come (sigpending(2)).
    var areRaised: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }
}
