package import Drain
package import Platform
internal import Glibc
package import SQLite

/// A collector's state directory: the state that an earlier collector stored there, and the writer of this one's
/// checkpoints.
///
/// If the directory cannot be used, the log says so, and the collector runs without it as long as nothing is lost by
/// that. The collector ends if the directory holds a state that it cannot read. It also ends if another collector uses
/// the directory, since both would continue from one state.
package struct RestoredState {
    /// Nil if nothing was stored.
    package let saved: SavedState?
    /// The part of an earlier state that was refused; nil if none was.
    package let setAside: StateSetAside?
    /// Nil if nothing is stored.
    package let sink: (any CheckpointSink)?
    /// Held as long as anything is stored in it; nil if nothing can be stored.
    package let directory: StateDirectory?
    /// Records how startup ended; nil if nothing is stored.
    let marker: StartMarker?

    /// The reason why an existing state cannot be restored.
    package struct Unreadable: Error, CustomStringConvertible {
        let path: String
        let reason: String

        package var description: String {
            "the state \(path) cannot be read (\(reason)), and starting without it would lose all totals; repair it, or choose another directory with --state-dir"
        }
    }

    /// - Throws: ``StateDirectory/Failure`` if another collector has the directory, ``LockWait/Failure`` if another
    ///   process locks the state for long, ``Unreadable``, or ``SystemRefusal`` if no thread can be created for
    ///   writing.
    package init(_ options: CollectorOptions, patience: LockWait, logger: Logger) throws {
        guard options.stateDirectory != nil || options.listenPort != 0 else {
            logger.info("no state is stored: port 0 names no collector, and there is no --state-dir")
            (saved, setAside, sink, directory, marker) = (nil, nil, nil, nil, nil)
            return
        }
        var stateFile: String?
        do {
            let path = try Self.path(options)
            stateFile = StateDirectory.databasePath(in: path)
            let directory = try StateDirectory(path: path)
            let marker = StartMarker(directory: path)
            let (store, saved) = try patience.open(directory.databasePath) {
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
                "no state is read or stored; the drain continues, and a restart would begin with no totals",
                [("reason", "\(error)")])
            (saved, setAside, directory, marker) = (nil, nil, nil, nil)
            sink = NoCheckpoints(reason: "\(error)")
        }
    }

    private static func path(_ options: CollectorOptions) throws -> String {
        if let path = options.stateDirectory ?? StateDirectory.defaultPath(port: options.listenPort) { return path }
        throw StateDamage(
            "no directory is known; set --state-dir, or STATE_DIRECTORY, XDG_STATE_HOME or HOME in the environment")
    }

    private static func log(_ saved: SavedState?, _ directory: StateDirectory, _ logger: Logger) {
        guard let saved else { return logger.info("state begun", [("directory", "\(directory.path)")]) }
        logger.info(
            "state restored",
            [
                ("directory", "\(directory.path)"), ("rings", .integer(Int64(saved.rings.count))),
                ("series", .integer(Int64(saved.series.count))), ("clean_end", .bool(saved.wasClosed)),
            ])
    }
}

/// A sink that writes nothing. It is used when checkpoints cannot be written.
private final class NoCheckpoints: CheckpointSink {
    let isBusy = true
    let outcome: CheckpointOutcome?

    init(reason: String) { outcome = .failed(reason) }

    func take(_ checkpoint: Checkpoint) {}
    func finish(_ checkpoint: Checkpoint) {}
}
