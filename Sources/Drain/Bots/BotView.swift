internal import Platform
internal import Rules
internal import Series

/// The form in which the exports show one bot's series. The rules in force make a plan, which is made again when a
/// series is added or the rules change.
struct BotView {
    private(set) var state = BotViewState()
    private var rules = MetricRules()
    private var plan: (SeriesPlan, generation: UInt64)?
    /// The time since which the rules apply, in seconds since the Unix epoch; 0 if there were none before.
    private var usedSinceUnixSeconds: Double = 0
    /// The series already counted as refused; nil while it is unknown which ones an earlier collector counted.
    private var counted: Set<SeriesKey>?

    /// Applies these rules from here on.
    ///
    /// - Parameters:
    ///   - rules: The rules that may apply to the bot's series.
    ///   - now: The time in seconds since the Unix epoch.
    mutating func use(_ rules: MetricRules, nowUnixSeconds now: Double) {
        guard rules != self.rules else { return }
        self.rules = rules
        plan = nil
        guard !rules.isEmpty, rules.fingerprint != state.fingerprint else { return }
        // Earlier rules may have put more into a series than these do.
        if state.fingerprint != 0 {
            state.sinceUnixSeconds = now
            usedSinceUnixSeconds = now
        }
        state.fingerprint = rules.fingerprint
    }

    /// Restores the view of an earlier collector.
    mutating func restore(_ state: BotViewState) { self.state = state }

    /// Returns the bot's series at `now`.
    ///
    /// - Returns: The series, and the plan by which they are shown; nil if all series are shown as they are.
    mutating func metrics(of series: BotSeries, now: MonotonicTime) -> ([MetricSnapshot], SeriesPlan?) {
        guard !rules.isEmpty else { return (series.metrics(now: now), nil) }
        let plan = currentPlan(of: series)
        return (series.metrics(now: now, as: plan), plan)
    }

    /// Returns the group that each series is shown in; nil if all series are shown as they are. Series that are not
    /// shown are missing.
    mutating func shown(of series: BotSeries) -> [SeriesKey: SeriesPlan.Group]? {
        guard !rules.isEmpty else { return nil }
        var shown: [SeriesKey: SeriesPlan.Group] = [:]
        for group in currentPlan(of: series).groups { for member in group.members { shown[member] = group } }
        return shown
    }

    private mutating func currentPlan(of series: BotSeries) -> SeriesPlan {
        if let plan, plan.generation == series.generation { return plan.0 }
        var next = rules.plan(series.heads)
        noteScales(next)
        for (place, group) in next.groups.enumerated() {
            let since = state.scales[group.key.name]?[group.conversion.scale.factor] ?? 0
            next.groups[place].sinceUnixSeconds = max(since, group.isMade ? state.sinceUnixSeconds : 0)
        }
        count(next.refused)
        plan = (next, series.generation)
        return next
    }

    /// Resets the totals of a name whose values had another factor before.
    private mutating func noteScales(_ plan: SeriesPlan) {
        let own = plan.groups.map { ($0.key.name, [$0.conversion.scale.factor] as Set) }
        let factors = Dictionary(own) { $0.union($1) }
        for (name, factors) in factors {
            let known = state.scales[name]
            guard known != nil || factors != [1] else { continue }
            state.scales[name] = Dictionary(
                uniqueKeysWithValues: factors.map { ($0, known?[$0] ?? usedSinceUnixSeconds) })
        }
    }

    private mutating func count(_ refused: Set<SeriesKey>) {
        if let counted {
            for key in refused.subtracting(counted) { state.refused[key.name, default: 0] &+= 1 }
        } else {
            let present = Dictionary(refused.map { ($0.name, 1 as UInt64) }) { $0 &+ $1 }
            state.refused.merge(present) { max($0, $1) }
        }
        counted = refused
    }
}
