import Rules
import Series
import Testing

@Suite("The series that alerts can read") struct AlertSeriesTests {
    private func alert(
        _ instrument: String, labels: [Label] = [], _ statistic: AlertDefinition.Statistic = .value,
        _ comparison: AlertDefinition.Comparison = .above, _ threshold: Double = 0, forSeconds: Int64 = 0
    ) -> AlertDefinition {
        AlertDefinition(
            name: "a", severity: "P1", instrument: instrument, labels: labels, statistic: statistic,
            comparison: comparison, threshold: threshold, forSeconds: forSeconds)
    }

    @Test("a gauge that is a moment has an age, which grows while it stands still")
    func age() {
        var harness = AlertHarness([alert("last_tick_timestamp_seconds", .age, .above, 30)])
        harness.set(gauge("last_tick_timestamp_seconds", Double(harness.now)))
        #expect(harness.pass(30).isEmpty && harness.pass().map(\.value) == [31])
        harness.set(gauge("last_tick_timestamp_seconds", Double(harness.now)))
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test("a bot that is up and lacks a series alerts; one that is down or closed lacks nothing")
    func absent() {
        var harness = AlertHarness([alert("x_total", labels: [Label("venue", "X")], .absent, forSeconds: 5)])
        harness.set(counter("x_total", 1, labels: [Label("venue", "Y")]))
        #expect(harness.pass(5).isEmpty && harness.states == [.pending])
        let fired = harness.pass()
        #expect(fired.map(\.condition) == ["x_total{venue=\"X\"} is absent for 5 s"])
        harness.rings[0].presence = .down
        #expect(harness.pass(100).isEmpty && harness.evaluator.snapshots[0].unknownSinceUnixNanoseconds != nil)
        harness.rings[0].presence = .up
        harness.set(counter("x_total", 1, labels: [Label("venue", "X")]))
        #expect(harness.pass().map(\.resolution) == ["the condition no longer holds"])
        harness.rings[0].presence = .closed
        harness.set()
        #expect(harness.pass(100).isEmpty && harness.states == [.inactive])
    }

    @Test(
        "a counter, a gauge or a histogram that stands still is stale after its time, and no longer once it moves",
        arguments: [0, 1, 2])
    func stale(kind: Int) {
        var harness = AlertHarness([alert("x", .stale, .atLeast, 10)])
        func set(_ value: UInt64) {
            harness.set(
                [counter("x", value), gauge("x", Double(value)), histogram("x", p99: 1, count: value)][kind])
        }
        for value in 1...30 as ClosedRange<UInt64> {
            set(value)
            #expect(harness.pass().isEmpty)
        }
        #expect(harness.pass(9).isEmpty && harness.pass().map(\.value) == [10])
        set(31)
        #expect(harness.pass().map(\.state) == [.inactive])
        harness.rings[0].presence = .closed
        #expect(harness.pass(100).isEmpty, "a bot that closed its ring has nothing to record")
        harness.rings[0].presence = .up
        #expect(harness.pass(10).isEmpty && harness.pass().map(\.state) == [.firing], "its time begins anew")
    }

    @Test("of several series the one unchanged for the longest counts, and is named")
    func oneStale() {
        var harness = AlertHarness([alert("x", .stale, .atLeast, 10)])
        var fired: [AlertSnapshot] = []
        for second in 0..<12 {
            harness.set(
                gauge("x", Double(second), labels: [Label("v", "a")]), gauge("x", 1, labels: [Label("v", "b")]))
            fired += harness.pass()
        }
        #expect(fired.map(\.labels) == [[Label("v", "b")]])
    }

    @Test("a stale alert that fires goes on over a restart, until its series is seen to move")
    func staleRestart() {
        let definitions = [alert("x", .stale, .atLeast, 60)]
        var harness = AlertHarness(definitions)
        harness.set(gauge("x", 1))
        #expect(harness.pass(61).count == 1)
        var next = AlertHarness(definitions)
        next.now = harness.now + 3
        next.evaluator.restore(harness.evaluator.states, nowNanoseconds: next.now * 1_000_000_000)
        next.set(gauge("x", 1))
        #expect(next.pass(200).isEmpty && next.states == [.firing])
        next.set(gauge("x", 2))
        #expect(next.pass().map(\.state) == [.inactive])
    }

    @Test(
        "a series that /metrics derives from a metric can be read under its name",
        arguments: [
            ("x_seconds_calls_total", 7), ("x_seconds_abandoned_total", 0), ("x_seconds_count", 7),
            ("x_seconds_sum", 1), ("x_window_seconds", 0.5), ("depth_max", 3),
        ] as [(String, Double)])
    func derived(name: String, value: Double) {
        var harness = AlertHarness([alert(name, .value, .atLeast, value)])
        harness.set(histogram("x_seconds", p99: 0.5, count: 7), gauge("depth", 3))
        #expect(harness.pass().map(\.value) == [value])
        #expect(harness.evaluator.instruments.contains(name == "depth_max" ? "depth" : "x_seconds"))
        // A registered metric of the name takes precedence over a derived one.
        harness.set(histogram("x_seconds", p99: 0.5, count: 7), gauge("depth", 3), gauge(name, value - 1))
        #expect(harness.pass().map(\.state) == [.inactive])
    }

    @Test("series of the collector about a bot and about itself are read by name and labels")
    func shown() {
        var evaluator = AlertEvaluator()
        var violated = alert("ringside_slo_violated", labels: [Label("objective", "acks")])
        violated.name = "violated"
        var unread = alert("ringside_unread_rings")
        unread.name = "unread"
        var lost = alert("ringside_lost_records_total", labels: [Label("reason", "before_attach")], .increase)
        lost.name = "lost"
        evaluator.use([violated, unread, lost])
        #expect(
            evaluator.shownNames == ["ringside_slo_violated", "ringside_unread_rings", "ringside_lost_records_total"])
        let bots = ["a", "b"].map {
            BotSnapshot(name: $0, isUp: true, labels: [], rings: [ring()], metrics: [], windows: [])
        }
        func look(_ second: Int64, violated: String, unread: UInt64, lost: UInt64) -> [String] {
            var shown = ShownSeries()
            for bot in ["a", "b"] {
                for objective in ["acks", "other"] {
                    let isViolated = bot == violated || objective == "other"
                    shown.add(
                        "ringside_slo_violated", labels: [Label("bot", bot), Label("objective", objective)],
                        .unsigned(isViolated ? 1 : 0))
                }
                for reason in ["before_attach", "lapped"] {
                    let labels = [Label("bot", bot), Label("lane", "x"), Label("reason", reason)]
                    shown.add(
                        "ringside_lost_records_total", labels: labels, .unsigned(reason == "lapped" ? 9 * lost : lost))
                }
            }
            shown.add("ringside_unread_rings", labels: [], .unsigned(unread))
            let time = second * 1_000_000_000
            let bots = [.collector] + bots
            return evaluator.evaluate(bots, shown: shown, nowNanoseconds: time, unixNanoseconds: time).map {
                "\($0.alert) \($0.bot) \($0.state) \($0.value ?? -1)"
            }
        }
        #expect(look(1, violated: "b", unread: 0, lost: 5) == ["violated b firing 1.0"])
        #expect(
            look(2, violated: "", unread: 2, lost: 7).sorted() == [
                "lost a firing 2.0", "lost b firing 2.0", "unread  firing 2.0", "violated b inactive 0.0",
            ])
        #expect(
            look(3, violated: "", unread: 0, lost: 7) == ["unread  inactive 0.0"],
            "the collector is a bot without a name")
    }
}

