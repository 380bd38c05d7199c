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
                threshold: 0.001, target: 0.95, windows: ["1h", "5m"], minimum_events: 50,
                for: "2m", resolve_after: "10m", coverage: 0 },
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
        #expect(acks.forSeconds == 120 && acks.resolveSeconds == 600 && acks.coverage == 0)
        #expect(read.last?.forSeconds == 0 && read.last?.resolveSeconds == 0 && read.last?.coverage == 0.5)
        #expect(read.last?.measure == .availability)
        let alone = try configuration("{ standard_objectives: false, standard_alerts: false }")
        #expect(alone.objectives.isEmpty && alone.alerts.isEmpty)
    }

    @Test("an alert is read with all it says")
    func alerts() throws {
        let text = """
            { standard_alerts: false, alerts: [
              { name: "slow", severity: "P1", bot: "a*", instrument: "x_seconds", labels: { venue: "X" }, statistic: "p95",
                window: "5s", compare: ">=", threshold: "50us", for: "2m", resolve_after: "3m",
                minimum_events: 20, coverage: 0.25 },
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
                    threshold: 0.00005, forSeconds: 120, resolveSeconds: 180, minimum: 20, coverage: 0.25),
                AlertDefinition(
                    name: "few", severity: "P2", instrument: "a_total", statistic: .ratio, divisor: "b_total",
                    window: ObjectiveWindow(name: "1h", lengthSeconds: 3600)!, comparison: .below, threshold: 0.5),
                AlertDefinition(name: "deep", severity: "P2", instrument: "depth", threshold: 10),
            ])
    }

    @Test("ready-made alerts on a quantile or window that is not computed are left out")
    func kept() throws {
        let alerts = try configuration("{ quantiles: [0.5, 0.95] }").alerts
        #expect(alerts.contains { $0.name == "slippage_high" } && !alerts.contains { $0.name == "submit_to_ack_slow" })
        #expect(try !configuration("{ windows: ['1s'] }").alerts.contains { $0.name == "slippage_high" })
    }
}
