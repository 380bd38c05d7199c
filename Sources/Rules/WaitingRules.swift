package import Series

/// A user's rules that have found no series to judge so far, and why.
package struct WaitingRules: Equatable, Sendable {
    private var waits: [Wait] = []

    /// A series that a rule reads.
    private struct Wait: Equatable {
        var rule: WaitingRule
        var series: RuleSeries
        /// The reason that was logged.
        var logged: WaitingRule.Reason.Kind?

        /// Whether it is shown. The absence of a metric that the catalogue has is not: its bots may come later.
        var isShown: Bool { !series.isKnown || rule.reason.kind != .metric }
    }

    package init() {}

    /// Adds a rule that waits for a series.
    package mutating func add(_ rule: WaitingRule, _ series: RuleSeries) {
        waits.append(Wait(rule: rule, series: series))
    }

    /// The rules that are shown as waiting.
    package var all: [WaitingRule] { waits.filter(\.isShown).map(\.rule) }

    /// The number of series that rules wait for, shown or not.
    package var count: Int { waits.count }

    /// Adds a similar name as a suggestion to each rule that waits for a metric and has none.
    package mutating func suggest(_ nearest: (String) -> String?) {
        for index in waits.indices where waits[index].isShown && waits[index].rule.nearest.isEmpty {
            guard waits[index].rule.reason.kind == .metric else { continue }
            waits[index].rule.nearest = nearest(waits[index].rule.metric) ?? ""
        }
    }

    /// The metrics that the rules wait for.
    package var metrics: Set<String> {
        Set(waits.flatMap { [$0.rule.metric] + DerivedSeries.all(named: $0.rule.metric).map(\.base) })
    }

    /// Removes rules whose series one of their bots has, and finds out why the others have none.
    ///
    /// - Parameters:
    ///   - bots: All bots, and the one that stands for the collector.
    ///   - shown: The collector's own series that alerts read.
    package mutating func note(_ bots: [BotSnapshot], _ shown: ShownSeries = ShownSeries()) {
        waits = waits.compactMap { wait in
            guard let reason = wait.series.absence(wait.rule.metric, bots, shown) else { return nil }
            var wait = wait
            wait.rule.reason = reason
            return wait
        }
    }

    /// Returns the shown rules whose reason was not logged yet, and notes that it is.
    package mutating func takeUnlogged() -> [WaitingRule] {
        var rules: [WaitingRule] = []
        for index in waits.indices where waits[index].isShown {
            let kind = waits[index].rule.reason.kind
            guard waits[index].logged != kind else { continue }
            waits[index].logged = kind
            rules.append(waits[index].rule)
        }
        return rules
    }
}
