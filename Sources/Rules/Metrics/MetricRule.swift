package import Series

/// A change to how the exports show some metrics. The series themselves stay as their bots wrote them, so that a rule
/// can come, change and go without a total being lost. For edges, see ``HistogramSeries/choose(_:)``.
package struct MetricRule: Hashable, Sendable {
    /// Registered names that the rule applies to.
    package var match: Glob
    /// Bots that the rule applies to.
    package var bot: Glob
    /// Labels that a metric must have, with these values.
    package var labels: [Label]
    /// Leaves the metric out of every export.
    package var drop: Bool
    /// Leaves out every metric that no such rule matches, and changes nothing of those that one matches.
    package var keep: Bool
    /// The name under which the metric is exported; nil keeps the registered one. Where it ends in a unit, the values
    /// are converted into that unit.
    package var rename: String?
    /// The factor on the values under the new name; nil derives it from the units of both names.
    package var scale: Double?
    /// Labels added in every export; an existing label of the same name is replaced.
    package var add: [Label]
    /// Labels that are left out. Series that differ only in these are shown as one.
    package var dropLabels: [String]
    /// The most series that a bot shows of one of the rule's metrics, not counting the `other` of those beyond; nil is
    /// no bound.
    package var maximumSeries: Int?
    /// The upper edges of a histogram's classic buckets, in its unit, ascending; nil keeps the standard ones. The
    /// thresholds of objectives are among the edges either way.
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

    /// How a matched series' values are shown; nil where the new name's unit measures something else than the values
    /// do.
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

    /// The units at the end of the pattern and of the new name where neither converts into the other: the rule then
    /// shows no series.
    package var unitMismatch: (own: MetricUnit, shown: MetricUnit)? {
        guard scale == nil, let own = MetricUnit(suffixOf: match.description),
            let shown = rename.flatMap({ MetricUnit(suffixOf: $0) }), own.scale(to: shown) == nil
        else { return nil }
        return (own, shown)
    }

    /// The name and labels under which the exports show a matched series.
    func renamed(_ key: SeriesKey) -> SeriesKey {
        let kept = key.labels.filter { label in
            !dropLabels.contains(label.name) && !add.contains { $0.name == label.name }
        }
        return SeriesKey(name: rename ?? key.name, labels: (kept + add).sorted())
    }
}

extension [MetricRule] {
    /// Where several rules match one metric, the first one applies.
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

    /// The edges chosen for a histogram; nil where none are.
    package func edges(of name: String, labels: [Label], bot: String) -> [Double]? {
        rule(for: SeriesKey(name: name, labels: labels), of: bot)?.buckets
    }

    /// How a single duration's record is shown, where bounds do not apply; nil where no export shows its metric.
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
    /// Returns whether all of these labels are here, with these values.
    package func contains(all wanted: [Label]) -> Bool { wanted.allSatisfy { contains($0) } }
}
