internal import Synchronization

/// Whether what the collector shows can be trusted yet. May be used from any thread.
package final class HTTPReadiness: Sendable {
    private let reason: Mutex<String?>

    /// - Parameter reason: One line that says what is waited for.
    package init(waitingFor reason: String = "the collector has not yet caught up with its rings") {
        self.reason = Mutex(reason)
    }

    /// What is waited for; nil when ready.
    package var reasonToWait: String? { reason.withLock { $0 } }

    /// Ready from here on.
    package func markReady() { reason.withLock { $0 = nil } }
}
