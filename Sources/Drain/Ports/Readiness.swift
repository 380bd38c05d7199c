internal import Synchronization

/// Whether what the collector shows can be trusted yet. May be used from any thread.
package final class Readiness: Sendable {
    private let first: String
    private let reason: Mutex<String?>

    /// - Parameter reason: One line that says what is waited for.
    package init(waitingFor reason: String = "the collector has not yet caught up with its rings") {
        first = reason
        self.reason = Mutex(reason)
    }

    /// What is waited for; nil when ready.
    package var reasonToWait: String? { reason.withLock { $0 } }

    /// Says what else is waited for; nil where it is what it was at first. Changes nothing once it is ready.
    package func wait(for other: String?) {
        reason.withLock { reason in if reason != nil { reason = other ?? first } }
    }

    /// Ready from here on.
    package func markReady() { reason.withLock { $0 = nil } }
}
