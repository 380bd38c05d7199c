internal import Glibc
package import Series
internal import Synchronization

extension SnapshotExchange {
    /// Waits for a snapshot that is begun from here on; nil where none came in time. For threads that may wait.
    package func wait() -> Snapshot? {
        let answer = WaitedAnswer()
        request(since: Self.now()) { answer.put($0?.snapshot) }
        return answer.take()
    }
}

/// Hands one answer from one thread to another.
private final class WaitedAnswer: Sendable {
    private let answer = Mutex<Snapshot??>(nil)
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

    func put(_ snapshot: Snapshot?) {
        answer.withLock { $0 = .some(snapshot) }
        sem_post(isThere)
    }

    func take() -> Snapshot? {
        while sem_wait(isThere) != 0 {}
        return answer.withLock { $0 ?? nil }
    }
}
