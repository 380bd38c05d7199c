package import Series

/// All that an operator changes in what the exports show of the bots' series.
package struct MetricRules: Hashable, Sendable {
    /// Of several that are for one series the first one counts.
    package var rules: [MetricRule]
    /// The most series that a bot shows, the `other` of each metric not counted; nil is no bound.
    package var maximumSeries: Int?

    package init(_ rules: [MetricRule] = [], maximumSeries: Int? = nil) {
        self.rules = rules
        self.maximumSeries = maximumSeries
    }

    /// Those that may be for series of one bot.
    package func forBot(_ name: String) -> MetricRules {
        MetricRules(rules.filter { $0.bot.matches(name) }, maximumSeries: maximumSeries)
    }

    /// Whether every series is shown as it is.
    package var isEmpty: Bool { rules.isEmpty && maximumSeries == nil }

    /// How the series of a bot are shown.
    ///
    /// Series that get one name and the same labels are shown as one where they are of one kind and unit; where they are not,
    /// the exports leave the later ones out, count and log them, as they do for bots that register such. A series beyond a
    /// bound is shown with its labels' values as `other`, together with all others of its metric that are: so the sum over
    /// what is shown stays the sum over what was recorded. One without labels is never beyond one: it has no other.
    ///
    /// Cost: a pass over the series, and for each one over the rules.
    ///
    /// - Parameter heads: Every series of the bot, the first ones first.
    package func plan(_ heads: [SeriesHead]) -> SeriesPlan {
        var planner = SeriesPlanner(maximumSeries: maximumSeries)
        for head in heads {
            let place = rules.firstIndex { $0.applies(to: head.key) }
            let rule = place.map { rules[$0] }
            if rule?.drop != true { planner.take(head, rule, number: place) }
        }
        return planner.plan
    }

    /// Tells these from others, also in another run of the collector; 0 where every series is shown as it is.
    package var fingerprint: UInt64 {
        isEmpty ? 0 : max(1, rules.reduce(Fingerprint(maximumSeries)) { $0.adding($1) }.value)
    }
}

private struct SeriesPlanner {
    private let maximumSeries: Int?
    private var groups: [GroupKey: SeriesPlan.Group] = [:]
    private var refused: Set<SeriesKey> = []
    /// How many are shown: of the bot, and of each metric of each rule.
    private var shownCount = 0
    private var shownOfMetric: [Metric: Int] = [:]

    /// What is shown as one must be of one kind.
    private struct GroupKey: Hashable {
        var key: SeriesKey
        var kind: MetricKind
        var unit: MetricUnit
    }

    private struct Metric: Hashable {
        var rule: Int
        var name: String
    }

    init(maximumSeries: Int?) { self.maximumSeries = maximumSeries }

    mutating func take(_ head: SeriesHead, _ rule: MetricRule?, number: Int?) {
        let key = rule?.renamed(head.key) ?? head.key
        let other = key.other(than: rule?.add ?? [])
        if refused.contains(key) { return join(head, other, isMade: true) }
        if groups[GroupKey(key: key, kind: head.kind, unit: head.unit)] != nil { return join(head, key, isMade: true) }
        let metric = number.map { Metric(rule: $0, name: key.name) }
        let hasRoom =
            shownCount < maximumSeries ?? .max
            && metric.map { shownOfMetric[$0, default: 0] } ?? 0 < rule?.maximumSeries ?? .max
        // What has no label to lose is its own other.
        guard hasRoom || other == key else {
            refused.insert(key)
            return join(head, other, isMade: true)
        }
        shownCount += 1
        if let metric { shownOfMetric[metric, default: 0] += 1 }
        join(head, key, isMade: false)
    }

    private mutating func join(_ head: SeriesHead, _ key: SeriesKey, isMade: Bool) {
        let place = GroupKey(key: key, kind: head.kind, unit: head.unit)
        groups[place, default: SeriesPlan.Group(key: key, members: [], isMade: false)].members.append(head.key)
        if isMade { groups[place]?.isMade = true }
    }

    var plan: SeriesPlan {
        SeriesPlan(
            groups: groups.sorted { a, b in
                a.key.key != b.key.key ? a.key.key < b.key.key : a.key.kind.rawValue < b.key.kind.rawValue
            }.map(\.value), refused: refused)
    }
}

extension SeriesKey {
    /// The series that stands for all of a metric's that are beyond a bound: it has their labels, and of these such that the
    /// rule added keep their value.
    fileprivate func other(than added: [Label]) -> SeriesKey {
        SeriesKey(name: name, labels: labels.map { added.contains($0) ? $0 : Label($0.name, "other") })
    }
}

/// The 64-bit hash FNV-1a, which is the same in every run.
private struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ maximumSeries: Int?) { add(maximumSeries.map { "\($0)" } ?? "") }

    func adding(_ rule: MetricRule) -> Fingerprint {
        var next = self
        let labels = (rule.labels + [Label("", "")] + rule.add).flatMap { [$0.name, $0.value] }
        let texts = [
            rule.match.description, rule.bot.description, "\(rule.drop)", rule.rename ?? "",
            rule.maximumSeries.map { "\($0)" } ?? "",
        ]
        for text in texts + labels + rule.dropLabels + ["rule"] { next.add(text) }
        return next
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        // No text of UTF-8 has it: it ends one.
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}
