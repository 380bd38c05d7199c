/// Who writes checkpoints down. One is handed over at a time, and only to who is idle.
package protocol CheckpointSink: AnyObject, Sendable {
    /// Whether the last one handed over is still being written.
    var isBusy: Bool { get }

    /// How the last one ended that is done with; nil before the first.
    var outcome: CheckpointOutcome? { get }

    /// Takes a checkpoint to be written.
    ///
    /// - Precondition: `isBusy` is false.
    func take(_ checkpoint: Checkpoint)

    /// Writes the very last one, after what is being written, and returns when it is done.
    func finish(_ checkpoint: Checkpoint)
}

/// What became of a checkpoint.
package enum CheckpointOutcome: Equatable, Sendable {
    case written
    /// Nothing of it was: the next one must be full.
    case failed(String)
}
