import Collector
import Platform
import Drain
import TestSupport

/// A state file. Checkpoints are written to it at once, on the thread that turns the collector. A test can make it
/// refuse them, or seem busy with one.
final class CheckpointFile: CheckpointSink, @unchecked Sendable {
    // Unchecked: one test uses it on one thread.
    let saved: SavedState?
    /// The part of it that was not taken.
    let setAside: StateSetAside?
    private let store: StateStore
    private(set) var outcome: CheckpointOutcome?
    private(set) var written = 0
    var isBusy = false
    /// The error that refuses every checkpoint; nil for none.
    var refusal: String?

    struct Full: Error {}

    /// Opens the file in the folder. A `CheckpointFile` that still exists would prevent that.
    init(_ folder: TemporaryRingDirectory) throws {
        (store, saved) = try StateStore.open(path: "\(folder.path)/state.sqlite", logger: Logger(level: .error))
        setAside = store.setAside
    }

    func take(_ checkpoint: Checkpoint) {
        do {
            if let refusal {
                outcome = .failed(refusal)
            } else {
                try store.write(checkpoint)
                written += 1
                outcome = .written
            }
        } catch {
            outcome = .failed("\(error)")
        }
    }

    func finish(_ checkpoint: Checkpoint) { take(checkpoint) }
}
