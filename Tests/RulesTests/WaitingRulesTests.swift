import Rules
import Series
import Testing

@Suite struct WaitingRulesTests {
    private static func bot(_ name: String, _ metrics: [MetricSnapshot]) -> BotSnapshot {
        BotSnapshot(name: name, isUp: true, labels: [], rings: [ring()], metrics: metrics, windows: [])
    }

    private static func alert(
        _ instrument: String, bot: String = "*", labels: [Label] = [], _ statistic: AlertDefinition.Statistic = .value
    ) -> RuleSeries.Reader {
        .alert(
            AlertDefinition(
                name: "a", severity: "P1", bot: Glob(bot), instrument: instrument, labels: labels,
                statistic: statistic, threshold: 1), isDivisor: false)
    }

    private static func objective(_ instrument: String) -> RuleSeries.Reader {
        .objective(
            ObjectiveDefinition(
                name: "a", measure: .threshold(ThresholdRule(instrument: instrument, labels: [], threshold: 1)),
                target: 0.9))
    }

    /// Returns why a rule waits, over two bots; nil where it does not.
    private func reason(_ metric: String, _ reader: RuleSeries.Reader, isKnown: Bool = false, hasDuration: Bool = false)
        -> String?
    {
        var waiting = WaitingRules()
        waiting.add(
            WaitingRule(kind: .alert, name: "a", metric: metric),
            RuleSeries(reader, isKnown: isKnown, hasDuration: hasDuration))
        var exposure = gauge("exposure_usd", 5)
        exposure.unit = .usd
        waiting.note([
            Self.bot("alpha", [histogram("decide_seconds", p99: 1), gauge("depth", 1, labels: [Label("stage", "x")])]),
            Self.bot("beta", [exposure, counter("ticks_total", 5)]),
        ])
        return waiting.all.first?.reason.text
    }

    private static let noValue =
        "it can never fire: decide_seconds is a histogram, which has no value; use a quantile such as \"p99\", \"rate\" or \"increase\""

    @Test(
        "a rule that no registered series can serve says why: no value, no such label, no such bot, another unit",
        arguments: [
            ("decide_seconds", alert("decide_seconds"), noValue),
            ("decide_seconds", alert("decide_seconds", .quantile(0.99)), nil),
            ("decide_seconds", objective("decide_seconds"), nil),
            (
                "depth", objective("depth"),
                "it can never be violated: depth is a gauge; an objective needs a histogram"
            ),
            (
                "depth", alert("depth", labels: [Label("stages", "x")]),
                "no series of this metric has stages=\"x\"; its labels are stage"
            ),
            ("depth", alert("depth", labels: [Label("stage", "x")]), nil),
            (
                "exposure_usd", alert("exposure_usd", labels: [Label("stage", "x")]),
                "no series of this metric has stage=\"x\"; it has no labels"
            ),
            ("depth", alert("depth", bot: "gamma"), "no bot is named gamma"),
            ("depth", alert("depth", bot: "b*"), "only bots that are not named b* have this metric"),
            ("depht", alert("depht"), "waits for this metric"),
            // It is what such a rule looks for.
            ("depth", alert("depth", labels: [Label("stages", "x")], .absent), "waits for this metric"),
        ] as [(String, RuleSeries.Reader, String?)])
    func reasons(metric: String, reader: RuleSeries.Reader, expected: String?) {
        #expect(reason(metric, reader) == expected)
    }

    @Test("a label that the collector's own series lack is named with those that they have")
    func own() {
        let name = "ringside_lost_records_total"
        var shown = ShownSeries()
        shown.add(name, labels: [Label("bot", "alpha"), Label("lane", ""), Label("reason", "lapped")], .unsigned(0))
        for (value, expected) in [
            ("lapped", nil), ("nosuch", "no series of this metric has reason=\"nosuch\"; its labels are lane, reason"),
        ] {
            var waiting = WaitingRules()
            waiting.add(
                WaitingRule(kind: .alert, name: "a", metric: name),
                RuleSeries(
                    Self.alert(name, labels: [Label("reason", value)], .increase), isKnown: true, hasDuration: false))
            waiting.note([Self.bot("alpha", [])], shown)
            #expect(waiting.all.map(\.reason.text) == [expected].compactMap(\.self))
        }
    }

    @Test("a metric of the catalogue may come later: only what its series lack is shown")
    func known() {
        #expect(reason("orders_sent_total", Self.alert("orders_sent_total"), isKnown: true) == nil)
        #expect(reason("decide_seconds", Self.alert("decide_seconds"), isKnown: true) == Self.noValue)
    }

    @Test("a threshold that is a duration is refused where the metric is in another unit than seconds")
    func duration() {
        let reason = reason("exposure_usd", Self.alert("exposure_usd"), hasDuration: true)
        #expect(reason == "exposure_usd is in usd, and the threshold is a duration; write a number of usd")
        #expect(self.reason("exposure_usd", Self.alert("exposure_usd", .age), hasDuration: true) == nil)
        #expect(self.reason("decide_seconds", Self.alert("decide_seconds", .quantile(0.5)), hasDuration: true) == nil)
        #expect(self.reason("ticks_total", Self.alert("ticks_total"), hasDuration: true) == nil)
    }

    @Test("each reason is given once to the log, and a rule that found its series is forgotten")
    func unlogged() {
        var waiting = WaitingRules()
        waiting.add(
            WaitingRule(kind: .alert, name: "a", metric: "depth"),
            RuleSeries(Self.alert("depth", labels: [Label("stage", "x")]), isKnown: false, hasDuration: false))
        waiting.note([])
        #expect(waiting.takeUnlogged().map(\.reason.kind) == [.metric] && waiting.takeUnlogged().isEmpty)
        waiting.note([Self.bot("alpha", [gauge("depth", 1)])])
        #expect(waiting.takeUnlogged().map(\.reason.kind) == [.labels])
        waiting.note([Self.bot("alpha", [gauge("depth", 1, labels: [Label("venue", "x")])])])
        #expect(waiting.takeUnlogged().isEmpty && waiting.count == 1)
        waiting.note([Self.bot("alpha", [gauge("depth", 1, labels: [Label("stage", "x"), Label("venue", "x")])])])
        #expect(waiting.all.isEmpty && waiting.count == 0)
    }
}
