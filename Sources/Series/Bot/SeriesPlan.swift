/// What is known of a series before any value of it is looked at.
package struct SeriesHead: Hashable, Sendable {
    package var key: SeriesKey
    package var kind: MetricKind
    package var unit: MetricUnit
    /// In which order the bot's series came, also over restarts of the collector: the first ones stay the first ones.
    package var ordinal: UInt64

    package init(key: SeriesKey, kind: MetricKind, unit: MetricUnit, ordinal: UInt64) {
        self.key = key
        self.kind = kind
        self.unit = unit
        self.ordinal = ordinal
    }
}

/// Under which names the exports show the series of one bot, and which of them as one.
///
/// A plan is for the exports alone: the series behind it stay as their bot wrote them, so that another plan may take its place
/// at any time, and the sums over what is shown stay those over what was recorded.
package struct SeriesPlan: Sendable {
    /// One series that is shown.
    package struct Group: Sendable {
        /// What it is shown under.
        package var key: SeriesKey
        /// Of one kind and one unit; one at least.
        package var members: [SeriesKey]
        /// Whether it is made by the plan: several in one, or what is left of the labels of those beyond a bound.
        package var isMade: Bool

        package init(key: SeriesKey, members: [SeriesKey], isMade: Bool) {
            self.key = key
            self.members = members
            self.isMade = isMade
        }
    }

    /// Sorted by what they are shown under.
    package var groups: [Group]
    /// Names and labels that are not shown, since they are beyond a bound: their values are in an `other`.
    package var refused: Set<SeriesKey>
    /// The totals of those that the plan makes count from this time at the earliest, in seconds since the Unix epoch: before
    /// it another plan may have put more into them.
    package var sinceUnixSeconds: Double = 0

    package init(groups: [Group], refused: Set<SeriesKey>) {
        self.groups = groups
        self.refused = refused
    }
}

extension BotSeries {
    /// Every series that the bot has, the first ones first. Cost: a sort; to be asked again when ``generation`` has changed.
    package var heads: [SeriesHead] {
        summed.map { SeriesHead(key: $0, kind: $1.kind, unit: $1.unit, ordinal: $1.ordinal) }
            .sorted { ($0.ordinal, $0.key) < ($1.ordinal, $1.key) }
    }

    /// The bot's series at `now` as a plan shows them.
    package func metrics(now: Int64, as plan: SeriesPlan) -> [MetricSnapshot] {
        let completeness = settle(now: now)
        return plan.groups.flatMap { group -> [MetricSnapshot] in
            let members = group.members.compactMap { summed[$0] }
            guard let first = members.first else { return [] }
            let isGauge = first.kind == .gauge
            func created(_ own: KeyPath<SummedSeries, Double>) -> Double {
                let created = members.reduce(first[keyPath: own]) { min($0, $1[keyPath: own]) }
                return group.isMade ? max(created, plan.sinceUnixSeconds) : created
            }
            return SummedSeries.readings(of: members, completeness, now: self.now).map {
                MetricSnapshot(
                    name: group.key.name, help: first.help, unit: first.unit, labels: group.key.labels,
                    createdUnixSeconds: isGauge ? nil : created(\.createdUnixSeconds),
                    cellsCreatedUnixSeconds: isGauge ? nil : created(\.cellsCreatedUnixSeconds), reading: $0)
            }
        }
    }
}
