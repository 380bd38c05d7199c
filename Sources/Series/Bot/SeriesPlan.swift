/// The properties of a series without its values.
package struct SeriesHead: Hashable, Sendable {
    package var key: SeriesKey
    package var kind: MetricKind
    package var unit: MetricUnit
    /// The series' number in the order in which the bot's series were added. It survives restarts of the collector.
    package var ordinal: UInt64

    package init(key: SeriesKey, kind: MetricKind, unit: MetricUnit, ordinal: UInt64) {
        self.key = key
        self.kind = kind
        self.unit = unit
        self.ordinal = ordinal
    }
}

/// The names under which exports show the series of one bot, and the series that exports merge.
///
/// A plan affects only the exports. The series themselves stay as their bot wrote them, so that a plan can be replaced
/// at any time, and sums over the shown series equal those over the recorded ones.
package struct SeriesPlan: Sendable {
    /// One series that is shown.
    package struct Group: Sendable {
        /// The name and labels that it is shown under.
        package var key: SeriesKey
        /// At least one, all of one kind and unit.
        package var members: [SeriesKey]
        /// Whether the plan made it: by merging several series, or by removing labels of series beyond a limit.
        package var isMade: Bool
        /// The unit conversion of its members' values.
        package var conversion: UnitConversion
        /// The earliest time from which its totals count, in seconds since the Unix epoch. Before, another plan may
        /// have merged more series into it, or shown it in another unit.
        package var sinceUnixSeconds: Double = 0

        package init(key: SeriesKey, members: [SeriesKey], isMade: Bool, conversion: UnitConversion) {
            self.key = key
            self.members = members
            self.isMade = isMade
            self.conversion = conversion
        }
    }

    /// Sorted by their keys.
    package var groups: [Group]
    /// Names and labels that are not shown because they are beyond a limit. Their values are in a series `other`.
    package var refused: Set<SeriesKey>
    /// The number of series that no export shows, by reason.
    package var hidden: [HidingReason: UInt64] = [:]
    /// The series that are hidden because of their unit.
    package var unconverted: [UnconvertedSeries] = []

    package init(groups: [Group], refused: Set<SeriesKey>) {
        self.groups = groups
        self.refused = refused
    }
}

extension LateSeries {
    /// Returns the series as exports show it.
    package func shown(in group: SeriesPlan.Group) -> LateSeries {
        var shown = self
        (shown.metric.name, shown.metric.labels) = (group.key.name, group.key.labels)
        (shown.metric.unit, shown.metric.help) = (group.conversion.unit, group.conversion.help(metric.help))
        if !group.conversion.scale.isIdentity {
            shown.minutes = minutes.mapValues { $0.scaled(by: group.conversion.scale) }
        }
        return shown
    }
}

extension BotSeries {
    /// Every series of the bot, in the order of their numbers. Cost: a sort; read it again when ``generation`` has
    /// changed.
    package var heads: [SeriesHead] {
        summed.map { SeriesHead(key: $0, kind: $1.kind, unit: $1.unit, ordinal: $1.ordinal) }
            .sorted { ($0.ordinal, $0.key) < ($1.ordinal, $1.key) }
    }

    /// Returns the bot's series at `now` as a plan shows them.
    package func metrics(now: Int64, as plan: SeriesPlan) -> [MetricSnapshot] {
        let completeness = settle(now: now)
        return plan.groups.flatMap { group -> [MetricSnapshot] in
            let members = group.members.compactMap { summed[$0] }
            guard let first = members.first else { return [] }
            let isGauge = first.kind == .gauge
            func created(_ own: KeyPath<SummedSeries, Double>) -> Double {
                max(members.reduce(first[keyPath: own]) { min($0, $1[keyPath: own]) }, group.sinceUnixSeconds)
            }
            return SummedSeries.readings(of: members, completeness, now: self.now).map {
                MetricSnapshot(
                    name: group.key.name, help: group.conversion.help(first.help), unit: group.conversion.unit,
                    labels: group.key.labels, createdUnixSeconds: isGauge ? nil : created(\.createdUnixSeconds),
                    cellsCreatedUnixSeconds: isGauge ? nil : created(\.cellsCreatedUnixSeconds),
                    reading: group.conversion.scale.isIdentity ? $0 : $0.scaled(by: group.conversion.scale))
            }
        }
    }
}
