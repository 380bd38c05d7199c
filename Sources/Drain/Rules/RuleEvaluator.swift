internal import Configuration
internal import Exposition
internal import Platform
internal import RingReader
internal import Rules
internal import Series
internal import Spelling

/// Evaluates the objectives and alerts of all bots on the drain agent's thread.
///
/// Objectives are evaluated four times a second and at each snapshot, alerts once a second. Time is that of a
/// ``RuleClock``: an hour stays an hour if the wall clock is set.
final class RuleEvaluator {
    private var objectives: [ObjectiveDefinition] = []
    private var trackers: [Key: ObjectiveTracker] = [:]
    /// The stored state of objectives whose bots were not evaluated yet.
    private var restoredObjectives: [Key: ObjectiveState] = [:]
    private var alerts = AlertEvaluator()
    private var restoredAlerts: [AlertState] = []
    private var silences = SilenceBook()
    private var waiting = WaitingRules()
    /// The time from which rules with nothing to judge are logged; nil once they were logged.
    private var waitingLog: MonotonicTime?
    private let logger: Logger
    /// Receives changes for the exports; nil if there are none.
    private let mailbox: AlertMailbox?
    /// The events for the history; nil if there is no history.
    private var journal: AlertJournal?
    private let time: TimeSource
    private var clock: RuleClock
    private var nextNote: MonotonicTime = .min
    /// Whether records came since objectives were noted last.
    private var hasRecords = true
    /// The metrics that alerts and waiting rules read; nil if they may have changed.
    private var knownWanted: Set<String>?
    private var nextAlerts: MonotonicTime = .min
    /// The time up to which each bot's availability is counted.
    private var accounted: [String: MonotonicTime] = [:]

    private struct Key: Hashable {
        var objective: String
        var bot: String
    }

    static let noteIntervalNanoseconds: Int64 = 250_000_000
    static let alertIntervalNanoseconds: Int64 = 1_000_000_000
    /// The time within which bots that are present when a configuration is applied show their metrics.
    private static let waitingLogNanoseconds: Int64 = 10_000_000_000

    init(logger: Logger, time: TimeSource, mailbox: AlertMailbox? = nil, receipt: HistoryReceipt? = nil) {
        self.logger = logger
        self.time = time
        self.mailbox = mailbox
        journal = receipt.map { AlertJournal(receipt: $0) }
        clock = RuleClock(time)
    }

    /// Applies a configuration. The counts of an objective continue if it is unchanged.
    func use(_ configuration: CollectorConfiguration) {
        objectives = configuration.objectives
        let known = Dictionary(uniqueKeysWithValues: objectives.map { ($0.name, $0) })
        for (key, tracker) in trackers {
            if let next = known[key.objective], next.signature == tracker.definition.signature {
                trackers[key]?.definition = next
            } else {
                trackers[key] = nil
            }
        }
        alerts.use(configuration.alerts)
        alerts.restore(restoredAlerts, nowNanoseconds: clock.nanoseconds(time.monotonic()))
        restoredAlerts = []
        waiting = configuration.waiting
        knownWanted = nil
        waitingLog = time.monotonic() + Self.waitingLogNanoseconds
    }

    /// Restores the counts of an earlier collector, for objectives that are unchanged.
    ///
    /// - Parameter moment: The moment at which they were stored; nil if nothing was.
    func restore(
        _ states: [ObjectiveState], alerts: [AlertState], silences: [Silence], moment: RuleMoment?, isSameBoot: Bool
    ) {
        if let moment { clock = RuleClock(restoring: moment, isSameBoot: isSameBoot, time) }
        for state in states { restoredObjectives[Key(objective: state.objective, bot: state.bot)] = state }
        restoredAlerts = alerts
        self.silences.restore(silences)
    }

    /// Returns the present moment, which is stored with the counts.
    func moment(now: MonotonicTime) -> RuleMoment { clock.moment(now) }

    /// The alerts that fire or are about to.
    var alertStates: [AlertState] { alerts.states }

    /// The silences, as a checkpoint stores them.
    var silenceStates: [Silence] { silences.silences }

    /// Returns the counts of all objectives for the records read up to now.
    func states(_ registry: some BotRegistry, now: MonotonicTime) -> [ObjectiveState] {
        note(registry, now: now)
        return sortedKeys.compactMap { trackers[$0]?.checkpointState }
    }

    /// Makes the tracker of an objective for a bot, when the bot first has the metric.
    private func begin(_ key: Key, _ objective: ObjectiveDefinition, now: MonotonicTime) {
        guard trackers[key] == nil else { return }
        var tracker = ObjectiveTracker(objective, bot: key.bot)
        if let state = restoredObjectives.removeValue(forKey: key), state.signature == objective.signature {
            tracker.restore(state, nowSeconds: seconds(now))
        }
        trackers[key] = tracker
    }

