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
    /// The upper edges of the classic buckets of a histogram, in its unit, ascending; nil leaves it the powers of two. The
    /// thresholds of objectives are among them either way.
    package var buckets: [Double]?

    package init(
        match: Glob, bot: Glob = .all, labels: [Label] = [], drop: Bool = false, rename: String? = nil,
        add: [Label] = [], buckets: [Double]? = nil
    ) {
        self.match = match
        self.bot = bot
        self.labels = labels
        self.drop = drop
        self.rename = rename
        self.add = add
        self.buckets = buckets
    }

    func applies(to name: String, labels: [Label], of bot: String) -> Bool {
        match.matches(name) && self.bot.matches(bot) && labels.contains(all: self.labels)
    }

    fileprivate func labels(beside labels: [Label]) -> [Label] {
        add.isEmpty ? labels : (labels.filter { label in !add.contains { $0.name == label.name } } + add).sorted()
    }
}

extension [MetricRule] {
    /// Of several rules that are for one metric the first one counts.
    fileprivate func rule(for name: String, labels: [Label], of bot: String) -> MetricRule? {
        first { $0.applies(to: name, labels: labels, of: bot) }
    }

    /// The edges chosen for a histogram; nil where none are.
    package func edges(of name: String, labels: [Label], bot: String) -> [Double]? {
        rule(for: name, labels: labels, of: bot)?.buckets
    }
}

extension [Label] {
    /// Whether all of these labels are here, with these values.
    package func contains(all wanted: [Label]) -> Bool { wanted.allSatisfy { contains($0) } }
}

extension Snapshot {
    /// The snapshot as these rules show it.
    ///
    /// Two series that a rule gives one name and the same labels are a conflict, which the exports count and log as they
    /// do for bots that register one.
    package func applying(_ rules: [MetricRule]) -> Snapshot {
        guard !rules.isEmpty else { return self }
        var changed = self
        for place in changed.bots.indices {
            let bot = changed.bots[place].name
            changed.bots[place].metrics = changed.bots[place].metrics.compactMap { metric in
                guard let rule = rules.rule(for: metric.name, labels: metric.labels, of: bot) else { return metric }
                return rule.applied(to: metric)
            }
        }
        for batch in changed.late.indices {
            changed.late[batch].series = changed.late[batch].series.compactMap { series in
                guard let shown = rules.shown(series.metric.name, series.metric.labels, of: series.bot) else {
                    return nil
                }
                var series = series
                (series.metric.name, series.metric.labels) = (shown.name, shown.labels)
                return series
            }
        }
        return changed
    }
}

extension [MetricRule] {
    /// How a metric is shown; nil where it is dropped.
    package func shown(_ name: String, _ labels: [Label], of bot: String) -> (name: String, labels: [Label])? {
        guard let rule = rule(for: name, labels: labels, of: bot) else { return (name, labels) }
        return rule.drop ? nil : (rule.rename ?? name, rule.labels(beside: labels))
    }
}

extension MetricRule {
    fileprivate func applied(to metric: MetricSnapshot) -> MetricSnapshot? {
        if drop { return nil }
        var metric = metric
        metric.name = rename ?? metric.name
        metric.labels = labels(beside: metric.labels)
        return metric
    }
}
