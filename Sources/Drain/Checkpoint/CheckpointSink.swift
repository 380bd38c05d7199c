/// Writes checkpoints, one at a time. It receives one only while it is idle.
package protocol CheckpointSink: AnyObject, Sendable {
    /// Whether the last checkpoint is still being written.
    var isBusy: Bool { get }

    /// The result of the last finished checkpoint; nil before the first.
    var outcome: CheckpointOutcome? { get }

    /// Starts to write a checkpoint.
    ///
    /// - Precondition: `isBusy` is false.
    func take(_ checkpoint: Checkpoint)

    /// Writes the very last checkpoint after the present one, and returns when it is written.
    func finish(_ checkpoint: Checkpoint)
}

/// The result of writing a checkpoint.
package enum CheckpointOutcome: Equatable, Sendable {
    case written
    /// Nothing was written, so the next one must be complete.
    case failed(String)
}
