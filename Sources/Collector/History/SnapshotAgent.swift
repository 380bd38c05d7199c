internal import Drain
internal import Platform
internal import Series

/// Requests snapshots repeatedly and hands each to a consumer that may be slow, such as a disk.
///
/// It uses the exchange like any other reader, so the drain never waits for it. It hands over nothing before the
/// collector is ready, since earlier totals may still be those of an older state.
final class SnapshotAgent: Agent {
    /// The source of snapshots.
    struct Source: Sendable {
        /// Waits for a snapshot that begins after this call; nil if none came in time.
        var next: @Sendable () -> Snapshot?
        /// Returns the final snapshot, after the drain has ended.
        var last: @Sendable () -> Snapshot?

        init(next: @escaping @Sendable () -> Snapshot?, last: @escaping @Sendable () -> Snapshot?) {
            self.next = next
            self.last = last
        }

        init(_ exchange: SnapshotExchange) {
            next = { exchange.wait() }
            last = { exchange.latest?.snapshot }
        }
    }

    private let source: Source
    private let readiness: Readiness
    private let wakeup: Wakeup
    private let monotonic: @Sendable () -> MonotonicTime
    private let nanosecondsToNext: @Sendable () -> Int64
    private let take: @Sendable (Snapshot) -> Void
    /// Nil before the collector is ready.
    private var due: MonotonicTime?
    private let isEager: Bool
    private var isHurried = false

    private static let readinessPauseNanoseconds: Int64 = 100_000_000

    /// - Parameters:
    ///   - wakeup: A signal makes the agent take the next snapshot at once, or ends its wait when it is stopped.
    ///   - isEager: Whether the first snapshot is taken as soon as the collector is ready, rather than after the first
    ///     wait.
    ///   - nanosecondsToNext: Returns the wait before the next snapshot. Called after each one.
    ///   - take: Called with each snapshot on the agent's thread.
    init(
        _ source: Source, readiness: Readiness, wakeup: Wakeup, isEager: Bool,
        monotonic: @escaping @Sendable () -> MonotonicTime = TimeSource.system.monotonic,
        nanosecondsToNext: @escaping @Sendable () -> Int64, take: @escaping @Sendable (Snapshot) -> Void
    ) {
        self.source = source
        self.readiness = readiness
        self.wakeup = wakeup
        self.isEager = isEager
        self.monotonic = monotonic
        self.nanosecondsToNext = nanosecondsToNext
        self.take = take
    }

    /// Hands over a snapshot if one is due.
    func doWork() -> Int {
        guard readiness.reasonToWait == nil else { return 0 }
        let now = monotonic()
        let due = self.due ?? (isEager ? now : now + nanosecondsToNext())
        self.due = due
        guard now >= due || isHurried else { return 0 }
        isHurried = false
        let snapshot = source.next()
        if let snapshot { take(snapshot) }
        self.due = monotonic() + nanosecondsToNext()
        return snapshot == nil ? 0 : 1
    }

    /// Sleeps until the next snapshot is due, or until it is woken.
    func idle() {
        guard let due else {
            wakeup.wait(nanoseconds: Self.readinessPauseNanoseconds)
            return
        }
        isHurried = wakeup.wait(nanoseconds: due - monotonic())
    }

    /// Hands over the last snapshot.
    func close() {
        if readiness.reasonToWait == nil, let last = source.last() { take(last) }
    }
}
