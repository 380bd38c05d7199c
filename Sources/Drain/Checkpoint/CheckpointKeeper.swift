internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// Says when a checkpoint is due, and gathers what changed since the one before.
///
/// One is due every second; when some ring has been read for a quarter of its capacity since the last, but 50 ms after that at
/// least; as soon, when the rings were caught up with after a backlog; and at once when a ring has gone. While one is still being written the next waits,
/// and then takes all that has changed by then. After a failure everything is written, five seconds later.
///
/// Thread rule: the drain's.
final class CheckpointKeeper {
    private let sink: any CheckpointSink
    private let bootID = Segment.Identifier.ofThisBoot()
    /// What was handed over last, to tell what changed since.
    private var bots: [String: BotState]
    private var rings: [RingName: RingState]
    private var objectives: [Checkpoint.Removed: ObjectiveState]
    private var alerts: [Checkpoint.Removed: AlertState]
    private var processes: [String: BotProcessState]
    private var gone: [String: GoneState]
    private var forgotten: [RingName: RingState]
    private var pastCount: Int
    private var lastTaken: MonotonicTime
    private var isFirst = true
    /// Whether the rings have not been caught up with since the last one.
    private var isBehind = true

    static let intervalNanoseconds: Int64 = 1_000_000_000
    static let shortestIntervalNanoseconds: Int64 = 50_000_000
    static let retryNanoseconds: Int64 = 5_000_000_000

    /// - Parameter saved: what the sink has already.
    init(sink: any CheckpointSink, saved: SavedState?, now: MonotonicTime) {
        self.sink = sink
        bots = Dictionary((saved?.bots ?? []).map { ($0.name, $0) }) { $1 }
        rings = Dictionary((saved?.rings ?? []).map { ($0.name, $0) }) { $1 }
        objectives = Dictionary((saved?.objectives ?? []).map { ($0.key, $0) }) { $1 }
        alerts = Dictionary((saved?.alerts ?? []).map { ($0.key, $0) }) { $1 }
        processes = Dictionary((saved?.processes ?? []).map { ($0.bot, $0) }) { $1 }
        gone = Dictionary((saved?.gone ?? []).map { ($0.bot, $0) }) { $1 }
        forgotten = Dictionary((saved?.forgotten ?? []).map { ($0.name, $0) }) { $1 }
        pastCount = saved?.pastRings.count ?? 0
        lastTaken = now
    }

    /// Whether the first checkpoint is done with, written or not. Before that a restart could show less than is shown.
    var isFirstDone: Bool { sink.outcome != nil }

    /// Why checkpoints are not written; nil while they are.
    var failure: String? {
        if case .failed(let reason)? = sink.outcome { return reason }
        return nil
    }

    /// Hands over a checkpoint if one is due. To be called between two turns of the drain.
    func turn(
        _ registry: RingRegistry, _ rules: RuleEvaluator, isCaughtUp: Bool, now: MonotonicTime, unixNanoseconds: Int64
    ) {
        defer { isBehind = isBehind || !isCaughtUp }
        guard !sink.isBusy, isDue(registry, isCaughtUp: isCaughtUp, now: now) else { return }
        lastTaken = now
        isBehind = !isCaughtUp
        let checkpoint = gather(registry, rules, now: now, unixNanoseconds: unixNanoseconds)
        // The first one says that a collector runs, even where nothing has changed.
        guard isFirst || !checkpoint.isEmpty else { return }
        isFirst = false
        sink.take(checkpoint)
    }

    /// Writes the last checkpoint of an orderly end, and returns when that is done.
    func finish(_ registry: RingRegistry, _ rules: RuleEvaluator, now: MonotonicTime, unixNanoseconds: Int64) {
        // Nothing may be known of how the one before ended: everything is written.
        var checkpoint = gather(registry, rules, now: now, unixNanoseconds: unixNanoseconds, isFull: true)
        checkpoint.isLast = true
        sink.finish(checkpoint)
    }

