package import Platform
package import RingReader
package import Rules
package import Series

/// One ring in a checkpoint: the position up to which its records are in the totals.
package struct RingState: Equatable, Sendable {
    package var name: RingName
    package var ringID: Segment.Identifier
    /// The index of the record that is read next.
    package var position: UInt64
    package var drained: UInt64
    package var lost: LossCounts
    /// On CLOCK_MONOTONIC of the boot in which it was stored.
    package var lastRecordTime: MonotonicTime?
    package var pid: Int32
    /// Whether its producer had closed it; nil if that is unknown.
    package var wasClosed: Bool?

    package init(
        name: RingName, ringID: Segment.Identifier, position: UInt64, drained: UInt64, lost: LossCounts,
        lastRecordTime: MonotonicTime?, pid: Int32, wasClosed: Bool? = nil
    ) {
        self.name = name
        self.ringID = ringID
        self.position = position
        self.drained = drained
        self.lost = lost
        self.lastRecordTime = lastRecordTime
        self.pid = pid
        self.wasClosed = wasClosed
    }
}

extension RingState {
    /// The same state for a ring whose counts are no longer shown.
    var withoutCounts: RingState {
        var copy = self
        (copy.drained, copy.lost) = (0, LossCounts())
        return copy
    }
}

/// One series, with the name of its bot.
package struct CheckpointedSeries: Equatable, Sendable {
    package var bot: String
    /// Its key among the bot's series.
    package var key: String
    package var state: SeriesState
    /// The number of its checkpoint. Changes of later checkpoints are added to it.
    package var number: UInt64

    package init(bot: String, key: String, state: SeriesState, number: UInt64 = 0) {
        self.bot = bot
        self.key = key
        self.state = state
        self.number = number
    }
}

/// The changes of those series of a bot that a checkpoint does not store as a whole.
package struct CheckpointedChanges: Equatable, Sendable {
    /// The identity of the changes.
    package struct Name: Hashable, Sendable {
        package var bot: String
        /// The number of the checkpoint.
        package var number: UInt64

        package init(bot: String, number: UInt64) {
            self.bot = bot
            self.number = number
        }
    }

    package struct One: Equatable, Sendable {
        /// The key of the series.
        package var key: String
        package var change: SeriesChange

        package init(key: String, change: SeriesChange) {
            self.key = key
            self.change = change
        }
    }

    package var name: Name
    package var series: [One]

    package init(name: Name, series: [One]) {
        self.name = name
        self.series = series
    }
}

/// The levels of one series, by the key of the series.
package struct CheckpointedLevels: Equatable, Sendable {
    package var bot: String
    package var key: String
    package var levels: [LevelState]

    package init(bot: String, key: String, levels: [LevelState]) {
        self.bot = bot
        self.key = key
        self.levels = levels
    }
}

/// The changes since the previous checkpoint. They are collected at one moment between two turns of the drain, so that
/// positions, losses and totals are consistent.
package struct Checkpoint: Equatable, Sendable {
    package var unixNanoseconds: Int64
    /// The identity of the boot, which tells whether times can be compared.
    package var bootID: Segment.Identifier
    /// The time on the rules' clock; nil in a checkpoint without rules.
    package var ruleMoment: RuleMoment?
    /// Whether it is the last one before an orderly end. Nobody has seen higher counts than those in it.
    package var isLast = false
    /// Whether it is complete: entries that it does not contain are removed.
    package var isFull = false
    package var bots: [BotState] = []
    package var rings: [RingState] = []
    package var series: [CheckpointedSeries] = []
    /// The levels of series whose levels changed: at the end of a half hour, or when a level changes its state.
    package var levels: [CheckpointedLevels] = []
    /// Changes to be added to series of earlier checkpoints, in the order of the checkpoints.
    package var changes: [CheckpointedChanges] = []
    package var objectives: [ObjectiveState] = []
    package var alerts: [AlertState] = []
    package var silences: [Silence] = []
    package var processes: [BotProcessState] = []
    /// Bots that have no producer.
    package var gone: [GoneState] = []
    /// Rings in the directory whose bots were forgotten.
    package var forgotten: [RingState] = []
    /// Earlier rings, of which a copy must not be read again; nil if there is no new one.
    package var pastRings: [Segment.Identifier]?
    package var removedRings: [RingName] = []
    /// Bots that were forgotten.
    package var removedBots: [String] = []
    /// Bots whose processes are no longer stored.
    package var removedProcesses: [String] = []
    /// Bots that are back or forgotten.
    package var removedGone: [String] = []
    package var removedForgotten: [RingName] = []
    package var removedSeries: [Removed] = []
    package var removedObjectives: [Removed] = []
    package var removedAlerts: [Removed] = []
    /// The numbers of silences that have ended.
    package var removedSilences: [UInt64] = []
    /// Changes that were replaced, because later checkpoints store the series as a whole.
    package var removedChanges: [CheckpointedChanges.Name] = []

    /// The key of a series, an objective or an alert of a bot.
    package struct Removed: Hashable, Sendable {
        package var bot: String
        package var key: String

        package init(bot: String, key: String) {
            self.bot = bot
            self.key = key
        }
    }

    package init(unixNanoseconds: Int64, bootID: Segment.Identifier) {
        self.unixNanoseconds = unixNanoseconds
        self.bootID = bootID
    }

    /// Whether nothing changed.
    package var isEmpty: Bool {
        bots.isEmpty && rings.isEmpty && series.isEmpty && changes.isEmpty && removedChanges.isEmpty
            && levels.isEmpty && objectives.isEmpty && alerts.isEmpty
            && silences.isEmpty && processes.isEmpty && pastRings == nil
            && gone.isEmpty && forgotten.isEmpty && removedGone.isEmpty && removedForgotten.isEmpty
            && removedRings.isEmpty && removedBots.isEmpty && removedProcesses.isEmpty && removedSeries.isEmpty
            && removedObjectives.isEmpty
            && removedAlerts.isEmpty && removedSilences.isEmpty
    }
}

/// The stored state of the previous collector.
package struct SavedState: Equatable, Sendable {
    /// Whether that collector ended cleanly.
    package var wasClosed = false
    /// The boot in which it was stored.
    package var bootID: Segment.Identifier
    /// The moment at which it was stored.
    package var ruleMoment: RuleMoment?
    package var bots: [BotState] = []
    package var rings: [RingState] = []
    package var series: [CheckpointedSeries] = []
    package var levels: [CheckpointedLevels] = []
    package var objectives: [ObjectiveState] = []
    package var alerts: [AlertState] = []
    package var silences: [Silence] = []
    package var processes: [BotProcessState] = []
    package var gone: [GoneState] = []
    package var forgotten: [RingState] = []
    package var pastRings: [Segment.Identifier] = []
    /// The greatest number of a checkpoint with an entry in it.
    package var number: UInt64 = 0
    /// Whether changes were added to series. The file still stores them separately.
    package var hasChanges = false

    package init(bootID: Segment.Identifier) { self.bootID = bootID }

    /// The state without the times of the last records.
    var withoutTimes: SavedState {
        var copy = self
        for index in copy.rings.indices { copy.rings[index].lastRecordTime = nil }
        for index in copy.forgotten.indices { copy.forgotten[index].lastRecordTime = nil }
        for bot in copy.bots.indices {
            for index in copy.bots[bot].retired.indices { copy.bots[bot].retired[index].lastRecordTime = nil }
        }
        return copy
    }
}
