package import Drain
internal import Glibc
package import Platform
internal import Synchronization

/// Writes checkpoints on a thread of its own, so that no disk ever keeps the drain waiting.
///
/// That a checkpoint cannot be written (a full disk, one that became read-only) is said once, and once more when it can be
/// again; meanwhile the collector goes on. Members may be used from any thread.
package final class CheckpointWriter: CheckpointSink, @unchecked Sendable {
    // Unchecked: the store is touched by the writing thread alone; `thread` is written before any other call.
    private let store: StateStore
    /// Held for as long as anything is written.
    private let directory: StateDirectory
    private let logger: Logger
    private var thread: NamedThread?
    /// Raised once for each checkpoint that waits, and for the end.
    private let wanted: UnsafeMutablePointer<sem_t>
    private let state = Mutex(State())

    private struct State {
        var waiting: Checkpoint?
        var isBusy = false
        var isEnding = false
        var outcome: CheckpointOutcome?
    }

    /// - Parameters:
    ///   - store: is used by nobody else from here on.
    ///   - directory: where it lies.
    /// - Throws: where the system gives no thread.
    package init(_ store: sending StateStore, in directory: StateDirectory, logger: Logger) throws(SystemRefusal) {
        self.store = store
        self.directory = directory
        self.logger = logger
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        thread = try NamedThread("checkpoint") { [self] in run() }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    package var isBusy: Bool { state.withLock(\.isBusy) }

    package var outcome: CheckpointOutcome? { state.withLock(\.outcome) }

    package func take(_ checkpoint: Checkpoint) {
        state.withLock {
            precondition(!$0.isBusy, "the one before is still being written")
            ($0.waiting, $0.isBusy) = (checkpoint, true)
        }
        sem_post(wanted)
    }

    /// Waits for the thread to end. Called once.
    package func finish(_ checkpoint: Checkpoint) {
        while isBusy { usleep(500) }
        take(checkpoint)
        state.withLock { $0.isEnding = true }
        sem_post(wanted)
        thread?.join()
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let (checkpoint, isEnding) = state.withLock { ($0.waiting.take(), $0.isEnding) }
            if let checkpoint {
                write(checkpoint)
            } else if isEnding {
                return
            }
        }
    }

    private func write(_ checkpoint: Checkpoint) {
        let outcome: CheckpointOutcome
        do {
            try store.write(checkpoint)
            outcome = .written
        } catch {
            outcome = .failed("\(error)")
        }
        let before = state.withLock { state in
            defer { (state.outcome, state.isBusy) = (outcome, false) }
            return state.outcome
        }
        switch (before, outcome) {
        case (.failed, .failed), (.written, .written), (nil, .written): break
        case (_, .failed(let reason)):
            logger.error(
                "checkpoint failed; the drain goes on, and a restart would not know of what it finds from here on",
                [("reason", .text(reason))])
        case (.failed, .written): logger.info("checkpoints are written again")
        }
    }
}
