package import Series

/// What is changed in the exports of some metrics. The series themselves stay as their bots wrote them, so that a rule can
/// come, change and go without a total being lost.
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

    package init(
        match: Glob, bot: Glob = .all, labels: [Label] = [], drop: Bool = false, rename: String? = nil,
        add: [Label] = [], dropLabels: [String] = [], maximumSeries: Int? = nil
    ) {
        self.match = match
        self.bot = bot
        self.labels = labels
        self.drop = drop
        self.rename = rename
        self.add = add
        self.dropLabels = dropLabels
        self.maximumSeries = maximumSeries
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

extension [Label] {
    /// Whether all of these labels are here, with these values.
    package func contains(all wanted: [Label]) -> Bool { wanted.allSatisfy { contains($0) } }
}
