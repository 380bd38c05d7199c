package import Drain
internal import Glibc
package import Platform
internal import Synchronization

/// Writes checkpoints on a thread of its own, so that the drain never waits for a disk.
///
/// A failed write (a full disk, or one that became read-only) is logged once, and so is the first write that works
/// again. The collector goes on meanwhile. Members may be used from any thread.
package final class CheckpointWriter: CheckpointSink, Sendable {
    private let queue: WorkQueue<Checkpoint>
    /// Held as long as checkpoints are written, so that no other collector uses the directory.
    private let directory: StateDirectory
    private let progress: Progress

    /// - Parameters:
    ///   - store: The caller must not use it afterwards.
    ///   - directory: The directory of the store.
    /// - Throws: the system's refusal of a thread.
    package init(_ store: sending StateStore, in directory: StateDirectory, logger: Logger) throws(SystemRefusal) {
        self.directory = directory
        let progress = Progress(logger)
        self.progress = progress
        nonisolated(unsafe) let store = store
        queue = try WorkQueue("checkpoint") { checkpoint in
            do {
                try store.write(checkpoint)
                progress.end(.written)
            } catch {
                progress.end(.failed("\(error)"))
            }
        }
    }

    package var isBusy: Bool { progress.isBusy }

    package var outcome: CheckpointOutcome? { progress.outcome }

    package func take(_ checkpoint: Checkpoint) {
        progress.begin()
        _ = queue.add(checkpoint)
    }

    /// Writes the last checkpoint, and returns when the thread has ended. Called once.
    package func finish(_ checkpoint: Checkpoint) {
        while isBusy { usleep(500) }
        take(checkpoint)
        queue.finish()
    }
}

/// Whether a checkpoint is being written, and the outcome of the one before. May be used from any thread.
private final class Progress: Sendable {
    private let logger: Logger
    private let state = Mutex((isBusy: false, outcome: CheckpointOutcome?.none))

    init(_ logger: Logger) { self.logger = logger }

    var isBusy: Bool { state.withLock(\.isBusy) }

    var outcome: CheckpointOutcome? { state.withLock(\.outcome) }

    func begin() {
        state.withLock {
            precondition(!$0.isBusy, "the previous checkpoint is still being written")
            $0.isBusy = true
        }
    }

    /// Logs the first failure, and the first success after one.
    func end(_ outcome: CheckpointOutcome) {
        let before = state.withLock { state in
            defer { state = (false, outcome) }
            return state.outcome
        }
        switch (before, outcome) {
        case (.failed, .failed), (.written, .written), (nil, .written): break
        case (_, .failed(let reason)):
            logger.error(
                "checkpoint failed; the drain goes on, and a restart would lose what it counts from here on",
                [("reason", .text(reason))])
        case (.failed, .written): logger.info("checkpoints are written again")
        }
    }
}
