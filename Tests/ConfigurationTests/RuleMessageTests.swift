import Rules
import Series
import Testing

@testable import Configuration

@Suite("Messages about alerts and objectives") struct RuleMessageTests {
    @Test(
        "a rule that can never fire, or has an impossible name, is reported with the reason and the remedy",
        arguments: [
            (
                "instrument: 'ringside_upp', threshold: 0",
                "instrument: the collector has no series ringside_upp, and no bot may register it; did you mean ringside_up?"
            ),
            (
                "instrument: 'process_nothing', threshold: 0",
                "instrument: the collector has no series process_nothing, and no bot may register it; see the names that /metrics shows"
            ),
            (
                "instrument: 'ringside_up', threshold: 1",
                "threshold: it can never fire: ringside_up is never more than 1; choose a threshold that it can pass"
            ),
            (
                "instrument: 'ringside_lane_down', compare: '<', threshold: 0",
                "threshold: it can never fire: ringside_lane_down is never less than 0; choose a threshold that it can pass"
            ),
            (
                "instrument: 'orders_rejected_total', statistic: 'p99', threshold: 1",
                "statistic: it can never fire: orders_rejected_total is a counter, which has no quantiles; use \"rate\" or \"increase\""
            ),
            (
                "instrument: 'exposure_usd', threshold: '2ms'",
                "threshold: exposure_usd is in usd, and the threshold is a duration; write a number of usd"
            ),
            (
                "instrument: 'mine_total', statistic: 'rate', compare: '<', threshold: 0",
                "threshold: it can never fire: increase per second of mine_total over 1m is never less than 0; choose a threshold that it can pass"
            ),
            (
                "instrument: 'orders_submit_to_ack_latency_seconds', threshold: 1",
                "statistic: it can never fire: orders_submit_to_ack_latency_seconds is a histogram, which has no value; use a quantile such as \"p99\", \"rate\" or \"increase\""
            ),
            (
                "instrument: 'a_total', statistic: 'ratio', divided_by: 'queue_backlog_depth', threshold: 1",
                "divided_by: it can never fire: queue_backlog_depth is a gauge, which has no increase; use \"value\" or \"growth\""
            ),
            (
                "instrument: 'a_total', statistic: 'ratio', divided_by: 'ringside_nothing_total', threshold: 1",
                "divided_by: the collector has no series ringside_nothing_total, and no bot may register it; see the names that /metrics shows"
            ),
            (
                "instrument: 'x', statistic: 'absent', threshold: 1",
                "threshold: the statistic \"absent\" has no threshold; remove the key"
            ),
            (
                "instrument: 'x', stale_for: '1m', compare: '<'",
                "compare: an alert with stale_for has no compare; remove the key"
            ),
            (
                "instrument: 'x', coverage: 0.5, threshold: 1",
                "coverage: only quantiles and the statistics \"increase\", \"rate\" and \"ratio\" have a coverage; remove the key"
            ),
            (
                "instrument: 'x', threshold: Infinity",
                "threshold: 'Infinity' is not a finite number; expected one"
            ),
        ])
    func impossible(text: String, expected: String) {
        expect(complaint("{ alerts: [{ name: 'x', severity: 'P0', \(text) }] }"), "1: alerts[0].\(expected)")
    }

    @Test("an objective on a metric that is not a histogram can never be violated, and the error says so")
    func impossibleObjective() {
        expect(
            complaint("{ objectives: [{ name: 'x', instrument: 'a_total', threshold: 1, target: 0.9 }] }"),
            "1: objectives[0].instrument: it can never be violated: a_total is a counter; an objective needs a histogram"
        )
    }

    @Test("a metric that only a bot could know is a warning, with the nearest name of the catalogue")
    func warnings() throws {
        let text = """
            { alerts: [
              { name: "a", severity: "P0", instrument: "orders_submit_to_ack_latency_second", statistic: "p99", threshold: 1 },
              { name: "b", severity: "P0", instrument: "orders_rejected_total", statistic: "ratio", divided_by: "mine_total",
                threshold: 1 },
              { name: "c", severity: "P0", instrument: "orders_submit_to_ack_latency_seconds_calls_total", statistic: "rate",
                threshold: 1 }],
              objectives: [{ name: "o", instrument: "mine_seconds", threshold: 1, target: 0.9 }] }
            """
        let read = try configuration(text)
        let waits = "waits for the metric"
        #expect(
            read.warnings.map { $0.description(file: "f") } == [
                "f:2: alerts[0].instrument: \(waits) orders_submit_to_ack_latency_second, which is not in the catalogue; "
                    + "did you mean orders_submit_to_ack_latency_seconds?",
                "f:3: alerts[1].divided_by: \(waits) mine_total, which is not in the catalogue",
                "f:7: objectives[0].instrument: \(waits) mine_seconds, which is not in the catalogue",
            ])
        #expect(
            read.waiting.all.map(\.metric) == ["mine_seconds", "orders_submit_to_ack_latency_second", "mine_total"])
        #expect(try configuration("{}").warnings.isEmpty && CollectorConfiguration().waiting.all.isEmpty)
    }

    @Test("a severity that no destination takes is a warning, and so is a destination that takes no alert")
    func routes() throws {
        let alerts = """
            alerts: [
              { name: "a", severity: "critical", instrument: "orders_rejected_total", statistic: "rate", threshold: 1 },
              { name: "b", severity: "P2", instrument: "orders_rejected_total", statistic: "rate", threshold: 1 }],
            """
        func warnings(_ destinations: String) throws -> [String] {
            try configuration("{ \(alerts)\n\(destinations) }").warnings.map { $0.description(file: "f") }
        }
        let url = "url: 'http://127.0.0.1:9099'"
        let shown =
            "f:2: alerts[0].severity: no webhook and no Alertmanager takes an alert of the severity \"critical\", so it is "
            + "only shown; add it to the `severities` of one, or give the alert another"
        #expect(try warnings("webhooks: [{ \(url), severities: ['P0', 'P1'] }]") == [shown])
        #expect(try warnings("alertmanagers: [{ \(url), alerts: 'b*' }]") == [shown])
        #expect(try warnings("webhooks: [{ \(url), severities: 'P0' }], alertmanagers: [{ \(url) }]") == [])
        #expect(try warnings("webhooks: [{ \(url), severities: ['P0', 'crit*'] }]") == [])
        #expect(try warnings("") == [])
        let none = "it takes no alert; the alerts have the severities \"P0\", \"P1\", \"P2\" and \"critical\""
        #expect(
            try warnings("webhooks: [{ \(url) }, { name: 'x', \(url), severities: 'P7' }]") == [
                "f:4: webhooks[1].severities: \(none)"
            ])
        #expect(
            try warnings("webhooks: [{ \(url) }, { name: 'x', \(url), alerts: 'nosuch' }]") == [
                "f:4: webhooks[1].alerts: \(none)"
            ])
    }

    @Test("no ready-made rule waits for a name or can never fire")
    func readyMade() {
        for alert in AlertDefinition.standard {
            let facts = alert.instruments.map { KnownSeries.facts(of: $0) }
            #expect(!facts.contains(nil), "\(alert.name)")
            #expect(alert.impossibility(facts[0], divisor: facts.count > 1 ? facts[1] : nil) == nil, "\(alert.name)")
        }
        for objective in ObjectiveDefinition.standard {
            let facts = objective.rule.map { KnownSeries.facts(of: $0.instrument) }
            #expect(facts != .some(nil) && objective.impossibility(facts ?? nil) == nil, "\(objective.name)")
        }
    }
}