    /// Returns whether alerts are evaluated in this turn.
    func isDue(now: MonotonicTime) -> Bool { now >= nextAlerts }

    /// Evaluates the objectives and alerts that are due.
    ///
    /// - Parameters:
    ///   - hasRecords: Whether records came since the last call. While none come, objectives are noted once a second with
    ///     the alerts, because only the time has changed in between.
    ///   - collector: Returns the collector's own statistics. Called if alerts are evaluated.
    func doWork(
        _ registry: some BotRegistry, now: MonotonicTime, hasRecords: Bool = true, collector: () -> CollectorSnapshot
    ) {
        self.hasRecords = self.hasRecords || hasRecords
        if now >= nextNote, self.hasRecords || now >= nextAlerts {
            nextNote = now + Self.noteIntervalNanoseconds
            self.hasRecords = false
            note(registry, now: now)
            logObjectives(now: now)
        }
        if now >= nextAlerts {
            nextAlerts = now + Self.alertIntervalNanoseconds
            let unixNow = time.unix()
            for silence in silences.expire(nowNanoseconds: clock.nanoseconds(now)) {
                log(ended: silence, reason: "its time is over")
            }
            let names = alerts.shownNames
            var bots = registry.snapshots(
                now: now,
                named: names.isDisjoint(with: OwnSeries.ofAllMetrics) ? wanted() : nil)
            if names.contains(AlertDefinition.unusualLevel) {
                for index in bots.indices { bots[index].levels = registry.levels(of: bots[index].name) }
            }
            let own = collector()
            let shown = names.isEmpty ? ShownSeries() : shown(names, bots, own, now: now, unixNanoseconds: unixNow)
            let all = [own.conditions(bots)] + bots
            noteWaiting(all, shown, registry, now: now)
            let changes = alerts.evaluate(
                all, shown: shown, nowNanoseconds: clock.nanoseconds(now), unixNanoseconds: unixNow)
            tell(changes, now: now, unixNanoseconds: unixNow)
        }
    }

    /// Returns the metrics that alerts and waiting rules read. As long as they do not change it returns the same set,
    /// so that the bots find their cached series of it.
    private func wanted() -> Set<String> {
        if let knownWanted { return knownWanted }
        let wanted = alerts.instruments.union(waiting.metrics)
        knownWanted = wanted
        return wanted
    }

    /// Finds out which rules have a series to judge, and logs why the others have none: each reason once.
    private func noteWaiting(
        _ bots: [BotSnapshot], _ shown: ShownSeries, _ registry: some BotRegistry, now: MonotonicTime
    ) {
        let before = waiting.count
        waiting.note(bots, shown)
        if waiting.count != before { knownWanted = nil }
        if let due = waitingLog {
            guard now >= due else { return }
            waitingLog = nil
            if !waiting.all.isEmpty {
                let registered = Set(registry.snapshots(now: now, named: nil).flatMap { $0.metrics.map(\.name) })
                waiting.suggest { $0.nearest(among: Array(registered)) }
            }
        }
        for rule in waiting.takeUnlogged() {
            var fields: [Logger.Field] = [("\(rule.kind)", .text(rule.name)), ("metric", .text(rule.metric))]
            if !rule.nearest.isEmpty { fields.append(("nearest", .text(rule.nearest))) }
            let reason = rule.reason.kind == .metric ? "no bot has registered it" : rule.reason.text
            fields.append(("reason", .text(reason)))
            logger.warn("\(rule.kind) has nothing to judge", fields)
        }
    }

    /// Returns the series that `/metrics` shows under some of the collector's names.
    private func shown(
        _ names: Set<String>, _ bots: [BotSnapshot], _ collector: CollectorSnapshot, now: MonotonicTime,
        unixNanoseconds: Int64
    ) -> ShownSeries {
        var snapshot = Snapshot(
            unixNanoseconds: unixNanoseconds, monotonicNanoseconds: now, bots: bots, collector: collector)
        snapshot.objectives = sortedKeys.compactMap { trackers[$0]?.snapshot(nowSeconds: seconds(now)) }
        snapshot.alerts = alerts.snapshots
        let asksForProcess = names.contains { $0.hasPrefix("process_") }
        let families = Families(snapshot, process: asksForProcess ? .ofThisProcess() : nil)
        return ShownSeries(families, named: names)
    }

