internal import Drain
internal import Platform

/// What a collector has of its state directory: what an earlier one kept there, and who writes down what this one finds.
///
/// A directory that cannot be used keeps no collector from its work: that is said, and it goes on without. One that another
/// collector uses does: both would count on from one state.
struct KeptState {
    /// Nil where nothing was kept.
    let saved: SavedState?
    /// Nil where nothing is to be kept.
    let sink: (any CheckpointSink)?
    /// Held for as long as anything is kept in it; nil where nothing can be.
    let directory: StateDirectory?

    /// - Throws: ``StateDirectory/Failure`` where another collector has the directory.
    init(_ options: CollectorOptions, logger: Logger) throws {
        guard options.stateDirectory != nil || options.listenPort != 0 else {
            logger.info("no state is kept: port 0 names no collector, and there is no --state-dir")
            (saved, sink, directory) = (nil, nil, nil)
            return
        }
        do {
            let directory = try StateDirectory(path: try Self.path(options))
            let (store, saved) = try StateStore.open(path: directory.databasePath, logger: logger)
            self.saved = saved
            sink = CheckpointWriter(store, in: directory, logger: logger)
            self.directory = directory
            Self.log(saved, directory, logger)
        } catch let failure as StateDirectory.Failure where failure.isInUse {
            throw failure
        } catch {
            logger.error(
                "no state is read or kept; the drain goes on, and a restart would begin anew", [("reason", "\(error)")])
            (saved, directory) = (nil, nil)
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
