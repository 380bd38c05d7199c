package import Drain
package import Platform
internal import Glibc

/// What a collector has of its state directory: what an earlier one kept there, and who writes down what this one finds.
///
/// A directory that cannot be used keeps no collector from its work as long as nothing is forgotten by that: it is said, and
/// the collector goes on without. Where a state lies in it that cannot be read, the collector ends instead; so it does where
/// another collector uses it, since both would count on from one state.
package struct RecoveredState {
    /// Nil where nothing was kept.
    package let saved: SavedState?
    /// What of an earlier state was not taken; nil where all of it was.
    package let setAside: StateSetAside?
    /// Nil where nothing is to be kept.
    package let sink: (any CheckpointSink)?
    /// Held for as long as anything is kept in it; nil where nothing can be.
    package let directory: StateDirectory?
    /// Says how the start ended; nil where nothing is kept.
    let marker: StartMarker?

    /// Why a state that is there cannot be gone on from.
    package struct Unreadable: Error, CustomStringConvertible {
        let path: String
        let reason: String

        package var description: String {
            "the state \(path) cannot be read (\(reason)), and to begin without it would forget all totals; mend that, or give this collector another directory by --state-dir"
        }
    }

    /// - Throws: ``StateDirectory/Failure`` where another collector has the directory, ``LockWait/Failure`` where another
    ///   process has the state locked for long, ``Unreadable``, ``SystemRefusal`` where there is no thread to write on.
    package init(_ options: CollectorOptions, patience: LockWait, logger: Logger) throws {
        guard options.stateDirectory != nil || options.listenPort != 0 else {
            logger.info("no state is kept: port 0 names no collector, and there is no --state-dir")
            (saved, setAside, sink, directory, marker) = (nil, nil, nil, nil, nil)
            return
        }
        var stateFile: String?
        do {
            let path = try Self.path(options)
            stateFile = StateDirectory.databasePath(in: path)
            let directory = try StateDirectory(path: path)
            let marker = StartMarker(directory: path)
            let isLock = { (error: any Error) in (error as? StateDatabase.Failure)?.isLock ?? false }
            let (store, saved) = try patience.open(directory.databasePath, isLock: isLock) {
                try StateStore.open(path: directory.databasePath, suspicion: marker.suspicion, logger: logger)
            }
            let setAside = store.setAside
            sink = try CheckpointWriter(store, in: directory, logger: logger)
            (self.saved, self.setAside) = (saved, setAside)
            self.directory = directory
            self.marker = marker
            Self.log(saved, directory, logger)
        } catch let failure as StateDirectory.Failure where failure.isInUse {
            throw failure
        } catch let refusal as SystemRefusal {
            throw refusal
        } catch let failure as LockWait.Failure {
            throw failure
        } catch {
            if let stateFile, access(stateFile, F_OK) == 0 { throw Unreadable(path: stateFile, reason: "\(error)") }
            logger.error(
                "no state is read or kept; the drain goes on, and a restart would begin anew", [("reason", "\(error)")])
            (saved, setAside, directory, marker) = (nil, nil, nil, nil)
            sink = NoCheckpoints(reason: "\(error)")
        }
    }

    private static func path(_ options: CollectorOptions) throws -> String {
        if let path = options.stateDirectory ?? StateDirectory.defaultPath(port: options.listenPort) { return path }
        throw StateDamage(
            "neither --state-dir nor STATE_DIRECTORY, XDG_STATE_HOME or HOME of the environment say where")
    }

    private static func log(_ saved: SavedState?, _ directory: StateDirectory, _ logger: Logger) {
        guard let saved else { return logger.info("state begun", [("directory", "\(directory.path)")]) }
        logger.info(
            "state resumed",
            [
                ("directory", "\(directory.path)"), ("rings", .integer(Int64(saved.rings.count))),
                ("series", .integer(Int64(saved.series.count))), ("ended_in_order", .bool(saved.wasClosed)),
            ])
    }
}

/// Stands where no checkpoint can be written as long as the collector runs.
private final class NoCheckpoints: CheckpointSink {
    let isBusy = true
    let outcome: CheckpointOutcome?

    init(reason: String) { outcome = .failed(reason) }

    func take(_ checkpoint: Checkpoint) {}
    func finish(_ checkpoint: Checkpoint) {}
}