    /// Ends the alerts and objectives of a forgotten bot, and removes their state.
    func forget(bot: String, now: MonotonicTime) {
        let unix = time.unix()
        let ended = alerts.forget(bot: bot, unixNanoseconds: unix)
        for key in sortedKeys where key.bot == bot {
            for change in trackers[key]?.ends(nowSeconds: seconds(now)) ?? [] {
                log(change, key, now: now, reason: Self.forgotten)
                mailbox?.post(event(change, key, unixNanoseconds: unix))
            }
            trackers[key] = nil
        }
        restoredObjectives = restoredObjectives.filter { $0.key.bot != bot }
        restoredAlerts.removeAll { $0.snapshot.bot == bot }
        accounted[bot] = nil
        if !ended.isEmpty { tell(ended, now: now, unixNanoseconds: unix) }
    }

    /// Executes an operator's request, and returns the result.
    func obey(_ order: AlertOrder, now: MonotonicTime) -> AlertAnswer {
        let (unix, ruleNow) = (time.unix(), clock.nanoseconds(now))
        switch order {
        case .resolve(let id):
            let known = alerts.snapshots
            guard let alert = known.first(where: { $0.id == id }) else { return .unknown(known.map(\.id)) }
            guard let ended = alerts.dismiss(alert.alert, bot: alert.bot, unixNanoseconds: unix) else {
                return .doesNotFire(alert.state)
            }
            tell([ended], now: now, unixNanoseconds: unix)
            return .resolved
        case .silence(let order):
            guard let silence = silences.add(order, nowNanoseconds: ruleNow, unixNanoseconds: unix) else {
                return .full
            }
            logger.info(
                "silence began",
                silence.fields + [("seconds", .integer(order.nanoseconds / 1_000_000_000))])
            let covered = alerts.snapshots.filter {
                silence.alert.matches($0.alert) && silence.bot.matches($0.bot)
            }
            return .silenced(
                silence.snapshot(nowNanoseconds: ruleNow, unixNanoseconds: unix), alerts: covered.count,
                names: alerts.definitions.map(\.name))
        case .unsilence(let number):
            guard let silence = silences.remove(number) else { return .noSilence(silences.silences.map(\.number)) }
            log(ended: silence, reason: "an operator ended it")
            return .unsilenced(silence.snapshot(nowNanoseconds: ruleNow, unixNanoseconds: unix))
        }
    }

    /// Logs the changes, and hands them over together with all alert states.
    private func tell(_ changes: [AlertSnapshot], now: MonotonicTime, unixNanoseconds unix: Int64) {
        for change in changes { log(change) }
        journal?.note(changes)
        guard let mailbox else { return }
        let ruleNow = clock.nanoseconds(now)
        func marked(_ alerts: [AlertSnapshot]) -> [AlertSnapshot] {
            silences.marked(alerts, nowNanoseconds: ruleNow, unixNanoseconds: unix)
        }
        mailbox.post(
            changes: marked(changes), firing: marked(alerts.firingSnapshots),
            objectives: firingObjectives(now: now), unixNanoseconds: unix)
    }

    private func event(_ change: ObjectiveChange, _ key: Key, unixNanoseconds: Int64) -> AlertMailbox.ObjectiveEvent {
        AlertMailbox.ObjectiveEvent(
            change: change, objective: key.objective, bot: key.bot, target: trackers[key]?.definition.target ?? 0,
            unixNanoseconds: unixNanoseconds)
    }

    /// Returns the objectives that are violated or burn, including those whose bots were not evaluated since the
    /// restart.
    private func firingObjectives(now: MonotonicTime) -> [AlertMailbox.ObjectiveEvent] {
        let waiting = objectives.flatMap { objective in
            restoredObjectives.values.filter { state in
                state.objective == objective.name && state.signature == objective.signature
                    && state.courses.contains(where: \.track.isFiring)
            }.map { state in
                var tracker = ObjectiveTracker(objective, bot: state.bot)
                tracker.restore(state, nowSeconds: seconds(now))
                return tracker
            }
        }
        return (sortedKeys.compactMap { trackers[$0] } + waiting).flatMap { tracker in
            tracker.firing(nowSeconds: seconds(now)).map { change, since in
                AlertMailbox.ObjectiveEvent(
                    change: change, objective: tracker.definition.name, bot: tracker.bot,
                    target: tracker.definition.target, unixNanoseconds: since)
            }
        }
    }

    private static let forgotten = "the bot was forgotten"

    /// Evaluates everything at the end of a replay, at whatever time it was evaluated last.
    func conclude(_ registry: some BotRegistry, now: MonotonicTime, collector: () -> CollectorSnapshot) {
        (nextNote, nextAlerts) = (.min, .min)
        doWork(registry, now: now, collector: collector)
    }

