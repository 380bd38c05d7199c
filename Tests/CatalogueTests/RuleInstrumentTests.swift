import RingsideCatalogue
import Rules
import Series
import Testing

@Suite("The ready-made rules and the catalogue") struct RuleInstrumentTests {
    private static let alerts = AlertDefinition.standard.filter { !$0.instrument.hasPrefix("ringside_") }

    private func definition(_ name: String) throws -> MetricDefinition {
        try #require(TradingCatalogue.definition(named: name), "\(name) is in no catalogue")
    }

    @Test(
        "every instrument that a ready-made alert looks at is in the catalogue, of a kind that it can be looked at so")
    func alerts() throws {
        #expect(Self.alerts.count >= 10)
        for alert in Self.alerts {
            let kind = try definition(alert.instrument).kind
            switch alert.statistic {
            case .value, .growth, .age: #expect(kind == .gauge, "\(alert.name)")
            case .quantile: #expect(kind == .histogram, "\(alert.name)")
            case .absent, .stale: break
            case .increase, .rate, .ratio, .rateToMedian: #expect(kind == .counter, "\(alert.name)")
            }
            guard let divisor = alert.divisor else { continue }
            #expect(try (definition(divisor).kind == .gauge) == (alert.statistic == .value), "\(alert.name)")
        }
    }

    @Test("every ready-made objective with a threshold is for a duration of the catalogue")
    func objectives() throws {
        let rules = ObjectiveDefinition.standard.compactMap(\.rule)
        #expect(rules.count == 8)
        for rule in rules {
            let definition = try definition(rule.instrument)
            #expect(definition.kind == .histogram && definition.unit == .seconds, "\(rule.instrument)")
        }
    }

    @Test("the lane of a pause meter is the one that tells nothing of a bot's activity")
    func pauseLane() {
        func ring(_ lane: String) -> RingSnapshot {
            RingSnapshot(
                lane: lane, isUp: true, pid: 1, position: 0, drained: 0, backlog: 0, lost: [:], late: 0, future: 0,
                lastRecordAge: 0)
        }
        #expect(!ring(PauseMeter.lane).showsActivity)
        #expect(ring("").showsActivity && ring("md").showsActivity)
    }
}
