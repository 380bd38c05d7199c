package import Series

/// Rules on names that are unknown so far: the collector, the catalogue and all bots seen lack them.
package struct WaitingRules: Sendable {
    private var waiting: [(rule: WaitingRule, bots: Glob)] = []

    package init() {}

    package mutating func add(_ rule: WaitingRule, bots: Glob) { waiting.append((rule, bots)) }

    package var all: [WaitingRule] { waiting.map(\.rule) }

    /// Adds a similar name as a suggestion to each rule that has none.
    package mutating func suggest(_ nearest: (String) -> String?) {
        for place in waiting.indices where waiting[place].rule.nearest.isEmpty {
            waiting[place].rule.nearest = nearest(waiting[place].rule.metric) ?? ""
        }
    }

    /// The metrics that the rules wait for.
    package var metrics: Set<String> {
        Set(waiting.flatMap { [$0.rule.metric] + DerivedSeries.all(named: $0.rule.metric).map(\.base) })
    }

    /// Removes rules whose metric one of their bots has.
    package mutating func note(_ bots: [BotSnapshot]) {
        waiting.removeAll { rule, glob in
            bots.contains { bot in
                glob.matches(bot.name) && !bot.series(of: rule.metric, labels: [], ShownSeries()).isEmpty
            }
        }
    }
}

extension WaitingRules: Equatable {
    package static func == (a: WaitingRules, b: WaitingRules) -> Bool {
        a.all == b.all && a.waiting.map(\.bots) == b.waiting.map(\.bots)
    }
}
