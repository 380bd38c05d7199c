package import Platform
package import RingReader
package import Rules
package import Series

/// One ring as a checkpoint keeps it: up to where its records are in the totals.
package struct RingState: Equatable, Sendable {
    package var name: RingName
    package var ringID: Segment.Identifier
    /// The index of the record that is read next.
    package var position: UInt64
    package var drained: UInt64
    package var lost: LossCounts
    /// On CLOCK_MONOTONIC of the boot that it was kept in.
    package var lastRecordTime: MonotonicTime?
    package var pid: Int32

    package init(
        name: RingName, ringID: Segment.Identifier, position: UInt64, drained: UInt64, lost: LossCounts,
        lastRecordTime: MonotonicTime?, pid: Int32
    ) {
        self.name = name
        self.ringID = ringID
        self.position = position
        self.drained = drained
        self.lost = lost
        self.lastRecordTime = lastRecordTime
        self.pid = pid
    }
}

extension RingState {
    /// The same, where nothing of what was counted is shown any more.
    var withoutCounts: RingState {
        var copy = self
        (copy.drained, copy.lost) = (0, LossCounts())
        return copy
    }
}

/// One bot, without its series: its labels, and what rings that are gone left to its lanes.
package struct BotState: Equatable, Sendable {
    package var name: String
    package var labels: [Label]
    package var retired: [RetiredRings]
    /// How its series are shown.
    package var view: BotViewState

    package init(name: String, labels: [Label], retired: [RetiredRings], view: BotViewState = BotViewState()) {
        self.name = name
        self.labels = labels
        self.retired = retired
        self.view = view
    }
}

/// The account of all rings of one lane that are gone.
package struct RetiredRings: Equatable, Sendable {
    package var lane: String
    package var drained: UInt64 = 0
    package var lost = LossCounts()
    /// On CLOCK_MONOTONIC of the boot that it was kept in.
    package var lastRecordTime: MonotonicTime?
    package var pid: Int32 = 0

    package init(lane: String) { self.lane = lane }
}

/// One series and the bot that it is of.
package struct KeptSeries: Equatable, Sendable {
    package var bot: String
    /// The name that it is kept under: its own among the bot's.
    package var key: String
    package var state: SeriesState

    package init(bot: String, key: String, state: SeriesState) {
        self.bot = bot
        self.key = key
        self.state = state
    }
}

/// What changed since the checkpoint before, taken at one moment between two turns of the drain: positions, losses and totals
/// that belong together.
package struct Checkpoint: Equatable, Sendable {
    package var unixNanoseconds: Int64
    /// The machine's run, which tells whether times can be compared.
    package var bootID: Segment.Identifier
    /// When it was taken on the rules' clock; nil in a checkpoint that says nothing of rules.
    package var ruleMoment: RuleMoment?
    /// Whether it is the last before an orderly end, after which nobody was shown more than is in it.
    package var isLast = false
    /// Whether it has all there is: whatever it does not name is gone.
    package var isFull = false
    package var bots: [BotState] = []
    package var rings: [RingState] = []
    package var series: [KeptSeries] = []
    package var objectives: [ObjectiveState] = []
    package var alerts: [AlertState] = []
    package var processes: [BotProcessState] = []
    /// Bots that have no producer.
    package var gone: [GoneState] = []
    /// Rings that lie there, of bots that were forgotten.
    package var forgotten: [RingState] = []
    /// Rings that are over; a copy of one is not read again. Nil where none has come to them.
    package var pastRings: [Segment.Identifier]?
    package var removedRings: [RingName] = []
    /// Bots that were forgotten.
    package var removedBots: [String] = []
    /// Bots of whose processes nothing is kept any more.
    package var removedProcesses: [String] = []
    /// Bots that are back, or forgotten.
    package var removedGone: [String] = []
    package var removedForgotten: [RingName] = []
    package var removedSeries: [Removed] = []
    package var removedObjectives: [Removed] = []
    package var removedAlerts: [Removed] = []

    /// A series, an objective or an alert of a bot, by the name that it is kept under.
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
        bots.isEmpty && rings.isEmpty && series.isEmpty && objectives.isEmpty && alerts.isEmpty
            && processes.isEmpty && pastRings == nil
            && gone.isEmpty && forgotten.isEmpty && removedGone.isEmpty && removedForgotten.isEmpty
            && removedRings.isEmpty && removedBots.isEmpty && removedProcesses.isEmpty && removedSeries.isEmpty
            && removedObjectives.isEmpty
            && removedAlerts.isEmpty
    }
}

/// A moment on the clock that objectives and alerts go by, see ``RuleClock``.
package struct RuleMoment: Equatable, Sendable {
    package var ruleNanoseconds: Int64
    /// The same on CLOCK_MONOTONIC of the boot that it was kept in; nil where an older collector kept it.
    package var monotonicNanoseconds: Int64?

    package init(ruleNanoseconds: Int64, monotonicNanoseconds: Int64?) {
        self.ruleNanoseconds = ruleNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }
}

/// All that was kept by the collector before this one.
package struct SavedState: Equatable, Sendable {
    /// Whether that collector ended in order.
    package var wasClosed = false
    /// The machine's run in which it was kept.
    package var bootID: Segment.Identifier
    /// When it was kept.
    package var ruleMoment: RuleMoment?
    package var bots: [BotState] = []
    package var rings: [RingState] = []
    package var series: [KeptSeries] = []
    package var objectives: [ObjectiveState] = []
    package var alerts: [AlertState] = []
    package var processes: [BotProcessState] = []
    package var gone: [GoneState] = []
    package var forgotten: [RingState] = []
    package var pastRings: [Segment.Identifier] = []

    package init(bootID: Segment.Identifier) { self.bootID = bootID }

    /// The same without when the last records were.
    var withoutTimes: SavedState {
        var copy = self
        for place in copy.rings.indices { copy.rings[place].lastRecordTime = nil }
        for place in copy.forgotten.indices { copy.forgotten[place].lastRecordTime = nil }
        for bot in copy.bots.indices {
            for place in copy.bots[bot].retired.indices { copy.bots[bot].retired[place].lastRecordTime = nil }
        }
        return copy
    }
}
