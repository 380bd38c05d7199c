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
    private var objectives = ObjectiveTrackers()
    private var alerts = AlertEvaluator()
    private var restoredAlerts: [AlertState] = []
    private var silences = SilenceBook()
    private var waiting = WaitingRules()
    /// The time from which rules with nothing to judge are logged; nil once they were logged.
    private var waitingLog: MonotonicTime?
    private let log: RuleLog
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

    static let noteIntervalNanoseconds: Int64 = 250_000_000
    static let alertIntervalNanoseconds: Int64 = 1_000_000_000
    /// The time within which bots that are present when a configuration is applied show their metrics.
    private static let waitingLogNanoseconds: Int64 = 10_000_000_000

    init(logger: Logger, time: TimeSource, mailbox: AlertMailbox? = nil, receipt: HistoryReceipt? = nil) {
        log = RuleLog(logger: logger)
        self.time = time
        self.mailbox = mailbox
        journal = receipt.map { AlertJournal(receipt: $0) }
        clock = RuleClock(time)
    }

    /// Applies a configuration. The counts of an objective continue if it is unchanged.
    func use(_ configuration: CollectorConfiguration) {
        objectives.use(configuration.objectives)
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
        objectives.restore(states)
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
    func states(_ registry: some RuleBotSource, now: MonotonicTime) -> [ObjectiveState] {
        objectives.note(registry, now: now, nowSeconds: clock.seconds(now))
        return objectives.states
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
        _ registry: some RuleBotSource, now: MonotonicTime, hasRecords: Bool = true, collector: () -> CollectorSnapshot
    ) {
        self.hasRecords = self.hasRecords || hasRecords
        if now >= nextNote, self.hasRecords || now >= nextAlerts {
            nextNote = now + Self.noteIntervalNanoseconds
            self.hasRecords = false
            noteObjectives(registry, now: now)
        }
        if now >= nextAlerts {
            nextAlerts = now + Self.alertIntervalNanoseconds
            let unixNow = time.unix()
            for silence in silences.expire(nowNanoseconds: clock.nanoseconds(now)) {
                log.write(ended: silence, reason: "its time is over")
            }
            let names = alerts.shownNames
            var bots = registry.snapshots(
                now: now,
                named: names.isDisjoint(with: CollectorMetric.ofAllMetrics) ? wanted() : nil)
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
        _ bots: [BotSnapshot], _ shown: ShownSeries, _ registry: some RuleBotSource, now: MonotonicTime
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
        for rule in waiting.takeUnlogged() { log.write(rule) }
    }

    /// Returns the series that `/metrics` shows under some of the collector's names.
    private func shown(
        _ names: Set<String>, _ bots: [BotSnapshot], _ collector: CollectorSnapshot, now: MonotonicTime,
        unixNanoseconds: Int64
    ) -> ShownSeries {
        var snapshot = Snapshot(
            unixNanoseconds: unixNanoseconds, monotonicNanoseconds: now, bots: bots, collector: collector)
        snapshot.objectives = objectives.snapshots(nowSeconds: clock.seconds(now))
        snapshot.alerts = alerts.snapshots
        let asksForProcess = names.contains { $0.hasPrefix("process_") }
        let families = Families(snapshot, process: asksForProcess ? .ofThisProcess() : nil)
        return ShownSeries(families, named: names)
    }

    /// Ends the alerts and objectives of a forgotten bot, and removes their state.
    func forget(bot: String, now: MonotonicTime) {
        let unix = time.unix()
        let ended = alerts.forget(bot: bot, unixNanoseconds: unix)
        for change in objectives.forget(bot: bot, nowSeconds: clock.seconds(now)) {
            log.write(change, nowSeconds: clock.seconds(now), reason: Self.forgotten)
            mailbox?.post(change.event(unixNanoseconds: unix))
        }
        restoredAlerts.removeAll { $0.snapshot.bot == bot }
        if !ended.isEmpty { tell(ended, now: now, unixNanoseconds: unix) }
    }

    /// Executes an operator's request, and returns the result.
    func obey(_ order: AlertCommand, now: MonotonicTime) -> AlertAnswer {
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
            log.write(began: silence, nanoseconds: order.nanoseconds)
            let covered = alerts.snapshots.filter {
                silence.alert.matches($0.alert) && silence.bot.matches($0.bot)
            }
            return .silenced(
                silence.snapshot(nowNanoseconds: ruleNow, unixNanoseconds: unix), alerts: covered.count,
                names: alerts.definitions.map(\.name))
        case .unsilence(let number):
            guard let silence = silences.remove(number) else { return .noSilence(silences.silences.map(\.number)) }
            log.write(ended: silence, reason: "an operator ended it")
            return .unsilenced(silence.snapshot(nowNanoseconds: ruleNow, unixNanoseconds: unix))
        }
    }

    /// Logs the changes, and hands them over together with all alert states.
    private func tell(_ changes: [AlertSnapshot], now: MonotonicTime, unixNanoseconds unix: Int64) {
        for change in changes { log.write(change) }
        journal?.note(changes)
        guard let mailbox else { return }
        let ruleNow = clock.nanoseconds(now)
        func marked(_ alerts: [AlertSnapshot]) -> [AlertSnapshot] {
            silences.marked(alerts, nowNanoseconds: ruleNow, unixNanoseconds: unix)
        }
        mailbox.post(
            changes: marked(changes), firing: marked(alerts.firingSnapshots),
            objectives: objectives.firing(nowSeconds: clock.seconds(now)), unixNanoseconds: unix)
    }

    private static let forgotten = "the bot was forgotten"

    /// Evaluates everything at the end of a replay, at whatever time it was evaluated last.
    func conclude(_ registry: some RuleBotSource, now: MonotonicTime, collector: () -> CollectorSnapshot) {
        (nextNote, nextAlerts) = (.min, .min)
        doWork(registry, now: now, collector: collector)
    }

    /// Adds the state of objectives and alerts to a snapshot.
    func complete(_ snapshot: inout Snapshot, _ registry: some RuleBotSource, now: MonotonicTime) {
        objectives.note(registry, now: now, nowSeconds: clock.seconds(now))
        snapshot.objectives = objectives.snapshots(nowSeconds: clock.seconds(now))
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

    /// Counts the events of objectives, and reports what changed.
    private func noteObjectives(_ registry: some RuleBotSource, now: MonotonicTime) {
        let (seconds, unix) = (clock.seconds(now), time.unix())
        objectives.note(registry, now: now, nowSeconds: seconds)
        for change in objectives.takeChanges(nowSeconds: seconds, unixNanoseconds: unix) {
            log.write(change, nowSeconds: seconds)
            mailbox?.post(change.event(unixNanoseconds: unix))
        }
    }
}
