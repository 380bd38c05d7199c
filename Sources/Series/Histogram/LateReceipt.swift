internal import Synchronization

/// Between who gathers late minutes and who writes them down: neither waits for the other. Members may be used from any
/// thread.
package final class LateReceipt: Sendable {
    private let written = Atomic<UInt64>(0)
    private let caller = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// The batches up to this one are written.
    package func note(writtenBatch number: UInt64) { written.store(number, ordering: .releasing) }

    var writtenBatch: UInt64 { written.load(ordering: .acquiring) }

    /// Says what is done when so many minutes wait that the writer should not wait for its time.
    ///
    /// - Parameter body: returns at once.
    package func whenMany(_ body: @escaping @Sendable () -> Void) { caller.withLock { $0 = body } }

    func call() { caller.withLock(\.self)?() }
}
