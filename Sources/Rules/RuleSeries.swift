package import Series

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

    /// Returns why none of the rule's bots has a series that it can judge; nil if one has.
    func absence(_ metric: String, _ bots: [BotSnapshot], _ shown: ShownSeries) -> WaitingRule.Reason? {
        var found: [AlertSeries] = []
        var problem: String?
        for bot in bots where self.bots.matches(bot.name) {
            let all = bot.allSeries(of: metric, isLabelled: !labels.isEmpty, shown)
            if let known = self.problem(metric, bot) {
                problem = problem ?? known
            } else if all.contains(where: { $0.labels.contains(all: labels) }) {
                return nil
            }
            found += all
        }
        // That a series is absent is what such a rule looks for.
        if case .alert(let alert, _) = reader, alert.statistic == .absent { return .metric }
        let named = bots.filter { $0.name != ShownSeries.collector }
        if !named.isEmpty, !named.contains(where: { self.bots.matches($0.name) }) {
            return WaitingRule.Reason(.bot, "no bot is named \(self.bots)")
        }
        if found.isEmpty {
            let isElsewhere = named.contains { !$0.series(of: metric, labels: [], shown).isEmpty }
            return isElsewhere
                ? WaitingRule.Reason(.bot, "only bots that are not named \(self.bots) have this metric") : .metric
        }
        if let problem { return WaitingRule.Reason(.kind, problem) }
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
        func registered(_ name: String) -> SeriesFacts? { metrics.first { $0.name == name }.map { SeriesFacts($0) } }
        return registered(name) ?? DerivedSeries.facts(named: name, of: registered)
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