    /// Adds the state of objectives and alerts to a snapshot.
    func complete(_ snapshot: inout Snapshot, _ registry: some BotRegistry, now: MonotonicTime) {
        note(registry, now: now)
        snapshot.objectives = sortedKeys.compactMap { trackers[$0]?.snapshot(nowSeconds: seconds(now)) }
        let ruleNow = clock.nanoseconds(now)
        snapshot.alerts = silences.marked(
            alerts.snapshots, nowNanoseconds: ruleNow, unixNanoseconds: snapshot.unixNanoseconds)
        journal?.note([])
        snapshot.alertEvents = journal?.events ?? []
        snapshot.silences = silences.silences.map {
            $0.snapshot(nowNanoseconds: ruleNow, unixNanoseconds: snapshot.unixNanoseconds)
        }
        snapshot.waiting = waiting.all
    }

    private var sortedKeys: [Key] {
        trackers.keys.sorted { ($0.objective, $0.bot) < ($1.objective, $1.bot) }
    }

    private func seconds(_ now: MonotonicTime) -> Int64 { clock.seconds(now) }

    private func note(_ registry: some BotRegistry, now: MonotonicTime) {
        for bot in registry.botSeries {
            let whole = wholeSeconds(of: bot.name, now: now)
            for objective in objectives where objective.bot.matches(bot.name) {
                let key = Key(objective: objective.name, bot: bot.name)
                switch objective.measure {
                case .threshold(let rule):
                    guard let counts = bot.counts(of: rule) else { continue }
                    begin(key, objective, now: now)
                    trackers[key]?.note(total: counts, nowSeconds: seconds(now))
                case .availability:
                    let presence = whole > 0 ? registry.presence(of: bot, now: now) : nil
                    let new = EventCounts(good: presence == .up ? whole : 0, bad: presence == .dead ? whole : 0)
                    begin(key, objective, now: now)
                    trackers[key]?.note(new: new, nowSeconds: seconds(now))
                }
            }
        }
    }

    /// Returns the whole seconds since the last call for the bot; the rest of a second is added to the next result.
    private func wholeSeconds(of bot: String, now: MonotonicTime) -> UInt64 {
        let since = accounted[bot] ?? now
        let whole = max(0, (now - since) / 1_000_000_000)
        accounted[bot] = since + whole * 1_000_000_000
        return UInt64(whole)
    }

    private func logObjectives(now: MonotonicTime) {
        let unix = time.unix()
        for key in sortedKeys {
            for change in trackers[key]?.takeChanges(nowSeconds: seconds(now), unixNanoseconds: unix) ?? [] {
                log(change, key, now: now)
                mailbox?.post(event(change, key, unixNanoseconds: unix))
            }
        }
    }

    private func log(_ change: ObjectiveChange, _ key: Key, now: MonotonicTime, reason: String? = nil) {
        var fields: [Logger.Field] = [("objective", "\(key.objective)"), ("bot", "\(key.bot)")]
        if let reason { fields.append(("reason", .text(reason))) }
        switch change {
        case .state(.noData): logger.info("objective has no data", fields)
        case .state(.met): logger.info(reason == nil ? "objective met" : "objective ended", fields)
        case .state(.violated):
            let windows = trackers[key]?.snapshot(nowSeconds: seconds(now)).windows ?? []
            let violated = windows.first { $0.compliance != nil }
            logger.warn(
                "objective violated",
                fields + [
                    ("window", "\(violated?.name ?? "")"), ("compliance", .number(violated?.compliance ?? 0)),
                    ("bad", .integer(Int64(clamping: violated?.counts.bad ?? 0))),
                ])
        case .burn(let burn, isBurning: true):
            logger.warn(
                "error budget burns",
                fields + [
                    ("window", "\(burn.longWindow)/\(burn.shortWindow)"), ("rate", .number(burn.longRate ?? 0)),
                    ("limit", .number(burn.limit)),
                ])
        case .burn(let burn, isBurning: false):
            logger.info(
                "error budget no longer burns", fields + [("window", "\(burn.longWindow)/\(burn.shortWindow)")])
        }
    }

    private func log(ended silence: Silence, reason: String) {
        logger.info("silence ended", silence.fields + [("why", .text(reason))])
    }

    private func log(_ alert: AlertSnapshot) {
        var fields: [Logger.Field] = [
            ("alert", "\(alert.alert)"), ("severity", "\(alert.severity)"), ("bot", "\(alert.bot)"),
            ("condition", "\(alert.condition)"),
        ]
        if let value = alert.value { fields.append(("value", .number(value))) }
        if !alert.resolution.isEmpty { fields.append(("reason", .text(alert.resolution))) }
        for label in alert.labels { fields.append(("label_\(label.name)", "\(label.value)")) }
        if alert.state == .firing {
            logger.warn("alert firing", fields)
        } else {
            logger.info("alert resolved", fields)
        }
    }
}

extension Silence {
    fileprivate var fields: [Logger.Field] {
        [
            ("silence", .integer(Int64(clamping: number))), ("alert", .text(alert.description)),
            ("bot", .text(bot.description)), ("reason", .text(reason)),
        ]
    }
}
