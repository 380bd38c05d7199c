package import Series

/// A user's rules that have found no series to judge so far, and why.
package struct WaitingRules: Equatable, Sendable {
    private var waits: [Wait] = []

    /// A series that a rule reads.
    private struct Wait: Equatable {
        var rule: WaitingRule
        var series: RuleSeries
        /// Whether it is shown. The absence of a metric that the catalogue has is not: its bots may come later.
        var isShown: Bool
        /// The reason that was logged.
        var logged: WaitingRule.Reason.Kind?
    }

    package init() {}

    /// Adds a rule that waits for a series.
    package mutating func add(_ rule: WaitingRule, _ series: RuleSeries) {
        waits.append(Wait(rule: rule, series: series, isShown: !series.isKnown))
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
        waits.removeAll { wait in wait.series.isFound(wait.rule.metric, bots, shown) }
        for index in waits.indices {
            let wait = waits[index]
            let reason = wait.series.absence(wait.rule.metric, bots, shown)
            waits[index].rule.reason = reason
            waits[index].isShown = reason.kind != .metric || !wait.series.isKnown
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

/// Which series a rule reads, and what it needs of them.
package struct RuleSeries: Equatable, Sendable {
    /// What the rule compares, which not every kind of series has.
    package enum Reader: Equatable, Sendable {
        case alert(AlertDefinition, isDivisor: Bool)
        case objective(ObjectiveDefinition)
    }

    package var reader: Reader
    /// Whether the collector or the catalogue has the name.
    package var isKnown: Bool
    /// Whether the threshold is written as a duration.
    package var hasDuration: Bool

    package init(_ reader: Reader, isKnown: Bool, hasDuration: Bool) {
        self.reader = reader
        self.isKnown = isKnown
        self.hasDuration = hasDuration
    }

    private var bots: Glob {
        switch reader {
        case .alert(let alert, _): alert.bot
        case .objective(let objective): objective.bot
        }
    }

    private var labels: [Label] {
        switch reader {
        case .alert(let alert, let isDivisor): isDivisor ? [] : alert.labels
        case .objective(let objective): objective.rule?.labels ?? []
        }
    }

    private func matching(_ bots: [BotSnapshot]) -> [BotSnapshot] { bots.filter { self.bots.matches($0.name) } }

    func isFound(_ metric: String, _ bots: [BotSnapshot], _ shown: ShownSeries) -> Bool {
        matching(bots).contains { bot in
            !bot.series(of: metric, labels: labels, shown).isEmpty && problem(metric, bot) == nil
        }
    }

    /// Returns why no bot has the series.
    func absence(_ metric: String, _ bots: [BotSnapshot], _ shown: ShownSeries) -> WaitingRule.Reason {
        // That a series is absent is what such a rule looks for.
        if case .alert(let alert, _) = reader, alert.statistic == .absent { return .metric }
        let named = bots.filter { $0.name != ShownSeries.collector }
        if !named.isEmpty, !named.contains(where: { self.bots.matches($0.name) }) {
            return WaitingRule.Reason(.bot, "no bot is named \(self.bots)")
        }
        let found = matching(bots).flatMap { $0.series(of: metric, labels: [], shown) }
        guard !found.isEmpty else {
            let isElsewhere = named.contains { !$0.series(of: metric, labels: [], shown).isEmpty }
            return isElsewhere
                ? WaitingRule.Reason(.bot, "only bots that are not named \(self.bots) have this metric")
                : WaitingRule.Reason.metric
        }
        if let problem = matching(bots).lazy.compactMap({ problem(metric, $0) }).first {
            return WaitingRule.Reason(.kind, problem)
        }
        let wanted = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ", ")
        let names = Set(found.flatMap { $0.labels.map(\.name) }).sorted().prefix(Self.mostNames)
        let has = names.isEmpty ? "it has no labels" : "its labels are \(names.joined(separator: ", "))"
        return WaitingRule.Reason(.labels, "no series of this metric has \(wanted); \(has)")
    }

    private static let mostNames = 8

    /// Returns why the rule can judge nothing of a bot's metric; nil where it can.
    private func problem(_ metric: String, _ bot: BotSnapshot) -> String? {
        guard let facts = bot.facts(of: metric) else { return nil }
        if hasDuration, let unit = bot.unit(of: metric),
            let problem = Self.problem(durationFor: metric, in: unit, reader)
        {
            return problem
        }
        return switch reader {
        case .alert(let alert, let isDivisor):
            (isDivisor ? alert.impossibility(nil, divisor: facts) : alert.impossibility(facts, divisor: nil))?.reason
        case .objective(let objective): objective.impossibility(facts)?.reason
        }
    }

    /// Returns what is wrong with a threshold that is written as a duration; nil where it may be one.
    package static func problem(durationFor metric: String, in unit: MetricUnit, _ reader: Reader) -> String? {
        guard unit != .seconds, unit != .none else { return nil }
        if case .alert(let alert, _) = reader {
            switch alert.statistic {
            case .value where alert.divisor == nil: break
            case .quantile: break
            default: return nil
            }
        }
        return "\(metric) is in \(unit.rawValue), and the threshold is a duration; write a number of \(unit.rawValue)"
    }
}

extension BotSnapshot {
    /// The facts of a metric that the bot has registered, or of a series derived from one.
    fileprivate func facts(of name: String) -> SeriesFacts? {
        if let metric = metrics.first(where: { $0.name == name }) { return SeriesFacts(metric) }
        return DerivedSeries.all(named: name).lazy.compactMap { series, base in
            metrics.first { $0.name == base }.flatMap { series.facts(SeriesFacts($0)) }
        }.first
    }

    fileprivate func unit(of name: String) -> MetricUnit? { metrics.first { $0.name == name }?.unit }
}

extension SeriesFacts {
    fileprivate init(_ metric: MetricSnapshot) {
        switch metric.reading {
        case .counter: self.init(.counter)
        case .upDownCounter: self.init(.upDownCounter)
        case .gauge: self.init(.gauge)
        case .histogram: self.init(.histogram)
        }
    }
}
