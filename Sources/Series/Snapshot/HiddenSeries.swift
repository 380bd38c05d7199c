/// The reason why no export shows a series of a bot.
package enum HidingReason: String, CaseIterable, Sendable {
    /// A rule drops it.
    case drop
    /// There are rules of the kind `keep`, and none of them matches it.
    case keep
    /// The name from a rule has a unit that its values cannot be converted into.
    case unit
}

/// A series that no export shows, because the unit of the name from a rule measures another quantity than its values.
package struct UnconvertedSeries: Hashable, Sendable {
    /// The registered name and labels.
    package var key: SeriesKey
    package var unit: MetricUnit
    package var shownName: String
    package var shownUnit: MetricUnit

    package init(key: SeriesKey, unit: MetricUnit, shownName: String, shownUnit: MetricUnit) {
        self.key = key
        self.unit = unit
        self.shownName = shownName
        self.shownUnit = shownUnit
    }

    /// A description for the operator: what is wrong, and what to do.
    package var reason: String {
        let own = unit == .none ? "has no unit" : "is in \(unit.rawValue)"
        return "a rule renames it to \(shownName), and it \(own), which cannot be converted into "
            + "\(shownUnit.rawValue); give the rule a scale, or a name without _\(shownUnit.rawValue)"
    }
}
