package import Series

/// A change to the way in which exports show some metrics. The series themselves stay as their bots wrote them, so that
/// a rule can be added, changed and removed without the loss of a total. For edges, see ``HistogramSeries/choose(_:)``.
package struct MetricRule: Hashable, Sendable {
    /// Registered names that the rule applies to.
    package var match: Glob
    /// Bots that the rule applies to.
    package var bot: Glob
    /// Labels that a metric must have, with these values.
    package var labels: [Label]
    /// Whether the metric is left out of every export.
    package var drop: Bool
    /// Whether every metric that no such rule matches is left out of every export. Metrics that such a rule matches do
    /// not change.
    package var keep: Bool
    /// The name under which the metric is exported; nil for the registered name. If it ends in a unit, the values are
    /// converted into that unit.
    package var rename: String?
    /// The factor on the values under the new name; nil derives it from the units of both names.
    package var scale: Double?
    /// Labels that are added in every export. They replace existing labels of the same name.
    package var add: [Label]
    /// Labels that are left out. Series that differ only in these are shown as one.
    package var dropLabels: [String]
    /// The greatest number of series that a bot shows of one of the rule's metrics, without the series `other` for
    /// those beyond it; nil is no limit.
    package var maximumSeries: Int?
    /// The upper edges of a histogram's classic buckets, in its unit, ascending; nil for the standard edges. The
    /// thresholds of objectives are edges in both cases.
    package var buckets: [Double]?

    package init(
        match: Glob, bot: Glob = .all, labels: [Label] = [], drop: Bool = false, keep: Bool = false,
        rename: String? = nil, scale: Double? = nil, add: [Label] = [], dropLabels: [String] = [],
        maximumSeries: Int? = nil, buckets: [Double]? = nil
    ) {
        self.match = match
        self.bot = bot
        self.labels = labels
        self.drop = drop
        self.keep = keep
        self.rename = rename
        self.scale = scale
        self.add = add
        self.dropLabels = dropLabels
        self.maximumSeries = maximumSeries
        self.buckets = buckets
    }

    /// Returns whether the rule matches a series, whichever bot has it.
    func applies(to key: SeriesKey) -> Bool { match.matches(key.name) && key.labels.contains(all: labels) }

    /// Returns the conversion of a matched series' values; nil if the unit of the new name measures another quantity
    /// than the values.
    func conversion(of name: String, _ unit: MetricUnit) -> UnitConversion? {
        guard let rename else { return .none(unit) }
        let shown = MetricUnit(suffixOf: rename)
        if let scale {
            let scale = UnitScale(factor: scale)
            return UnitConversion(own: unit, unit: shown ?? (scale.isIdentity ? unit : .none), scale: scale)
        }
        guard let shown else { return .none(unit) }
        // The name may give the unit of a metric that was registered without one.
        let own = unit == .none ? MetricUnit(suffixOf: name) ?? .none : unit
        return own.scale(to: shown).map { UnitConversion(own: own, unit: shown, scale: $0) }
    }

    /// The units at the end of the pattern and of the new name, if neither converts into the other. The rule then shows
    /// no series.
    package var unitMismatch: (own: MetricUnit, shown: MetricUnit)? {
        guard scale == nil, let own = MetricUnit(suffixOf: match.description),
            let shown = rename.flatMap({ MetricUnit(suffixOf: $0) }), own.scale(to: shown) == nil
        else { return nil }
        return (own, shown)
    }

    /// Returns the name and labels under which the exports show a matched series.
    func renamed(_ key: SeriesKey) -> SeriesKey {
        let kept = key.labels.filter { label in
            !dropLabels.contains(label.name) && !add.contains { $0.name == label.name }
        }
        return SeriesKey(name: rename ?? key.name, labels: (kept + add).sorted())
    }
}

extension [MetricRule] {
    /// Returns the rule for a metric. If several rules match it, the first one applies.
    private func rule(for key: SeriesKey, of bot: String) -> MetricRule? {
        first { !$0.keep && $0.bot.matches(bot) && $0.applies(to: key) }
    }

    /// Returns whether one of the rules with `keep` matches the series, or there are no such rules.
    func keeps(_ key: SeriesKey) -> Bool {
        var isAsked = false
        for rule in self where rule.keep {
            if rule.applies(to: key) { return true }
            isAsked = true
        }
        return !isAsked
    }

    /// Returns the edges that are configured for a histogram; nil if there are none.
    package func edges(of name: String, labels: [Label], bot: String) -> [Double]? {
        rule(for: SeriesKey(name: name, labels: labels), of: bot)?.buckets
    }

    /// Returns the name and labels under which a single record of a duration is shown, for which limits do not apply;
    /// nil if no export shows its metric.
    package func shown(_ name: String, _ labels: [Label], of bot: String) -> (name: String, labels: [Label])? {
        let key = SeriesKey(name: name, labels: labels)
        guard filter({ $0.bot.matches(bot) }).keeps(key) else { return nil }
        guard let rule = rule(for: key, of: bot) else { return (name, labels) }
        guard !rule.drop, rule.conversion(of: name, .seconds) != nil else { return nil }
        let shown = rule.renamed(key)
        return (shown.name, shown.labels)
    }
}

extension [Label] {
    /// Returns whether this contains all of these labels, with these values.
    package func contains(all wanted: [Label]) -> Bool { wanted.allSatisfy { contains($0) } }
}
