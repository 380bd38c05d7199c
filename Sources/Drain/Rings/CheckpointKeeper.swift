internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// Decides when a checkpoint is due, and collects the changes since the previous one.
///
/// A checkpoint is due:
/// - every second;
/// - at least 50 ms after the previous one, if a quarter of a ring's capacity has been read since, or if the rings were
///   caught up with after a backlog;
/// - at once, if a ring has gone or a request of an operator was carried out.
///
/// While a checkpoint is being written, the next one waits, and then contains all changes up to its start. After a
/// failure, everything is written five seconds later.
///
/// Thread rule: the drain's.
final class CheckpointKeeper {
    private let sink: any CheckpointSink
    private let bootID = Segment.Identifier.ofThisBoot()
    /// The entries of the last checkpoint, which show what has changed since.
    private var bots: CheckpointedEntries<BotState>
    private var rings: CheckpointedEntries<RingState>
    private var objectives: CheckpointedEntries<ObjectiveState>
    private var alerts: CheckpointedEntries<AlertState>
    private var silences: CheckpointedEntries<Silence>
    private var processes: CheckpointedEntries<BotProcessState>
    private var gone: CheckpointedEntries<GoneState>
    private var forgotten: CheckpointedEntries<RingState>
    private var pastCount: Int
    /// The number of the last checkpoint.
    private var number: UInt64
    /// Changes of series that the sink has stored.
    private var storedChanges: [CheckpointedChanges.Name] = []
    private let hasSavedChanges: Bool
    private var lastTaken: MonotonicTime
    private var isFirst = true
    /// Whether the rings have not been caught up with since the last checkpoint.
    private var isBehind = true
    /// Whether what an operator asked for is in no checkpoint yet.
    private var isRequestNew = false
    /// Whether the last checkpoint that was handed over has it.
    private var isRequestInLast = false

    static let intervalNanoseconds: Int64 = 1_000_000_000
    static let shortestIntervalNanoseconds: Int64 = 50_000_000
    static let retryNanoseconds: Int64 = 5_000_000_000
    /// The number of series whose levels one checkpoint contains. At the end of a half hour the levels of all series
    /// have changed.
    static let levelsOfACheckpoint = 200

    /// - Parameter saved: The state that the sink has stored already.
    init(sink: any CheckpointSink, saved: SavedState?, now: MonotonicTime) {
        self.sink = sink
        bots = CheckpointedEntries(saved?.bots ?? [])
        rings = CheckpointedEntries(saved?.rings ?? [])
        objectives = CheckpointedEntries(saved?.objectives ?? [])
        alerts = CheckpointedEntries(saved?.alerts ?? [])
        silences = CheckpointedEntries(saved?.silences ?? [])
        processes = CheckpointedEntries(saved?.processes ?? [])
        gone = CheckpointedEntries(saved?.gone ?? [])
        forgotten = CheckpointedEntries(saved?.forgotten ?? [])
        pastCount = saved?.pastRings.count ?? 0
        lastTaken = now
        number = saved?.number ?? 0
        hasSavedChanges = saved?.hasChanges ?? false
    }

    /// Whether the first checkpoint is written or has failed. Before that, a restart could show lower counts than are
    /// shown now.
    var isFirstDone: Bool { sink.outcome != nil }

    /// Why checkpoints cannot be written; nil if they can.
    var failure: String? {
        if case .failed(let reason)? = sink.outcome { return reason }
        return nil
    }

    /// Makes a checkpoint due at once: a request of an operator was carried out, which must survive a kill once it is
    /// answered.
    func noteRequest() { isRequestNew = true }

    /// Whether all that operators asked for is stored, or nothing can be.
    var areRequestsStored: Bool { failure != nil || !isRequestNew && !(isRequestInLast && sink.isBusy) }

    /// Hands over a checkpoint if one is due. Called between two turns of the drain.
    func turn(
        _ registry: RingRegistry, _ rules: RuleEvaluator, isCaughtUp: Bool, now: MonotonicTime, unixNanoseconds: Int64
    ) {
        defer { isBehind = isBehind || !isCaughtUp }
        guard !sink.isBusy, isDue(registry, rules, isCaughtUp: isCaughtUp, now: now) else { return }
        lastTaken = now
        isBehind = !isCaughtUp
        (isRequestInLast, isRequestNew) = (isRequestNew, false)
        let checkpoint = gather(registry, rules, now: now, unixNanoseconds: unixNanoseconds)
        // The first checkpoint is written even if nothing has changed, because it shows that a collector runs.
        guard isFirst || !checkpoint.isEmpty else { return }
        isFirst = false
        sink.take(checkpoint)
    }

