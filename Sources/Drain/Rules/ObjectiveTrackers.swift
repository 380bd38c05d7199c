internal import Configuration
internal import Platform
internal import Rules
internal import Series

/// The state of every objective for every bot that has its metric. Times are seconds of a ``RuleClock``, except where a
/// parameter is a `MonotonicTime`.
struct ObjectiveTrackers {
    private var objectives: [ObjectiveDefinition] = []
    private var trackers: [Key: ObjectiveTracker] = [:]
    /// The stored state of objectives whose bots were not evaluated yet.
    private var restored: [Key: ObjectiveState] = [:]
    /// The time up to which each bot's availability is counted.
    private var accounted: [String: MonotonicTime] = [:]

    private struct Key: Hashable {
        var objective: String
        var bot: String
    }

    /// A change of one objective for one bot.
    struct Change {
        let change: ObjectiveChange
        let tracker: ObjectiveTracker

        /// Returns the change as the exports get it.
        func event(unixNanoseconds: Int64) -> AlertMailbox.ObjectiveEvent {
            AlertMailbox.ObjectiveEvent(
                change: change, objective: tracker.definition.name, bot: tracker.bot,
                target: tracker.definition.target, unixNanoseconds: unixNanoseconds)
        }
    }

    /// Applies the objectives of a configuration. The counts of an objective continue if it is unchanged.
    mutating func use(_ objectives: [ObjectiveDefinition]) {
        self.objectives = objectives
        let known = Dictionary(uniqueKeysWithValues: objectives.map { ($0.name, $0) })
        for (key, tracker) in trackers {
            if let next = known[key.objective], next.signature == tracker.definition.signature {
                trackers[key]?.definition = next
            } else {
                trackers[key] = nil
            }
        }
    }

    /// Restores the counts of an earlier collector, for objectives that are unchanged.
    mutating func restore(_ states: [ObjectiveState]) {
        for state in states { restored[Key(objective: state.objective, bot: state.bot)] = state }
    }

    /// Counts the events of all bots up to now.
    mutating func note(_ registry: some RuleBotSource, now: MonotonicTime, nowSeconds: Int64) {
        for bot in registry.botSeries {
            let whole = wholeSeconds(of: bot.name, now: now)
            for objective in objectives where objective.bot.matches(bot.name) {
                let key = Key(objective: objective.name, bot: bot.name)
                switch objective.measure {
                case .threshold(let rule):
                    guard let counts = bot.counts(of: rule) else { continue }
                    begin(key, objective, nowSeconds: nowSeconds)
                    trackers[key]?.note(total: counts, nowSeconds: nowSeconds)
                case .availability:
                    let availability = whole > 0 ? registry.availability(of: bot, now: now) : nil
                    let new = EventCounts(good: availability == .up ? whole : 0, bad: availability == .down ? whole : 0)
                    begin(key, objective, nowSeconds: nowSeconds)
                    trackers[key]?.note(new: new, nowSeconds: nowSeconds)
                }
            }
        }
    }

    /// Returns the whole seconds since the last call for the bot. The rest of a second is added to the next result.
    private mutating func wholeSeconds(of bot: String, now: MonotonicTime) -> UInt64 {
        let since = accounted[bot] ?? now
        let whole = max(0, (now - since) / 1_000_000_000)
        accounted[bot] = since + whole * 1_000_000_000
        return UInt64(whole)
    }

    /// Makes the tracker of an objective for a bot, when the bot first has the metric.
    private mutating func begin(_ key: Key, _ objective: ObjectiveDefinition, nowSeconds: Int64) {
        guard trackers[key] == nil else { return }
        var tracker = ObjectiveTracker(objective, bot: key.bot)
        if let state = restored.removeValue(forKey: key), state.signature == objective.signature {
            tracker.restore(state, nowSeconds: nowSeconds)
        }
        trackers[key] = tracker
    }

    /// Evaluates all objectives, and returns what changed since the last call.
    mutating func takeChanges(nowSeconds: Int64, unixNanoseconds: Int64) -> [Change] {
        var changes: [Change] = []
        for key in sortedKeys {
            let found =
                trackers[key]?.takeChanges(nowSeconds: nowSeconds, unixNanoseconds: unixNanoseconds) ?? []
            guard !found.isEmpty, let tracker = trackers[key] else { continue }
            changes += found.map { Change(change: $0, tracker: tracker) }
        }
        return changes
    }

    /// Ends the objectives of a forgotten bot, and removes their state.
    mutating func forget(bot: String, nowSeconds: Int64) -> [Change] {
        var changes: [Change] = []
        for key in sortedKeys where key.bot == bot {
            let ends = trackers[key]?.ends(nowSeconds: nowSeconds) ?? []
            if let tracker = trackers[key] { changes += ends.map { Change(change: $0, tracker: tracker) } }
            trackers[key] = nil
        }
        restored = restored.filter { $0.key.bot != bot }
        accounted[bot] = nil
        return changes
    }

    /// Returns the objectives that are violated or burn, and since when. Includes those whose bots were not evaluated since
    /// the restart.
    func firing(nowSeconds: Int64) -> [AlertMailbox.ObjectiveEvent] {
        let waiting = objectives.flatMap { objective in
            restored.values.filter { state in
                state.objective == objective.name && state.signature == objective.signature
                    && state.courses.contains(where: \.track.isFiring)
            }.map { state in
                var tracker = ObjectiveTracker(objective, bot: state.bot)
                tracker.restore(state, nowSeconds: nowSeconds)
                return tracker
            }
        }
        return (sortedKeys.compactMap { trackers[$0] } + waiting).flatMap { tracker in
            tracker.firing(nowSeconds: nowSeconds).map { change, since in
                Change(change: change, tracker: tracker).event(unixNanoseconds: since)
            }
        }
    }

    /// Returns the state of every objective, by objective and bot.
    func snapshots(nowSeconds: Int64) -> [ObjectiveSnapshot] {
        sortedKeys.compactMap { trackers[$0]?.snapshot(nowSeconds: nowSeconds) }
    }

    /// The counts of every objective, as a checkpoint stores them.
    var states: [ObjectiveState] { sortedKeys.compactMap { trackers[$0]?.checkpointState } }

    private var sortedKeys: [Key] {
        trackers.keys.sorted { ($0.objective, $0.bot) < ($1.objective, $1.bot) }
    }
}
