import Rules
import Series
import Testing

@testable import Configuration

@Suite struct RuleSectionTests {
    @Test("an objective is read with all it says, takes the place of a ready-made one of its name, and the rest stay")
    func objectives() throws {
        let text = """
            { objectives: [
              { name: "strategy_order_execution_seconds", instrument: "strategy_order_execution_seconds", threshold: "2ms", target: 0.999 },
              { name: "acks", bot: "mm-*", instrument: "orders_submit_to_ack_latency_seconds", labels: { venue: "X" },
                threshold: 0.001, target: 0.95, windows: ["1h", "5m"], minimum_events: 50 },
              { name: "up", availability: true, target: 0.99 },
            ] }
            """
        let read = try configuration(text).objectives
        #expect(read.count == ObjectiveDefinition.standard.count + 2)
        #expect(read.first { $0.name == "strategy_order_execution_seconds" }?.rule?.threshold == 0.002)
        let acks = try #require(read.first { $0.name == "acks" })
        #expect(
            acks.rule
                == ThresholdRule(
                    instrument: "orders_submit_to_ack_latency_seconds", labels: [Label("venue", "X")], threshold: 0.001)
        )
        #expect(acks.windows.map(\.name) == ["5m", "1h"] && acks.minimumEvents == 50 && acks.bot == Glob("mm-*"))
        #expect(read.last?.measure == .availability)
        let alone = try configuration("{ standard_objectives: false, standard_alerts: false }")
        #expect(alone.objectives.isEmpty && alone.alerts.isEmpty)
    }

    @Test("an alert is read with all it says")
    func alerts() throws {
        let text = """
            { standard_alerts: false, alerts: [
              { name: "slow", severity: "P1", bot: "a*", instrument: "x_seconds", labels: { venue: "X" }, statistic: "p95",
                window: "5s", compare: ">=", threshold: "50us", for: "2m", minimum_events: 20 },
              { name: "few", severity: "P2", instrument: "a_total", statistic: "ratio", divided_by: "b_total", window: "1h",
                compare: "<", threshold: 0.5 },
              { name: "deep", severity: "P2", instrument: "depth", threshold: 10 },
            ] }
            """
        let read = try configuration(text).alerts
        #expect(
            read == [
                AlertDefinition(
                    name: "slow", severity: "P1", bot: Glob("a*"), instrument: "x_seconds",
                    labels: [Label("venue", "X")],
                    statistic: .quantile(0.95), window: ObjectiveWindow(name: "5s", lengthSeconds: 5)!,
                    comparison: .atLeast,
                    threshold: 0.00005, forSeconds: 120, minimum: 20),
                AlertDefinition(
                    name: "few", severity: "P2", instrument: "a_total", statistic: .ratio, divisor: "b_total",
                    window: ObjectiveWindow(name: "1h", lengthSeconds: 3600)!, comparison: .below, threshold: 0.5),
                AlertDefinition(name: "deep", severity: "P2", instrument: "depth", threshold: 10),
            ])
    }

    @Test(
        "what an objective or an alert lacks or has too much is said",
        arguments: [
            (
                "{ objectives: [{}] }",
                [
                    "objectives[0].name: is missing", "objectives[0].target: is missing",
                    "objectives[0].instrument: is missing",
                    "objectives[0].threshold: is missing",
                ]
            ),
            (
                "{ objectives: [{ name: 'x', instrument: 'y', threshold: '5 ms', target: 1 }] }",
                [
                    "objectives[0].target: found 1, expected a share above 0 and below 1",
                    "objectives[0].threshold: found \"5 ms\", expected a number",
                ]
            ),
            (
                "{ objectives: [{ name: 'x', availability: true, target: .9, threshold: 1 }] }",
                [
                    "objectives[0].threshold: stands beside availability"
                ]
            ),
            (
                "{ objectives: [{ name: 'x', availability: true, target: .9 },\n{ name: 'x', availability: true, target: .9 }] }",
                [
                    "objectives[1].name: \"x\" stands twice, first in line 1"
                ]
            ),
            (
                "{ objectives: [{ name: 'x', availability: true, target: .9, windows: ['7m10s'] }] }",
                [
                    "objectives[0].windows[0]: found \"7m10s\", expected whole seconds"
                ]
            ),
            (
                "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, statistic: 'p98' }] }",
                [
                    "alerts[0].statistic: is no quantile that is kept; expected one of [0.5, 0.95, 0.99, 0.999]"
                ]
            ),
            (
                "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, statistic: 'mean' }] }",
                [
                    "alerts[0].statistic: found \"mean\", expected value, increase, rate, ratio or a quantile"
                ]
            ),
            (
                "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, statistic: 'p99', window: '5m' }] }",
                [
                    "alerts[0].window: is no window over which quantiles are kept; expected one of \"1s\", \"5s\", \"1m\""
                ]
            ),
            (
                "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, statistic: 'ratio' }] }",
                [
                    "alerts[0].divided_by: is missing"
                ]
            ),
            (
                "{ alerts: [{ name: 'x', severity: 'P0', instrument: 'y', threshold: 1, compare: '=', when: 1 }] }",
                [
                    "alerts[0].compare: found \"=\", expected one of \">\" \">=\" \"<\" \"<=\"",
                    "alerts[0].when: is no key here",
                ]
            ),
        ])
    func errors(text: String, expected: [String]) throws {
        let lines = try #require(complaint(text)).split(separator: "\n")
        #expect(lines.count == expected.count)
        for part in expected { #expect(lines.contains { $0.contains(part) }, "\(part) in \(lines)") }
    }

    @Test("ready-made alerts on a quantile or window that is not kept are left out")
    func kept() throws {
        let alerts = try configuration("{ quantiles: [0.5, 0.95] }").alerts
        #expect(alerts.contains { $0.name == "slippage_high" } && !alerts.contains { $0.name == "submit_to_ack_slow" })
        #expect(try !configuration("{ windows: ['1s'] }").alerts.contains { $0.name == "slippage_high" })
    }
}
