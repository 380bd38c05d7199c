import Rules
import Series
import Sketch
import Testing

@Suite struct MetricRuleTests {
    private func counter(_ name: String, _ labels: [Label] = []) -> MetricSnapshot {
        MetricSnapshot(
            name: name, help: "", unit: .none, labels: labels,
            reading: .counter(CounterSnapshot(value: .unsigned(7), rate: nil, windows: [])))
    }

    private func names(_ rules: [MetricRule], _ metrics: [MetricSnapshot]) -> [String: [[Label]]] {
        let bots = ["alpha", "beta"].map {
            BotSnapshot(name: $0, isUp: true, labels: [], rings: [], metrics: metrics, windows: [])
        }
        let sketch = SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0)
        let summary = HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: [])
        let collector = CollectorSnapshot(
            version: "1", uptimeSeconds: 0, drainCycle: summary, drainCycleSketch: sketch)
        let shown = Snapshot(unixNanoseconds: 0, bots: bots, collector: collector).applying(rules)
        var names: [String: [[Label]]] = [:]
        for bot in shown.bots {
            for metric in bot.metrics { names["\(bot.name) \(metric.name)", default: []].append(metric.labels) }
        }
        return names
    }

    @Test("a dropped metric is in no export, and only of the bots and labels that the rule is for")
    func drop() {
        let metrics = [
            counter("a_total", [Label("venue", "X")]), counter("a_total", [Label("venue", "Y")]), counter("b_total"),
        ]
        let shown = names(
            [MetricRule(match: Glob("a_*"), bot: Glob("al*"), labels: [Label("venue", "X")], drop: true)], metrics)
        #expect(shown["alpha a_total"] == [[Label("venue", "Y")]])
        #expect(shown["beta a_total"]?.count == 2)
        #expect(shown["alpha b_total"]?.count == 1)
    }

    @Test(
        "a renamed metric keeps its labels, an added label replaces one of its name, and the first rule that fits counts"
    )
    func rename() {
        let rules = [
            MetricRule(match: Glob("a_total"), rename: "c_total", add: [Label("desk", "1"), Label("venue", "Z")]),
            MetricRule(match: .all, drop: true),
        ]
        let shown = names(rules, [counter("a_total", [Label("venue", "X")]), counter("b_total")])
        #expect(shown["alpha c_total"] == [[Label("desk", "1"), Label("venue", "Z")]])
        #expect(shown.keys.sorted() == ["alpha c_total", "beta c_total"])
    }
}
