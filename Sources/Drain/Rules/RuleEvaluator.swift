internal import Configuration
internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// Holds the bots to their objectives and looks for what is to be told, on the drain agent's thread.
///
/// Objectives are noted four times a second and at each snapshot, alerts once a second. Time is that of a ``RuleClock``: hours
/// stay hours when the wall clock is set.
final class RuleEvaluator {
    private var objectives: [ObjectiveDefinition] = []
    private var trackers: [Key: ObjectiveTracker] = [:]
    /// What an earlier collector kept of objectives whose bots were not looked at yet.
    private var kept: [Key: ObjectiveState] = [:]
    private var alerts = AlertEvaluator()
    private var keptAlerts: [AlertState] = []
    private let logger: Logger
    /// Who tells others of what changes; nil where nobody does.
    private let board: AlertMailbox?
    private let time: TimeSource
    private var clock: RuleClock
    private var nextNote: MonotonicTime = .min
    private var nextAlerts: MonotonicTime = .min
    /// Until when each bot's availability is accounted for.
    private var accounted: [String: MonotonicTime] = [:]

    private struct Key: Hashable {
        var objective: String
        var bot: String
    }

    static let noteIntervalNanoseconds: Int64 = 250_000_000
    static let alertIntervalNanoseconds: Int64 = 1_000_000_000

    init(logger: Logger, time: TimeSource, board: AlertMailbox? = nil) {
        self.logger = logger
        self.time = time
        self.board = board
        clock = RuleClock(time)
    }

    /// Goes by these from here on. What an objective counted goes on where the objective is the same.
    func use(_ configuration: Configuration) {
        objectives = configuration.objectives
        let known = Dictionary(uniqueKeysWithValues: objectives.map { ($0.name, $0) })
        trackers = trackers.filter { known[$0.key.objective] == $0.value.definition }
        alerts.use(configuration.alerts)
        alerts.restore(keptAlerts, nowNanoseconds: clock.nanoseconds(time.monotonic()))
        keptAlerts = []
    }

    /// Goes on from what an earlier collector counted, where the objective is the same.
    ///
    /// - Parameter moment: when it was kept; nil where nothing was.
    func restore(_ states: [ObjectiveState], alerts: [AlertState], moment: RuleMoment?, isSameBoot: Bool) {
        if let moment { clock = RuleClock(resuming: moment, isSameBoot: isSameBoot, time) }
        for state in states { kept[Key(objective: state.objective, bot: state.bot)] = state }
        keptAlerts = alerts
    }

    /// When it is, to be kept with what was counted.
    func moment(now: MonotonicTime) -> RuleMoment { clock.moment(now) }

    /// The alerts that fire or are about to.
    var alertStates: [AlertState] { alerts.states }

    /// What every objective has counted of the records that were read up to now.
    func states(_ registry: some BotRegistry, now: MonotonicTime) -> [ObjectiveState] {
        note(registry, now: now)
        return sortedKeys.compactMap { trackers[$0]?.kept }
    }

    /// The tracker of an objective and a bot is made when the bot first has what it is for.
    private func begin(_ key: Key, _ objective: ObjectiveDefinition) {
        guard trackers[key] == nil else { return }
        var tracker = ObjectiveTracker(objective, bot: key.bot)
        if let state = kept.removeValue(forKey: key), state.signature == objective.signature { tracker.restore(state) }
        trackers[key] = tracker
    }

    /// Does what is due.
    func doWork(_ registry: some BotRegistry, now: MonotonicTime) {
        if now >= nextNote {
            nextNote = now + Self.noteIntervalNanoseconds
            note(registry, now: now)
            logObjectives(now: now)
        }
        if now >= nextAlerts {
            nextAlerts = now + Self.alertIntervalNanoseconds
            let unixNow = time.unix()
            let bots = registry.snapshots(now: now, named: alerts.instruments)
            let changes = alerts.evaluate(
                bots, nowNanoseconds: clock.nanoseconds(now), unixNanoseconds: unixNow)
            for change in changes { log(change) }
            board?.post(
                changes: changes, standing: firing, unixNanoseconds: unixNow)
        }
    }

