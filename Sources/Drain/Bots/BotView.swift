internal import Platform
internal import Rules
internal import Series

/// What is kept, over a restart, of how the exports show a bot's series.
package struct BotViewState: Equatable, Sendable {
    /// Of the rules by which they were shown last; 0 where there were never any.
    package var fingerprint: UInt64 = 0
    /// Since when they are shown so, in seconds since the Unix epoch; 0 where it was never otherwise.
    package var sinceUnixSeconds: Double = 0
    /// By metric, how many series were ever refused one of their own.
    package var refused: [String: UInt64] = [:]

    package init() {}
}

/// How the exports show one bot's series: by the rules in force, planned anew when a series comes or the rules change.
struct BotView {
    private(set) var state = BotViewState()
    private var rules = MetricRules()
    private var plan: (SeriesPlan, generation: UInt64)?
    /// Those counted as refused already; nil while it is not known which an earlier collector counted.
    private var counted: Set<SeriesKey>?

    /// Shows by these rules from here on.
    ///
    /// - Parameters:
    ///   - rules: Those that may be for the bot's series.
    ///   - now: In seconds since the Unix epoch.
    mutating func use(_ rules: MetricRules, nowUnixSeconds now: Double) {
        guard rules != self.rules else { return }
        self.rules = rules
        plan = nil
        guard !rules.isEmpty, rules.fingerprint != state.fingerprint else { return }
        // What other rules put into a series may be more than what these do.
        if state.fingerprint != 0 { state.sinceUnixSeconds = now }
        state.fingerprint = rules.fingerprint
    }

    /// Goes on from what an earlier collector showed.
    mutating func restore(_ state: BotViewState) { self.state = state }

    /// The bot's series at `now`.
    mutating func metrics(of series: BotSeries, now: MonotonicTime) -> [MetricSnapshot] {
        guard !rules.isEmpty else { return series.metrics(now: now) }
        return series.metrics(now: now, as: currentPlan(of: series))
    }

    /// What each series is shown under; nil where that is its own name. What is not shown is missing.
    mutating func shownKeys(of series: BotSeries) -> [SeriesKey: SeriesKey]? {
        guard !rules.isEmpty else { return nil }
        var keys: [SeriesKey: SeriesKey] = [:]
        for group in currentPlan(of: series).groups { for member in group.members { keys[member] = group.key } }
        return keys
    }

    private mutating func currentPlan(of series: BotSeries) -> SeriesPlan {
        if let plan, plan.generation == series.generation { return plan.0 }
        var next = rules.plan(series.heads)
        next.sinceUnixSeconds = state.sinceUnixSeconds
        count(next.refused)
        plan = (next, series.generation)
        return next
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
