import Rules
import Series
import Testing

@Suite struct MetricRuleTests {
    private func head(_ name: String, _ ordinal: UInt64, _ labels: [Label] = [], kind: MetricKind = .counter)
        -> SeriesHead
    {
        SeriesHead(key: SeriesKey(name: name, labels: labels.sorted()), kind: kind, unit: .none, ordinal: ordinal)
    }

    private func heads(_ venues: [String], of name: String = "a_total") -> [SeriesHead] {
        venues.enumerated().map { head(name, UInt64($0), [Label("venue", $1)]) }
    }

    /// Returns what is shown, with the number of series in it.
    private func shown(_ plan: SeriesPlan) -> [String] {
        plan.groups.map { group in
            let labels = group.key.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            return "\(group.key.name){\(labels)} \(group.members.count)"
        }
    }

    @Test("a dropped metric is in no export, and only of the bots and labels that the rule is for")
    func drop() {
        let metrics = heads(["X", "Y"]) + [head("b_total", 9)]
        let rules = MetricRules([
            MetricRule(match: Glob("a_*"), bot: Glob("al*"), labels: [Label("venue", "X")], drop: true)
        ])
        #expect(shown(rules.forBot("alpha").plan(metrics)) == ["a_total{venue=Y} 1", "b_total{} 1"])
        #expect(rules.forBot("beta").plan(metrics).groups.count == 3)
    }

    @Test(
        "a renamed metric keeps its labels, an added label replaces one of its name, and the first rule that fits counts"
    )
    func rename() {
        let rules = MetricRules([
            MetricRule(match: Glob("a_total"), rename: "c_total", add: [Label("desk", "1"), Label("venue", "Z")]),
            MetricRule(match: .all, drop: true),
        ])
        #expect(shown(rules.plan(heads(["X"]) + [head("b_total", 9)])) == ["c_total{desk=1,venue=Z} 1"])
    }

    @Test("series that differ in a dropped label alone are one, and so are those that a rule gives one name")
    func dropLabels() {
        let labels = [("X", "1"), ("X", "2"), ("Y", "1")].map { [Label("venue", $0), Label("shard", $1)] }
        let metrics = labels.enumerated().map { head("a_total", UInt64($0), $1) }
        let rules = MetricRules([MetricRule(match: .all, dropLabels: ["shard", "none"])])
        let plan = rules.plan(metrics)
        #expect(shown(plan) == ["a_total{venue=X} 2", "a_total{venue=Y} 1"])
        #expect(plan.groups.map(\.isMade) == [true, false] && plan.refused.isEmpty)
        let renamed = MetricRules([MetricRule(match: .all, rename: "c_total", dropLabels: ["shard", "venue"])])
        #expect(shown(renamed.plan(metrics + [head("b_total", 3)])) == ["c_total{} 4"])
        // A gauge cannot be added to a counter.
        #expect(shown(renamed.plan(metrics + [head("b", 3, kind: .gauge)])) == ["c_total{} 3", "c_total{} 1"])
    }

    @Test(
        "the first series of a metric are shown, those beyond its bound are one other, and what has no label is always shown"
    )
    func boundOfMetric() {
        let rules = MetricRules([MetricRule(match: Glob("a_*"), maximumSeries: 2)])
        let metrics = heads(["D", "C", "B", "A"]) + [head("a_total", 9), head("a_count", 10), head("b_total", 11)]
        let plan = rules.plan(metrics)
        #expect(
            shown(plan) == [
                "a_count{} 1", "a_total{} 1", "a_total{venue=C} 1", "a_total{venue=D} 1", "a_total{venue=other} 2",
                "b_total{} 1",
            ])
        #expect(plan.refused.count == 2 && plan.groups.map(\.isMade) == [false, false, false, false, true, false])
    }

    @Test(
        "of a bot's series over all metrics the first are shown, each metric with an other of its own, kept labels kept"
    )
    func boundOfBot() {
        let rules = MetricRules(
            [MetricRule(match: Glob("a_*"), add: [Label("desk", "1")], maximumSeries: 2)], maximumSeries: 3)
        let metrics =
            [head("b_total", 0, [Label("venue", "X")])]
            + heads(["D", "C", "B", "A"]).map { head("a_total", $0.ordinal + 1, $0.key.labels) }
            + [head("b_total", 7, [Label("venue", "Y")]), head("b_total", 8, [Label("venue", "Z")])]
        #expect(
            shown(rules.plan(metrics)) == [
                "a_total{desk=1,venue=C} 1", "a_total{desk=1,venue=D} 1", "a_total{desk=1,venue=other} 2",
                "b_total{venue=X} 1", "b_total{venue=other} 2",
            ])
    }

    @Test("a series whose own label is other is one with those beyond the bound")
    func ownOther() {
        let rules = MetricRules([MetricRule(match: .all, maximumSeries: 1)])
        #expect(shown(rules.plan(heads(["other", "B"]))) == ["a_total{venue=other} 2"])
        #expect(shown(rules.plan(heads(["A", "B", "other"]))) == ["a_total{venue=A} 1", "a_total{venue=other} 2"])
    }

    @Test(
        "rules have one fingerprint in every run, another when any part of them is another, and none when there are none"
    )
    func fingerprints() {
        let rule = MetricRule(match: Glob("a"))
        var others = [MetricRule(match: Glob("b"))]
        for change: (inout MetricRule) -> Void in [
            { $0.bot = Glob("x") }, { $0.labels = [Label("a", "b")] }, { $0.drop = true }, { $0.rename = "c" },
            { $0.add = [Label("a", "b")] }, { $0.dropLabels = ["a"] }, { $0.maximumSeries = 1 },
            { $0.add = [Label("b", "c")] }, { $0.dropLabels = ["b", "c"] }, { $0.labels = [Label("b", "c")] },
            { $0.keep = true }, { ($0.rename, $0.scale) = ("c", 2) }, { ($0.rename, $0.scale) = ("c", 3) },
        ] {
            var other = rule
            change(&other)
            others.append(other)
        }
        let all =
            others.map { MetricRules([$0]) } + [MetricRules([rule], maximumSeries: 1), MetricRules([rule, rule])]
        #expect(Set(all.map(\.fingerprint)).count == all.count)
        #expect(MetricRules().fingerprint == 0 && MetricRules([rule]).fingerprint == 0xCCED_E954_51EA_4C5C)
    }
}