    /// Ends what is said of a bot that is forgotten, and lets go of it.
    func forget(bot: String, now: MonotonicTime) {
        let unix = time.unix()
        let ended = alerts.forget(bot: bot, unixNanoseconds: unix)
        for alert in ended { log(alert, reason: Self.forgotten) }
        if !ended.isEmpty { board?.post(changes: ended, standing: firing, unixNanoseconds: unix) }
        for key in sortedKeys where key.bot == bot {
            for change in trackers[key]?.ends(nowSeconds: seconds(now)) ?? [] {
                log(change, key, now: now, reason: Self.forgotten)
                board?.post(
                    change, objective: key.objective, bot: bot, target: trackers[key]?.definition.target ?? 0,
                    unixNanoseconds: unix)
            }
            trackers[key] = nil
        }
        kept = kept.filter { $0.key.bot != bot }
        keptAlerts.removeAll { $0.snapshot.bot == bot }
        accounted[bot] = nil
    }

    private static let forgotten = "the bot was forgotten"

    private var firing: [AlertSnapshot] { alerts.snapshots.filter { $0.state == .firing } }

    /// Does all that may be due at the end of a replay, whenever it was done last.
    func conclude(_ registry: some BotRegistry, now: MonotonicTime) {
        (nextNote, nextAlerts) = (.min, .min)
        doWork(registry, now: now)
    }

    /// Adds how all stands to a snapshot.
    func complete(_ snapshot: inout Snapshot, _ registry: some BotRegistry, now: MonotonicTime) {
        note(registry, now: now)
        snapshot.objectives = sortedKeys.compactMap { trackers[$0]?.snapshot(nowSeconds: seconds(now)) }
        snapshot.alerts = alerts.snapshots
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
                    begin(key, objective)
                    trackers[key]?.note(total: counts, nowSeconds: seconds(now))
                case .availability:
                    let presence = registry.presence(of: bot)
                    let new = EventCounts(good: presence == .up ? whole : 0, bad: presence == .dead ? whole : 0)
                    begin(key, objective)
                    trackers[key]?.note(new: new, nowSeconds: seconds(now))
                }
            }
        }
    }

    /// Seconds that passed since this was last asked of the bot; what is left of one waits for the next time.
    private func wholeSeconds(of bot: String, now: MonotonicTime) -> UInt64 {
        let since = accounted[bot] ?? now
        let whole = max(0, (now - since) / 1_000_000_000)
        accounted[bot] = since + whole * 1_000_000_000
        return UInt64(whole)
    }

    private func logObjectives(now: MonotonicTime) {
        for key in sortedKeys {
            for change in trackers[key]?.takeChanges(nowSeconds: seconds(now)) ?? [] {
                log(change, key, now: now)
                board?.post(
                    change, objective: key.objective, bot: key.bot, target: trackers[key]?.definition.target ?? 0,
                    unixNanoseconds: time.unix())
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
        case .burn(let burn) where burn.isBurning == true:
            logger.warn(
                "error budget burns",
                fields + [
                    ("window", "\(burn.longWindow)/\(burn.shortWindow)"), ("rate", .number(burn.longRate ?? 0)),
                    ("limit", .number(burn.limit)),
                ])
        case .burn(let burn):
            logger.info(
                "error budget burns no longer", fields + [("window", "\(burn.longWindow)/\(burn.shortWindow)")])
        }
    }

    private func log(_ alert: AlertSnapshot, reason: String? = nil) {
        var fields: [Logger.Field] = [
            ("alert", "\(alert.alert)"), ("severity", "\(alert.severity)"), ("bot", "\(alert.bot)"),
            ("condition", "\(alert.condition)"),
        ]
        if let value = alert.value { fields.append(("value", .number(value))) }
        if let reason { fields.append(("reason", .text(reason))) }
        for label in alert.labels { fields.append(("label_\(label.name)", "\(label.value)")) }
        if alert.state == .firing {
            logger.warn("alert firing", fields)
        } else {
            logger.info("alert resolved", fields)
        }
    }
}
