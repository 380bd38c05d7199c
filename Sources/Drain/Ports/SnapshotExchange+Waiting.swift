internal import Glibc
package import Series
internal import Synchronization

extension SnapshotExchange {
    /// Waits for a snapshot that is begun after the call; nil if none came in time. For threads that may wait.
    package func wait() -> Snapshot? { waitForPublished()?.snapshot }

    /// Waits like ``wait()``, and returns the snapshot with its number.
    package func waitForPublished() -> Published? {
        let answer = WaitedAnswer()
        request(since: Self.now()) { answer.put($0) }
        return answer.take()
    }
}

/// Passes one answer from one thread to another.
private final class WaitedAnswer: Sendable {
    private let answer = Mutex<SnapshotExchange.Published??>(nil)
    // Sendable: sem_post(3) and sem_wait(3) may be called from any thread.
    nonisolated(unsafe) private let isThere: UnsafeMutablePointer<sem_t>

    init() {
        isThere = .allocate(capacity: 1)
        sem_init(isThere, 0, 0)
    }

    deinit {
        sem_destroy(isThere)
        isThere.deallocate()
    }

    func put(_ snapshot: SnapshotExchange.Published?) {
        answer.withLock { $0 = .some(snapshot) }
        sem_post(isThere)
    }

    func take() -> SnapshotExchange.Published? {
        while sem_wait(isThere) != 0 {}
        return answer.withLock { $0 ?? nil }
    }
}
