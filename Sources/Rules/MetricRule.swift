package import Series

/// What is changed in the exports of some metrics. The series themselves stay as their bots wrote them, so that a rule can
/// come, change and go without a total being lost; of edges, what is said at ``HistogramSeries/choose(_:)`` holds.
package struct MetricRule: Hashable, Sendable {
    /// Registered names that the rule is for.
    package var match: Glob
    /// Bots that the rule is for.
    package var bot: Glob
    /// Labels that a metric must have, with these values.
    package var labels: [Label]
    /// Leaves the metric out of every export.
    package var drop: Bool
    /// The name under which it is exported; nil keeps the registered one.
    package var rename: String?
    /// Labels that every export of it gets; one that it has already is replaced.
    package var add: [Label]
    /// Labels that are left out. Series that differ in these alone are shown as one.
    package var dropLabels: [String]
    /// The most series that a bot shows of one of the rule's metrics, the `other` of those beyond not counted; nil is no bound.
    package var maximumSeries: Int?
    /// The upper edges of the classic buckets of a histogram, in its unit, ascending; nil leaves it the powers of two. The
    /// thresholds of objectives are among them either way.
    package var buckets: [Double]?

    package init(
        match: Glob, bot: Glob = .all, labels: [Label] = [], drop: Bool = false, rename: String? = nil,
        add: [Label] = [], dropLabels: [String] = [], maximumSeries: Int? = nil, buckets: [Double]? = nil
    ) {
        self.match = match
        self.bot = bot
        self.labels = labels
        self.drop = drop
        self.rename = rename
        self.add = add
        self.dropLabels = dropLabels
        self.maximumSeries = maximumSeries
        self.buckets = buckets
    }

    func applies(to key: SeriesKey) -> Bool { match.matches(key.name) && key.labels.contains(all: labels) }

    /// What the exports call a series that the rule is for.
    func renamed(_ key: SeriesKey) -> SeriesKey {
        let kept = key.labels.filter { label in
            !dropLabels.contains(label.name) && !add.contains { $0.name == label.name }
        }
        return SeriesKey(name: rename ?? key.name, labels: (kept + add).sorted())
    }
}

extension [MetricRule] {
    /// Of several rules that are for one metric the first one counts.
    private func rule(for key: SeriesKey, of bot: String) -> MetricRule? {
        first { $0.bot.matches(bot) && $0.applies(to: key) }
    }

    /// The edges chosen for a histogram; nil where none are.
    package func edges(of name: String, labels: [Label], bot: String) -> [Double]? {
        rule(for: SeriesKey(name: name, labels: labels), of: bot)?.buckets
    }

    /// How a record of a metric is shown by itself, where bounds are nothing to it; nil where the metric is dropped.
    package func shown(_ name: String, _ labels: [Label], of bot: String) -> (name: String, labels: [Label])? {
        let key = SeriesKey(name: name, labels: labels)
        guard let rule = rule(for: key, of: bot) else { return (name, labels) }
        let shown = rule.renamed(key)
        return rule.drop ? nil : (shown.name, shown.labels)
    }
}

extension [Label] {
    /// Whether all of these labels are here, with these values.
    package func contains(all wanted: [Label]) -> Bool { wanted.allSatisfy { contains($0) } }
}