@Suite("The collector's account of a dead bot") struct DeadBotAccountTests {
    @Test("the collector's own figures are known of a dead bot too")
    func known() {
        var evaluator = AlertEvaluator()
        evaluator.use([
            AlertDefinition(
                name: "lane", severity: "P1", instrument: "ringside_lane_up", comparison: .below, threshold: 1)
        ])
        func look(_ second: Int64, _ presence: LanePresence) -> [AlertSnapshot.State] {
            var shown = ShownSeries()
            shown.add(
                "ringside_lane_up", labels: [Label("bot", "a"), Label("lane", "x")],
                .unsigned(presence == .up ? 1 : 0))
            let bot = BotSnapshot(
                name: "a", isUp: presence == .up, labels: [], rings: [ring("x", presence: presence)], metrics: [],
                windows: [])
            let time = second * 1_000_000_000
            let bots = [.collector, bot]
            return evaluator.evaluate(bots, shown: shown, nowNanoseconds: time, unixNanoseconds: time).map(\.state)
        }
        #expect(look(1, .up).isEmpty && look(2, .down) == [.firing] && look(3, .down).isEmpty)
        #expect(evaluator.snapshots[0].unknownSinceUnixNanoseconds == nil)
        #expect(evaluator.snapshots[0].labels == [Label("lane", "x")])
        #expect(look(4, .up) == [.inactive])
    }
}

@Suite("Rules that can never fire") struct UnsatisfiableRuleTests {
    private static let counter = SeriesFacts(.counter), histogram = SeriesFacts(.histogram), gauge = SeriesFacts(.gauge)

    struct Case: Sendable {
        var facts: SeriesFacts?
        var statistic: AlertDefinition.Statistic
        var comparison: AlertDefinition.Comparison
        var threshold: Double
        var divisor: String?
        /// A part of the reason; nil if it may fire.
        var reason: String?