    /// Writes the last checkpoint of an orderly end, and returns when it is written.
    func finish(_ registry: RingRegistry, _ rules: RuleEvaluator, now: MonotonicTime, unixNanoseconds: Int64) {
        // The result of the previous checkpoint may be unknown, so everything is written.
        sink.finish(gather(registry, rules, now: now, unixNanoseconds: unixNanoseconds, isLast: true))
    }

    private func isDue(
        _ registry: RingRegistry, _ rules: RuleEvaluator, isCaughtUp: Bool, now: MonotonicTime
    ) -> Bool {
        let elapsed = now - lastTaken
        if failure != nil { return elapsed >= Self.retryNanoseconds }
        if isFirst && isCaughtUp || elapsed >= Self.intervalNanoseconds { return true }
        // Records that were read from a ring that no longer exists cannot be read again.
        if registry.past.count != pastCount { return true }
        if isRequestNew { return true }
        guard elapsed >= Self.shortestIntervalNanoseconds else { return false }
        return isCaughtUp && isBehind || registry.rings.contains { hasComeFar($0) }
    }

    private func hasComeFar(_ ring: RingDrain) -> Bool {
        ring.nextIndex &- ring.checkpointedIndex >= ring.segment.geometry.capacity / 4
    }

    private func gather(
        _ registry: RingRegistry, _ rules: RuleEvaluator, now: MonotonicTime, unixNanoseconds: Int64,
        isLast: Bool = false
    ) -> Checkpoint {
        var checkpoint = Checkpoint(unixNanoseconds: unixNanoseconds, bootID: bootID)
        checkpoint.isLast = isLast
        // A series to which an earlier collector added changes is written as a whole before further changes.
        checkpoint.isFull = isLast || failure != nil || isFirst && hasSavedChanges
        number &+= 1
        checkpoint.ruleMoment = rules.moment(now: now)
        let isFull = checkpoint.isFull
        (checkpoint.bots, checkpoint.removedBots) = bots.take(registry.botStates, isFull: isFull)
        (checkpoint.rings, checkpoint.removedRings) = rings.take(registry.ringStates, isFull: isFull)
        (checkpoint.series, checkpoint.changes) = registry.takeSeriesChanges(number: number, all: isFull)
        let isOver: (CheckpointedChanges.Name) -> Bool = { [number] in
            isFull || $0.number &+ SeriesUpdate.longestRunOfChanges <= number
        }
        checkpoint.removedChanges = isFull ? [] : storedChanges.filter(isOver)
        storedChanges.removeAll(where: isOver)
        storedChanges += checkpoint.changes.map(\.name)
        checkpoint.levels = registry.takeLevelChanges(all: isFull, limit: isFull ? .max : Self.levelsOfACheckpoint)
        checkpoint.removedSeries = registry.takeDroppedSeries()
        if isFull || registry.past.count != pastCount { checkpoint.pastRings = registry.past.newest }
        (checkpoint.objectives, checkpoint.removedObjectives) =
            objectives.take(rules.states(registry, now: now), isFull: isFull)
        (checkpoint.alerts, checkpoint.removedAlerts) = alerts.take(rules.alertStates, isFull: isFull)
        (checkpoint.silences, checkpoint.removedSilences) = silences.take(rules.silenceStates, isFull: isFull)
        (checkpoint.processes, checkpoint.removedProcesses) =
            processes.take(registry.takeProcessStates(), isFull: isFull)
        (checkpoint.gone, checkpoint.removedGone) = gone.take(registry.gone.all, isFull: isFull)
        (checkpoint.forgotten, checkpoint.removedForgotten) =
            forgotten.take(registry.forgotten.states, isFull: isFull)
        for ring in registry.rings { ring.checkpointedIndex = ring.nextIndex }
        pastCount = registry.past.count
        return checkpoint
    }
}
