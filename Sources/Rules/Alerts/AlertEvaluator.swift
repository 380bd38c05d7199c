package import Series

/// Decides once a second which alerts fire. Pure: the caller passes the time and the bots' series.
package struct AlertEvaluator: Sendable {
    var alerts: [Key: Instance] = [:]
    private var known: Set<String> = []
    /// The time at which all bots were evaluated last; nil before the first time.
    private(set) var lastEvaluation: Int64?
    package private(set) var definitions: [AlertDefinition] = []
    /// The names of the metrics that the alerts read.
    package private(set) var instruments: Set<String> = []
    /// The names that the alerts read from the collector's own series and its account of bots.
    package private(set) var shownNames: Set<String> = []
    /// The metrics that each instrument and divisor may be derived from. They are found once, and not at each
    /// evaluation.
    private var derivations: [String: [DerivedSeries.Derivation]] = [:]

    struct Key: Hashable {
        var alert: String
        var bot: String
    }

    /// One alert of one bot.
    struct Instance {
        var definition: AlertDefinition
        var snapshot: AlertSnapshot
        var track: IncreaseTrack
        var course = FiringHysteresis()
        var stale = ChangeAgeTracker()
        /// The time since which the histograms' windows are filled; nil while they are not.
        var watchedSince: Int64?
        /// The lane of the gauge that the value was read from last; "" for values summed over lanes.
        var lane = ""
        /// Whether an operator has resolved the alert. It stays inactive until its condition has ceased to hold.
        var isDismissed = false
        /// The time until which the alert keeps its state while there is no data, after a restart of the collector.
        var patientUntil: Int64?

        var state: AlertSnapshot.State {
            if isDismissed { return .inactive }
            return course.isFiring ? .firing : course.heldSince == nil ? .inactive : .pending
        }

        /// Discards the time since which the condition has not held.
        mutating func waitAnew() {
            course.clearSince = nil
            snapshot.resolvingSinceUnixNanoseconds = nil
        }
    }

    package init() {}

    /// Replaces the definitions. An alert with an unchanged definition keeps its state.
    package mutating func use(_ definitions: [AlertDefinition]) {
        self.definitions = definitions
        instruments = Set(definitions.flatMap(\.metrics))
        shownNames = Self.shownNames(of: definitions)
        derivations = [:]
        for name in definitions.flatMap(\.instruments) { derivations[name] = DerivedSeries.all(named: name) }
        let names = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })
        alerts = alerts.filter { names[$0.key.alert]?.isSame(as: $0.value.definition) == true }
        for (key, instance) in alerts { alerts[key]?.definition = names[key.alert] ?? instance.definition }
    }

    private static func shownNames(of definitions: [AlertDefinition]) -> Set<String> {
        Set(
            definitions.flatMap { definition in
                definition.instruments.filter {
                    guard ShownSeries.owns($0), !AlertDefinition.ofCollector.contains($0) else { return false }
                    return BotAccountSeries.named($0).map { !definition.labels.isEmpty && !$0.hasLabels } ?? true
                }
            })
    }

    /// The state of all alerts, by severity, alert and bot.
    package var snapshots: [AlertSnapshot] { Self.sorted(alerts.values.map(\.snapshot)) }

    /// The state of the alerts that fire, in the same order.
    package var firingSnapshots: [AlertSnapshot] {
        Self.sorted(alerts.values.lazy.map(\.snapshot).filter { $0.state == .firing })
    }

    private static func sorted(_ snapshots: [AlertSnapshot]) -> [AlertSnapshot] {
        snapshots.sorted { ($0.severity, $0.alert, $0.bot) < ($1.severity, $1.alert, $1.bot) }
    }

    /// Evaluates all alerts of all bots.
    ///
    /// - Parameters:
    ///   - bots: The bots with the metrics of `instruments`, and possibly more. One of them represents the collector.
    ///   - shown: The series of `shownNames`.
    ///   - nowNanoseconds: The time at which the series were read, on a clock that never goes back.
    /// - Returns: The alerts that began to fire, and those that ended.
    package mutating func evaluate(
        _ bots: [BotSnapshot], shown: ShownSeries = ShownSeries(), nowNanoseconds now: Int64, unixNanoseconds: Int64
    ) -> [AlertSnapshot] {
        var changes: [AlertSnapshot] = []
        for bot in bots {
            for definition in definitions where definition.bot.matches(bot.name) {
                let look = read(definition, of: bot, shown, now, unixNanoseconds)
                if let change = judge(definition, bot.name, bot, look, now, unixNanoseconds) {
                    changes.append(change)
                }
            }
            known.insert(bot.name)
        }
        lastEvaluation = now
        return changes + judgeAbsentBots(bots, now, unixNanoseconds)
    }

    /// Judges the alerts of bots that have disappeared. A firing alert keeps firing, because its state is unknown. A
    /// pending alert becomes inactive.
    private mutating func judgeAbsentBots(
        _ bots: [BotSnapshot], _ now: Int64, _ unix: Int64
    ) -> [AlertSnapshot] {
        let names = Set(bots.map(\.name))
        let gone = alerts.lazy.filter { key, instance in
            instance.snapshot.state != .inactive && !names.contains(key.bot)
                && instance.patientUntil.map { now >= $0 } ?? true
        }
        return gone.sorted { ($0.key.alert, $0.key.bot) < ($1.key.alert, $1.key.bot) }
            .compactMap { judge($0.value.definition, $0.key.bot, nil, .nothing, now, unix) }
    }

    /// Ends all alerts of a forgotten bot.
    ///
    /// - Returns: The alerts that were firing, in their final state.
    package mutating func forget(bot: String, unixNanoseconds: Int64) -> [AlertSnapshot] {
        known.remove(bot)
        let keys = alerts.keys.filter { $0.bot == bot }.sorted { $0.alert < $1.alert }
        return keys.compactMap { alerts.removeValue(forKey: $0)?.snapshot }.filter { $0.state == .firing }.map {
            var ended = $0
            (ended.value, ended.labels) = (nil, [])
            ended.end(unixNanoseconds, "the bot was forgotten")
            return ended
        }
    }

    /// Evaluates one alert of one bot.
    ///
    /// - Returns: The present state of the alert if it began to fire or ended; otherwise nil.
    private mutating func judge(
        _ definition: AlertDefinition, _ name: String, _ bot: BotSnapshot?, _ look: AlertLook, _ now: Int64,
        _ unix: Int64
    ) -> AlertSnapshot? {
        let key = Key(alert: definition.name, bot: name)
        guard var instance = alerts[key] else { return nil }
        let reading = look.reading
        let holds = reading.map { definition.comparison.holds($0.value, definition.threshold) } ?? false
        if !holds, let until = instance.patientUntil, now < until,
            reading == nil || definition.statistic.isEmptiedByRestart
        {
            return nil
        }
        if instance.snapshot.state == .firing, instance.isUnknown(bot, reading, holds: holds) {
            instance.snapshot.unknownSinceUnixNanoseconds = instance.snapshot.unknownSinceUnixNanoseconds ?? unix
            if bot?.presence != .up { instance.waitAnew() }
            alerts[key] = instance
            return nil
        }
        // A firing alert keeps its state until it can be judged.
        if instance.snapshot.state == .firing, look.isTooEarly { return nil }
        if !holds { instance.isDismissed = false }
        if !instance.isDismissed {
            // A bot that closed its ring has ended cleanly, and its alerts end at once.
            let calm = bot?.presence == .closed ? 0 : definition.resolveSeconds
            instance.course.note(
                holds: holds, now: now, wait: definition.forSeconds * 1_000_000_000, calm: calm * 1_000_000_000,
                span: calm > 0 ? FiringHysteresis.flapSpanSeconds * 1_000_000_000 : 0)
        }
        let before = instance.snapshot.state
        let state = instance.state
        instance.snapshot.value = reading?.value
        instance.snapshot.runbook = definition.annotations.runbook
        instance.snapshot.labels = reading?.labels ?? []
        instance.snapshot.unknownSinceUnixNanoseconds = nil
        instance.snapshot.resolvingSinceUnixNanoseconds =
            instance.course.clearSince == nil ? nil : instance.snapshot.resolvingSinceUnixNanoseconds ?? unix
        if let reading { instance.lane = reading.lane }
        if before == .firing, state != .firing {
            instance.snapshot.end(
                unix,
                bot?.presence == .closed
                    ? "the bot closed its ring"
                    : reading == nil ? "there is no more data" : "the condition no longer holds")
        }
        if state == .firing { instance.snapshot.resolution = "" }
        if state != before { (instance.snapshot.state, instance.snapshot.sinceUnixNanoseconds) = (state, unix) }
        alerts[key] = instance
        return (state == .firing) != (before == .firing) ? instance.snapshot : nil
    }

    /// Ends a firing alert at an operator's request. It stays ended until its condition has ceased to hold.
    ///
    /// - Returns: The final state of the alert; nil if it does not fire.
    package mutating func dismiss(_ alert: String, bot: String, unixNanoseconds: Int64) -> AlertSnapshot? {
        let key = Key(alert: alert, bot: bot)
        guard var instance = alerts[key], instance.snapshot.state == .firing else { return nil }
        instance.isDismissed = true
        instance.course.isFiring = false
        instance.waitAnew()
        instance.snapshot.end(unixNanoseconds, "an operator resolved it")
        alerts[key] = instance
        return instance.snapshot
    }

    /// Reads the value that the alert compares. Makes the alert of a bot when the bot first has the instrument, or for
    /// `absent` when the bot is first up.
    private mutating func read(
        _ definition: AlertDefinition, of bot: BotSnapshot, _ shown: ShownSeries, _ now: Int64, _ unix: Int64
    ) -> AlertLook {
        let key = Key(alert: definition.name, bot: bot.name)
        let series = bot.series(
            of: definition.instrument, labels: definition.labels, shown, derivations[definition.instrument])
        if alerts[key] == nil {
            guard !series.isEmpty || definition.statistic == .absent && bot.canLack else { return .nothing }
            var snapshot = AlertSnapshot(
                alert: definition.name, severity: definition.severity, bot: bot.name, state: .inactive,
                condition: definition.condition, value: nil, labels: [], sinceUnixNanoseconds: 0)
            snapshot.unit = definition.unit
            alerts[key] = Instance(
                definition: definition, snapshot: snapshot, track: IncreaseTrack(window: definition.window))
        }
        switch definition.statistic {
        case .value:
            let divisors = definition.divisor.map { bot.series(of: $0, labels: [], shown, derivations[$0]) }
            return AlertLook(worst(definition, series.compactMap { $0.value(dividedBy: divisors) }))
        case .age: return AlertLook(worst(definition, series.compactMap { $0.age(unixNanoseconds: unix) }))
        case .absent: return bot.canLack ? .reading(AlertReading(value: series.isEmpty ? 1 : 0)) : .nothing
        case .stale: return stale(definition, key, bot.presence == .up ? series : [], now)
        case .quantile(let quantile):
            return self.quantile(quantile, definition, key, series, now)
        case .growth:
            // A bot that is down has no resident memory. When it comes back, its window starts again.
            if series.isEmpty { alerts[key]?.track = IncreaseTrack(window: definition.window) }
            guard !series.isEmpty else { return .nothing }
            let value = series.reduce(0) { $0 + ($1.value ?? 0) }
            alerts[key]?.track.note(ExactTotal(.real(value)), .zero, nowNanoseconds: now)
            guard let window = alerts[key]?.track.wholeWindow, window.beginning > 0,
                !(window.change / window.beginning).isNaN
            else { return .nothing }
            return .reading(AlertReading(value: window.change / window.beginning))
        case .increase, .rate, .ratio, .rateToMedian:
            let divisors = definition.divisor.map { bot.series(of: $0, labels: [], shown, derivations[$0]) } ?? []
            return increase(definition, key, series, divisors, now)
        }
    }

    private func worst(_ definition: AlertDefinition, _ readings: [AlertReading]) -> AlertReading? {
        readings.reduce(nil) { worst, reading in
            worst.map { definition.comparison.prefers(reading.value, to: $0.value) ? reading : $0 } ?? reading
        }
    }

    private mutating func quantile(
        _ quantile: Double, _ definition: AlertDefinition, _ key: Key, _ series: [AlertSeries], _ now: Int64
    ) -> AlertLook {
        // The windows of a bot that is down are empty, and so are the windows of a restarted collector.
        guard series.contains(where: { !$0.windows.isEmpty }) else {
            alerts[key]?.watchedSince = nil
            return .nothing
        }
        let since = alerts[key]?.watchedSince ?? now
        alerts[key]?.watchedSince = since
        let needed = definition.neededCoverage() * Double(definition.window.lengthSeconds) * 1e9
        guard Double(now - since) >= needed else { return .tooEarly }
        return AlertLook(
            worst(
                definition,
                series.compactMap { $0.quantile(quantile, window: definition.window.name, minimum: definition.minimum) }
            ))
    }

    private mutating func stale(
        _ definition: AlertDefinition, _ key: Key, _ series: [AlertSeries], _ now: Int64
    ) -> AlertLook {
        alerts[key]?.stale.note(series, nowNanoseconds: now)
        guard let (reading, isLeast) = alerts[key]?.stale.longest(nowNanoseconds: now) else { return .nothing }
        // A collector that was just restarted does not know for how long the series has been unchanged.
        if isLeast, !definition.comparison.holds(reading.value, definition.threshold) { return .tooEarly }
        return .reading(reading)
    }

    private mutating func increase(
        _ definition: AlertDefinition, _ key: Key, _ series: [AlertSeries], _ divisors: [AlertSeries], _ now: Int64
    ) -> AlertLook {
        let total = series.reduce(.zero) { $0 + $1.total }
        let other = divisors.reduce(.zero) { $0 + $1.total }
        guard let wasEmpty = alerts[key]?.track.isEmpty else { return .nothing }
        // If a bot appears while the collector watches, all that it counts is an increase. A ratio waits until both
        // totals were read twice.
        if wasEmpty, !known.contains(key.bot), [.increase, .rate].contains(definition.statistic) {
            let watched = series.reduce(0) { $0 + $1.watched }
            let before = total - ExactTotal(Int64(exactly: watched).map { .signed($0) } ?? .real(watched))
            alerts[key]?.track.note(before, .zero, nowNanoseconds: min(lastEvaluation ?? .max, now - 1_000_000_000))
        }
        // The track is changed in place, so that the samples of an hour are not copied for one more.
        alerts[key]?.track.note(total, other, nowNanoseconds: now)
        guard let track = alerts[key]?.track, let increase = track.increase, !increase.total.isNaN else {
            return .nothing
        }
        guard track.watchedShare >= definition.neededCoverage(mayFall: series.contains(where: \.mayFall)) else {
            return .tooEarly
        }
        switch definition.statistic {
        case .increase: return .reading(AlertReading(value: increase.total))
        case .rate:
            // For `>` and `>=`, the rate is the least that is possible over the whole window. For `<` and `<=`, it is
            // the rate over the watched time.
            let share = definition.comparison.asksForMore ? 1 : track.watchedShare
            return .reading(AlertReading(value: increase.total / (share * Double(definition.window.lengthSeconds))))
        case .rateToMedian:
            guard let steps = track.lastStepAndMedian, steps.median > 0, steps.median >= definition.minimum else {
                return .nothing
            }
            return .reading(AlertReading(value: steps.last / steps.median))
        case .ratio:
            guard increase.other > 0, increase.other >= definition.minimum,
                !(increase.total / increase.other).isNaN
            else { return .nothing }
            return .reading(AlertReading(value: increase.total / increase.other))
        default: return .nothing
        }
    }
}

extension AlertSnapshot {
    /// Ends the alert.
    fileprivate mutating func end(_ unixNanoseconds: Int64, _ reason: String) {
        firedSinceUnixNanoseconds = sinceUnixNanoseconds
        (state, sinceUnixNanoseconds) = (.inactive, unixNanoseconds)
        (unknownSinceUnixNanoseconds, resolvingSinceUnixNanoseconds, resolution) = (nil, nil, reason)
    }
}

extension BotSnapshot {
    /// Whether the bot can lack a series that it should have.
    fileprivate var canLack: Bool { presence == .up && name != ShownSeries.collector }
}
