internal import RingReader

/// Collects the contents of the next checkpoint.
extension RingRegistry {
    /// The states of all rings that are read, and of those that an earlier collector read and that no longer exist.
    var ringStates: [RingState] { rings.map(\.state) + restored.states }

    var botStates: [BotState] { bots.all.map(\.state) }

    /// Returns the series that changed since the previous checkpoint, or all of them.
    ///
    /// - Parameter number: The number of the checkpoint.
    func takeSeriesChanges(number: UInt64, all: Bool) -> (whole: [CheckpointedSeries], changes: [CheckpointedChanges]) {
        bots.takeSeriesChanges(number: number, all: all)
    }

    /// Returns the levels that changed since the last call, or all of them, for a limited number of series.
    func takeLevelChanges(all: Bool, limit: Int) -> [CheckpointedLevels] {
        bots.takeLevelChanges(all: all, limit: limit)
    }

    /// Returns the series that a checkpoint should remove: those of forgotten bots, and those that were superseded by
    /// others of their name.
    func takeDroppedSeries() -> [Checkpoint.Removed] {
        forgottenBots.takeRemovedSeries { bots[$0]?.series.checkpointKeys ?? [] } + bots.takeReplacedSeries()
    }

    func takeProcessStates() -> [BotProcessState] { processes.takeStates() }
}
