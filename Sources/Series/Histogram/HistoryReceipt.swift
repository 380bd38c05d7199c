internal import Synchronization

/// The history's receipt for late minutes and changes of alerts: the numbers of the last ones that it has written. The
/// drain, which collects them, reads it. Neither waits for the other. Members may be used from any thread.
package final class HistoryReceipt: Sendable {
    private let written = Atomic<UInt64>(0)
    private let writtenAlerts = Atomic<UInt64>(0)
    private let caller = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Records that the batches up to this one are written.
    package func note(writtenBatch number: UInt64) { written.store(number, ordering: .releasing) }

    var writtenBatch: UInt64 { written.load(ordering: .acquiring) }

    /// Records that the changes of alerts up to this one are written.
    package func note(writtenAlert number: UInt64) { writtenAlerts.store(number, ordering: .releasing) }

    package var writtenAlert: UInt64 { writtenAlerts.load(ordering: .acquiring) }

    /// Sets a function that is called when many minutes wait, so that the history should write at once.
    ///
    /// - Parameter body: Returns at once.
    package func whenMany(_ body: @escaping @Sendable () -> Void) { caller.withLock { $0 = body } }

    func call() { caller.withLock(\.self)?() }
}
