package import Series

/// All of an operator's changes to the way in which exports show the bots' series.
package struct MetricRules: Hashable, Sendable {
    /// If several rules match one series, the first one applies. If some rules have `keep`, a series must also match
    /// one of these.
    package var rules: [MetricRule]
    /// The greatest number of series that a bot shows, without the series `other` of each metric; nil is no limit.
    package var maximumSeries: Int?

    package init(_ rules: [MetricRule] = [], maximumSeries: Int? = nil) {
        self.rules = rules
        self.maximumSeries = maximumSeries
    }

    /// Returns the rules that may match series of one bot.
    package func forBot(_ name: String) -> MetricRules {
        MetricRules(rules.filter { $0.bot.matches(name) }, maximumSeries: maximumSeries)
    }

    /// Whether every series is shown as it is.
    package var isEmpty: Bool { rules.isEmpty && maximumSeries == nil }

    /// Returns the plan by which the series of a bot are shown. The rules must be those of the bot; see ``forBot(_:)``.
    ///
    /// Series that have the same name and labels under the plan are shown as one if they are of one kind and unit.
    /// Otherwise the exports leave out the later ones, and count and log them, as for bots that register such series. A
    /// series beyond a limit is merged with all other series of its metric that are beyond it, under the label value
    /// `other`. So the sum over the shown series stays the sum over the recorded ones. A series without labels is never
    /// beyond a limit, because it has no `other`.
    ///
    /// Cost: one pass over the series, and for each of them one over the rules.
    ///
    /// - Parameter heads: Every series of the bot, in the order in which they were added.
    package func plan(_ heads: [SeriesHead]) -> SeriesPlan {
        var planner = SeriesPlanner(maximumSeries: maximumSeries)
        for head in heads {
            guard rules.keeps(head.key) else {
                planner.hide(.keep)
                continue
            }
            let place = rules.firstIndex { !$0.keep && $0.applies(to: head.key) }
            guard let place else {
                planner.take(head, nil, number: nil, .none(head.unit))
                continue
            }
            let rule = rules[place]
            if rule.drop {
                planner.hide(.drop)
            } else if let conversion = rule.conversion(of: head.key.name, head.unit) {
                planner.take(head, rule, number: place, conversion)
            } else {
                planner.refuse(head, rule)
            }
        }
        return planner.plan
    }

    /// A number that identifies these rules, in other runs of the collector too; 0 if every series is shown as it is.
    package var fingerprint: UInt64 {
        isEmpty ? 0 : max(1, rules.reduce(Fingerprint(maximumSeries)) { $0.adding($1) }.value)
    }
}

private struct SeriesPlanner {
    private let maximumSeries: Int?
    private var groups: [GroupKey: SeriesPlan.Group] = [:]
    private var refused: Set<SeriesKey> = []
    private var hidden: [HidingReason: UInt64] = [:]
    private var unconverted: [UnconvertedSeries] = []
    /// The number of series that are shown of the bot, and of each metric of each rule.
    private var shownCount = 0
    private var shownOfMetric: [Metric: Int] = [:]

    /// Series that are shown as one must be of one kind, and be shown in one unit in one way.
    private struct GroupKey: Hashable, Comparable {
        var key: SeriesKey
        var kind: MetricKind
        var conversion: UnitConversion

        static func < (a: GroupKey, b: GroupKey) -> Bool {
            if a.key != b.key { return a.key < b.key }
            if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
            return a.conversion.own.rawValue < b.conversion.own.rawValue
        }
    }

    private struct Metric: Hashable {
        var rule: Int
        var name: String
    }

    init(maximumSeries: Int?) { self.maximumSeries = maximumSeries }

    mutating func hide(_ reason: HidingReason) { hidden[reason, default: 0] += 1 }

    /// Hides a series, because the unit of its new name measures another quantity than its values.
    mutating func refuse(_ head: SeriesHead, _ rule: MetricRule) {
        hide(.unit)
        let name = rule.rename ?? head.key.name
        unconverted.append(
            UnconvertedSeries(
                key: head.key, unit: head.unit, shownName: name, shownUnit: MetricUnit(suffixOf: name) ?? .none))
    }

    mutating func take(_ head: SeriesHead, _ rule: MetricRule?, number: Int?, _ conversion: UnitConversion) {
        func join(_ key: SeriesKey, isMade: Bool) { self.join(head, key, conversion, isMade: isMade) }
        let key = rule?.renamed(head.key) ?? head.key
        let other = key.other(than: rule?.add ?? [])
        if refused.contains(key) { return join(other, isMade: true) }
        if groups[GroupKey(key: key, kind: head.kind, conversion: conversion)] != nil { return join(key, isMade: true) }
        let metric = number.map { Metric(rule: $0, name: key.name) }
        let hasRoom =
            shownCount < maximumSeries ?? .max
            && metric.map { shownOfMetric[$0, default: 0] } ?? 0 < rule?.maximumSeries ?? .max
        // A series without a label that can become `other` is its own `other`.
        guard hasRoom || other == key else {
            refused.insert(key)
            return join(other, isMade: true)
        }
        shownCount += 1
        if let metric { shownOfMetric[metric, default: 0] += 1 }
        join(key, isMade: false)
    }

    private mutating func join(_ head: SeriesHead, _ key: SeriesKey, _ conversion: UnitConversion, isMade: Bool) {
        let place = GroupKey(key: key, kind: head.kind, conversion: conversion)
        let group = SeriesPlan.Group(key: key, members: [], isMade: false, conversion: conversion)
        groups[place, default: group].members.append(head.key)
        if isMade { groups[place]?.isMade = true }
    }

    var plan: SeriesPlan {
        var plan = SeriesPlan(
            groups: groups.sorted { $0.key < $1.key }.map(\.value), refused: refused)
        (plan.hidden, plan.unconverted) = (hidden, unconverted)
        return plan
    }
}

extension SeriesKey {
    /// Returns the key of the series for all series of a metric beyond a limit: the same labels with the value `other`.
    /// Labels that the rule added keep their values.
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
        // An empty label separates the dropped ones from the added ones.
        let dropped = rule.dropLabels.isEmpty ? [] : ["", ""] + rule.dropLabels
        for text in texts + labels + dropped + ["rule"] { next.add(text) }
        // A setting that earlier versions lacked changes the fingerprint only if it is used.
        if rule.keep { next.add("keep") }
        if let scale = rule.scale { next.add("scale \(scale)") }
        return next
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        // A byte that never occurs in UTF-8 ends each text.
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}
