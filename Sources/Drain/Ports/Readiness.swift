internal import Synchronization

/// Whether the collector's data can be trusted yet. May be used from any thread.
package final class Readiness: Sendable {
    private let first: String
    private let reason: Mutex<String?>

    /// - Parameter reason: One line that names what the collector waits for.
    package init(waitingFor reason: String = "the collector has not yet caught up with its rings") {
        first = reason
        self.reason = Mutex(reason)
    }

    /// The reason why the collector is not ready; nil if it is.
    package var reasonToWait: String? { reason.withLock { $0 } }

    /// Sets another reason to wait for; nil restores the first one. Changes nothing once the collector is ready.
    package func wait(for other: String?) {
        reason.withLock { reason in if reason != nil { reason = other ?? first } }
    }

    /// Marks the collector as ready for good.
    package func markReady() { reason.withLock { $0 = nil } }
}