    private func isDue(_ registry: RingRegistry, isCaughtUp: Bool, now: MonotonicTime) -> Bool {
        let elapsed = now - lastTaken
        if failure != nil { return elapsed >= Self.retryNanoseconds }
        if isFirst && isCaughtUp || elapsed >= Self.intervalNanoseconds { return true }
        // What was read of a ring that is gone can be read again from nowhere.
        if registry.past.count != pastCount { return true }
        guard elapsed >= Self.shortestIntervalNanoseconds else { return false }
        return isCaughtUp && isBehind || registry.rings.contains { hasComeFar($0) }
    }

    private func hasComeFar(_ ring: RingDrain) -> Bool {
        ring.nextIndex &- ring.keptIndex >= ring.segment.geometry.capacity / 4
    }

    private func gather(
        _ registry: RingRegistry, _ rules: RuleEvaluator, now: MonotonicTime, unixNanoseconds: Int64,
        isFull: Bool = false
    ) -> Checkpoint {
        var checkpoint = Checkpoint(unixNanoseconds: unixNanoseconds, bootID: bootID)
        checkpoint.isFull = isFull || failure != nil
        checkpoint.ruleMoment = rules.moment(now: now)
        let (botStates, ringStates) = (registry.botStates, registry.ringStates)
        checkpoint.bots = botStates.filter { checkpoint.isFull || bots[$0.name] != $0 }
        checkpoint.rings = ringStates.filter { checkpoint.isFull || rings[$0.name] != $0 }
        checkpoint.series = registry.takeSeriesChanges(all: checkpoint.isFull)
        checkpoint.removedSeries = registry.takeDroppedSeries()
        if checkpoint.isFull || registry.past.count != pastCount { checkpoint.pastRings = registry.past.newest }
        let names = Set(ringStates.map(\.name))
        checkpoint.removedRings = rings.keys.filter { !names.contains($0) }
        let objectiveStates = Dictionary(rules.states(registry, now: now).map { ($0.key, $0) }) { $1 }
        checkpoint.objectives = objectiveStates.values.filter { checkpoint.isFull || objectives[$0.key] != $0 }
        checkpoint.removedObjectives = objectives.keys.filter { objectiveStates[$0] == nil }
        objectives = objectiveStates
        let alertStates = Dictionary(rules.alertStates.map { ($0.key, $0) }) { $1 }
        checkpoint.alerts = alertStates.values.filter { checkpoint.isFull || alerts[$0.key] != $0 }
        checkpoint.removedAlerts = alerts.keys.filter { alertStates[$0] == nil }
        alerts = alertStates
        let processStates = registry.processes.takeStates()
        checkpoint.processes = processStates.filter { checkpoint.isFull || processes[$0.bot] != $0 }
        let processesNow = Dictionary(processStates.map { ($0.bot, $0) }) { $1 }
        checkpoint.removedProcesses = processes.keys.filter { processesNow[$0] == nil }
        processes = processesNow
        let goneNow = Dictionary(registry.gone.all.map { ($0.bot, $0) }) { $1 }
        checkpoint.gone = goneNow.values.filter { checkpoint.isFull || gone[$0.bot] != $0 }
        checkpoint.removedGone = gone.keys.filter { goneNow[$0] == nil }
        gone = goneNow
        let forgottenNow = Dictionary(registry.forgotten.states.map { ($0.name, $0) }) { $1 }
        checkpoint.forgotten = forgottenNow.values.filter { checkpoint.isFull || forgotten[$0.name] != $0 }
        checkpoint.removedForgotten = forgotten.keys.filter { forgottenNow[$0] == nil }
        forgotten = forgottenNow
        let botNames = Set(botStates.map(\.name))
        checkpoint.removedBots = bots.keys.filter { !botNames.contains($0) }
        bots = Dictionary(botStates.map { ($0.name, $0) }) { $1 }
        rings = Dictionary(ringStates.map { ($0.name, $0) }) { $1 }
        for ring in registry.rings { ring.keptIndex = ring.nextIndex }
        pastCount = registry.past.count
        return checkpoint
    }
}

extension ObjectiveState {
    /// What it is kept under.
    fileprivate var key: Checkpoint.Removed { Checkpoint.Removed(bot: bot, key: objective) }
}

extension AlertState {
    fileprivate var key: Checkpoint.Removed { Checkpoint.Removed(bot: snapshot.bot, key: snapshot.alert) }
}