        init(
            _ facts: SeriesFacts?, _ statistic: AlertDefinition.Statistic, _ comparison: AlertDefinition.Comparison,
            _ threshold: Double, by divisor: String? = nil, _ reason: String? = nil
        ) {
            (self.facts, self.statistic, self.comparison, self.threshold) = (facts, statistic, comparison, threshold)
            (self.divisor, self.reason) = (divisor, reason)
        }
    }

    private static let cases = [
        Case(.flag, .value, .above, 1, "x is never more than 1"), Case(.flag, .value, .atLeast, 1),
        Case(.flag, .value, .atLeast, 1.5, "x is never more than 1"), Case(.flag, .value, .above, 0),
        Case(.flag, .value, .below, 0, "x is never less than 0"), Case(.flag, .value, .atMost, 0),
        Case(.flag, .value, .below, 1), Case(counter, .value, .below, 0, "x is never less than 0"),
        Case(counter, .increase, .below, 0, "increase of x over 1m is never less than 0"),
        Case(counter, .increase, .below, 1), Case(counter, .rate, .atMost, -0.5, "never less than 0"),
        Case(counter, .rate, .atMost, 0), Case(counter, .rateToMedian, .below, 0, "never less than 0"),
        Case(counter, .ratio, .below, 0, by: "y", "never less than 0"), Case(counter, .ratio, .above, 1, by: "y"),
        Case(counter, .ratio, .above, 1, by: "x", "never more than 1"),
        Case(counter, .ratio, .below, 1, by: "x", "never less than 1"),
        Case(nil, .ratio, .above, 1.5, by: "x", "never more than 1"),
        Case(counter, .quantile(0.99), .above, 1, "x is a counter, which has no quantiles"),
        Case(gauge, .quantile(0.99), .above, 1, "x is a gauge, which has no quantiles"),
        Case(histogram, .quantile(0.99), .above, 1), Case(histogram, .quantile(0.99), .below, 0),
        Case(histogram, .value, .above, 1, "x is a histogram, which has no value"), Case(histogram, .rate, .above, 1),
        Case(histogram, .growth, .above, 1, "x is a histogram, which has no value"),
        Case(gauge, .increase, .above, 1, "x is a gauge, which has no increase"),
        Case(gauge, .rateToMedian, .below, 0.1, "x is a gauge, which has no increase"),
        Case(gauge, .value, .below, -5), Case(SeriesFacts(.upDownCounter), .increase, .below, -5),
        Case(SeriesFacts(.gauge, range: 0...(.infinity)), .growth, .below, -1, "never less than -1"),
        Case(gauge, .growth, .below, -1), Case(gauge, .age, .above, 5), Case(histogram, .age, .above, 5, "no value"),
        Case(nil, .value, .below, -5), Case(nil, .quantile(0.5), .above, 5), Case(nil, .stale, .atLeast, 5),
    ]

    @Test(
        "a threshold beyond a statistic's range, and a statistic that an instrument lacks, are reported with the reason"
    )
    func reasons() {
        for one in Self.cases {
            let definition = AlertDefinition(
                name: "a", severity: "P1", instrument: "x", statistic: one.statistic, divisor: one.divisor,
                comparison: one.comparison, threshold: one.threshold)
            let found = definition.impossibility(one.facts, divisor: one.divisor == nil ? nil : Self.counter)
            if let reason = one.reason {
                #expect(found?.reason.contains(reason) == true, "\(one): \(found?.reason ?? "it may fire")")
                #expect(found?.key == (reason.contains("never") ? "threshold" : "statistic"), "\(one)")
            } else {
                #expect(found == nil, "\(one)")
            }
        }
    }

    @Test("a divisor of the wrong kind is reported under its key")
    func divisors() {
        var definition = AlertDefinition(
            name: "a", severity: "P1", instrument: "x", statistic: .ratio, divisor: "y", threshold: 1)
        #expect(definition.impossibility(Self.counter, divisor: Self.gauge)?.key == "divided_by")
        definition.statistic = .value
        #expect(definition.impossibility(Self.gauge, divisor: Self.gauge) == nil)
        #expect(definition.impossibility(Self.gauge, divisor: Self.histogram)?.key == "divided_by")
    }

    @Test("an objective needs a histogram, and a name that ends in _total is a counter's")
    func objectives() throws {
        let rule = ThresholdRule(instrument: "x_total", labels: [], threshold: 1)
        let definition = ObjectiveDefinition(name: "o", measure: .threshold(rule), target: 0.9)
        let counter = try #require(SeriesFacts(ofName: "x_total"))
        #expect(definition.impossibility(counter)?.reason.contains("x_total is a counter") == true)
        #expect(definition.impossibility(Self.histogram) == nil && definition.impossibility(nil) == nil)
        #expect(SeriesFacts(ofName: "x_seconds") == nil)
    }
}
