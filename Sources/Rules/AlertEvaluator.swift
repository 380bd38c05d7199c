package import Series

/// Decides once a second which alerts fire. Pure: the caller says what time it is and what the bots' series are.
package struct AlertEvaluator: Sendable {
    var alerts: [Key: Standing] = [:]
    private var known: Set<String> = []
    /// When all bots were looked at last; nil before the first time.
    private var lastEvaluation: Int64?
    package private(set) var definitions: [AlertDefinition] = []

    struct Key: Hashable {
        var alert: String
        var bot: String
    }

    /// One alert of one bot.
    struct Standing {
        var definition: AlertDefinition
        var snapshot: AlertSnapshot
        var track: IncreaseTrack
        var heldSince: Int64?
        /// Until when it stands as it did where there is no data, since the collector was just restarted.
        var patientUntil: Int64?
    }

    package init() {}

    /// Evaluates these from here on. One that was there before, unchanged, goes on as it stands.
    package mutating func use(_ definitions: [AlertDefinition]) {
        self.definitions = definitions
        let names = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })
        alerts = alerts.filter { names[$0.key.alert]?.isSame(as: $0.value.definition) == true }
    }

    /// The names of the metrics that are looked at.
    package var instruments: Set<String> { Set(definitions.flatMap(\.instruments)) }

    /// How they stand, by severity, alert and bot.
    package var snapshots: [AlertSnapshot] {
        alerts.values.map(\.snapshot).sorted { ($0.severity, $0.alert, $0.bot) < ($1.severity, $1.alert, $1.bot) }
    }

    /// Evaluates all alerts of all bots.
    ///
    /// - Parameters:
    ///   - bots: With the metrics of `instruments`; more do no harm.
    ///   - nowNanoseconds: When the series were read, on a clock that never goes back.
    /// - Returns: The alerts that began to fire, and those that ended.
    package mutating func evaluate(
        _ bots: [BotSnapshot], nowNanoseconds now: Int64, unixNanoseconds: Int64
    ) -> [AlertSnapshot] {
        var changes: [AlertSnapshot] = []
        for bot in bots {
            for definition in definitions where definition.bot.matches(bot.name) {
                let reading = read(definition, of: bot, now)
                if let change = judge(definition, bot.name, reading, now, unixNanoseconds) {
                    changes.append(change)
                }
            }
            known.insert(bot.name)
        }
        lastEvaluation = now
        return changes + endOfThoseGone(bots, now, unixNanoseconds)
    }

    /// Of a bot that is not there any more nothing fires.
    private mutating func endOfThoseGone(
        _ bots: [BotSnapshot], _ now: Int64, _ unix: Int64
    ) -> [AlertSnapshot] {
        let names = Set(bots.map(\.name))
        let gone = alerts.filter { key, standing in
            standing.snapshot.state != .inactive && !names.contains(key.bot)
                && standing.patientUntil.map { now >= $0 } ?? true
        }
        return gone.sorted { ($0.key.alert, $0.key.bot) < ($1.key.alert, $1.key.bot) }
            .compactMap { judge($0.value.definition, $0.key.bot, nil, now, unix) }
    }

    /// Ends all alerts of a bot of which nothing is known any more.
    ///
    /// - Returns: Those that fired, as they end.
    package mutating func forget(bot: String, unixNanoseconds: Int64) -> [AlertSnapshot] {
        known.remove(bot)
        let keys = alerts.keys.filter { $0.bot == bot }.sorted { $0.alert < $1.alert }
        return keys.compactMap { alerts.removeValue(forKey: $0)?.snapshot }.filter { $0.state == .firing }.map {
            var ended = $0
            (ended.state, ended.value, ended.labels) = (.inactive, nil, [])
            ended.sinceUnixNanoseconds = unixNanoseconds
            return ended
        }
    }

    /// - Returns: The alert as it stands now, where it began or ended firing.
    private mutating func judge(
        _ definition: AlertDefinition, _ bot: String, _ reading: AlertReading?, _ now: Int64, _ unix: Int64
    ) -> AlertSnapshot? {
        let key = Key(alert: definition.name, bot: bot)
        guard var standing = alerts[key] else { return nil }
        let holds = reading.map { definition.comparison.holds($0.value, definition.threshold) } ?? false
        if !holds, let until = standing.patientUntil, now < until, reading == nil || definition.statistic.isOfWindow {
            return nil
        }
        standing.heldSince = holds ? standing.heldSince ?? now : nil
        let state: AlertSnapshot.State =
            standing.heldSince.map { now - $0 >= definition.forSeconds * 1_000_000_000 ? .firing : .pending }
            ?? .inactive
        let before = standing.snapshot.state
        standing.snapshot.value = reading?.value
        standing.snapshot.labels = reading?.labels ?? []
        if state != before { (standing.snapshot.state, standing.snapshot.sinceUnixNanoseconds) = (state, unix) }
        alerts[key] = standing
        return (state == .firing) != (before == .firing) ? standing.snapshot : nil
    }

    /// What the alert looks at; nil where there is no data. The alert of a bot begins when the bot first has its instrument.
    private mutating func read(
        _ definition: AlertDefinition, of bot: BotSnapshot, _ now: Int64
    ) -> AlertReading? {
        let key = Key(alert: definition.name, bot: bot.name)
        let series = bot.series(of: definition.instrument, labels: definition.labels)
        if alerts[key] == nil {
            guard !series.isEmpty else { return nil }
            alerts[key] = Standing(
                definition: definition,
                snapshot: AlertSnapshot(
                    alert: definition.name, severity: definition.severity, bot: bot.name, state: .inactive,
                    condition: definition.condition, value: nil, labels: [], sinceUnixNanoseconds: 0),
                track: IncreaseTrack(window: definition.window))
        }
        switch definition.statistic {
        case .value: return worst(definition, series.compactMap { $0.value(dividedBy: definition.divisor, of: bot) })
        case .quantile(let quantile):
            return worst(
                definition,
                series.compactMap { $0.quantile(quantile, window: definition.window.name, minimum: definition.minimum) }
            )
        case .growth:
            // A bot that is down has no memory: when it comes back it begins anew.
            if series.isEmpty { alerts[key]?.track = IncreaseTrack(window: definition.window) }
            guard !series.isEmpty else { return nil }
            let value = series.reduce(0) { $0 + ($1.value ?? 0) }
            alerts[key]?.track.note(ExactTotal(.real(value)), .zero, nowNanoseconds: now)
            guard let window = alerts[key]?.track.wholeWindow, window.beginning > 0,
                !(window.change / window.beginning).isNaN
            else { return nil }
            return AlertReading(value: window.change / window.beginning)
        case .increase, .rate, .ratio, .rateToMedian: return increase(definition, key, series, bot, now)
        }
    }

    private func worst(_ definition: AlertDefinition, _ readings: [AlertReading]) -> AlertReading? {
        readings.reduce(nil) { worst, reading in
            worst.map { definition.comparison.prefers(reading.value, to: $0.value) ? reading : $0 } ?? reading
        }
    }

    private mutating func increase(
        _ definition: AlertDefinition, _ key: Key, _ series: [AlertSeries], _ bot: BotSnapshot, _ now: Int64
    ) -> AlertReading? {
        let total = series.reduce(.zero) { $0 + $1.total }
        let divisors = definition.divisor.map { bot.series(of: $0, labels: []) } ?? []
        let other = divisors.reduce(.zero) { $0 + $1.total }
        guard var track = alerts[key]?.track else { return nil }
        // Of a bot that comes while the collector watches, all that it counts is an increase since it was not there yet; a
        // ratio waits until both totals were looked at twice.
        if track.isEmpty, !known.contains(bot.name), [.increase, .rate].contains(definition.statistic) {
            let watched = series.reduce(0) { $0 + $1.watched }
            let before = total - ExactTotal(Int64(exactly: watched).map { .signed($0) } ?? .real(watched))
            track.note(before, .zero, nowNanoseconds: min(lastEvaluation ?? .max, now - 1_000_000_000))
        }
        track.note(total, other, nowNanoseconds: now)
        alerts[key]?.track = track
        guard let increase = track.increase, !increase.total.isNaN else { return nil }
        switch definition.statistic {
        case .rate, .increase:
            // What came so far in a window that was not watched whole is the least that can have come in it: enough for a
            // bound to be exceeded, never to say that too little came.
            guard increase.isWhole || definition.comparison.asksForMore && !series.contains(where: \.mayFall) else {
                return nil
            }
            let seconds = definition.statistic == .rate ? Double(definition.window.lengthSeconds) : 1
            return AlertReading(value: increase.total / seconds)
        case .rateToMedian:
            guard let steps = track.lastStepAndMedian, steps.median > 0, steps.median >= definition.minimum else {
                return nil
            }
            return AlertReading(value: steps.last / steps.median)
        case .ratio:
            guard increase.other > 0, increase.other >= definition.minimum,
                !(increase.total / increase.other).isNaN
            else { return nil }
            return AlertReading(value: increase.total / increase.other)
        default: return nil
        }
    }
}
