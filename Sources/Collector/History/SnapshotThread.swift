internal import Drain
internal import Platform
internal import Series

/// A thread that asks for a snapshot again and again and hands it to somebody who may take his time, such as a disk.
///
/// It asks the exchange as any other reader: the drain waits for nobody. Nothing is handed over before the collector is ready,
/// for totals before that may still be those of an older state.
final class SnapshotThread: @unchecked Sendable {
    // Unchecked: `thread` is written by `start` before any other call; the rest never changes.
    private let name: String
    private let exchange: SnapshotExchange
    private let readiness: Readiness
    private let nanosecondsToNext: @Sendable () -> Int64
    private let take: @Sendable (Snapshot) -> Void
    private let wakeup: Wakeup
    private let stopping = Flag()
    private var thread: NamedThread?

    private static let readinessPauseNanoseconds: Int64 = 100_000_000

    /// - Parameters:
    ///   - name: Of the thread, 15 bytes at most.
    ///   - nanosecondsToNext: How long to wait before the next snapshot, asked after each.
    ///   - take: What is done with a snapshot; on the thread, and with the last one by whoever calls ``stop()``.
    /// - Throws: where the system gives no descriptor to wake it by.
    init(
        _ name: String, exchange: SnapshotExchange, readiness: Readiness,
        nanosecondsToNext: @escaping @Sendable () -> Int64, take: @escaping @Sendable (Snapshot) -> Void
    ) throws(SystemRefusal) {
        wakeup = try Wakeup()
        self.name = name
        self.exchange = exchange
        self.readiness = readiness
        self.nanosecondsToNext = nanosecondsToNext
        self.take = take
    }

    /// - Parameters:
    ///   - isEager: Whether the first snapshot is taken as soon as the collector is ready, and not after the first wait.
    ///   - prepare: Done first, on the thread.
    /// - Throws: where the system gives no thread.
    func start(isEager: Bool, prepare: @escaping @Sendable () -> Void = {}) throws(SystemRefusal) {
        thread = try NamedThread(name) { [self] in
            prepare()
            while readiness.reasonToWait != nil, !sleep(nanoseconds: Self.readinessPauseNanoseconds) {}
            if isEager { takeNow() }
            while !sleep(nanoseconds: nanosecondsToNext()) { takeNow() }
        }
    }

    /// Has the next snapshot taken now. May be called from any thread.
    func hurry() { wakeup.signal() }

    /// Waits for the thread to end, and takes the last snapshot. Called once, when nothing is drained any more.
    func stop() {
        stopping.raise()
        wakeup.signal()
        thread?.join()
        if let last = exchange.latest, readiness.reasonToWait == nil { take(last.snapshot) }
    }

    private func takeNow() {
        guard !stopping.isRaised, let snapshot = exchange.wait() else { return }
        take(snapshot)
    }

    /// Sleeps so long, or until it is hurried.
    ///
    /// - Returns: whether it is time to end.
    private func sleep(nanoseconds: Int64) -> Bool {
        let end = SnapshotExchange.now() + nanoseconds
        while !stopping.isRaised {
            let left = end - SnapshotExchange.now()
            if left <= 0 || wakeup.wait(nanoseconds: left) { break }
        }
        return stopping.isRaised
    }
}
