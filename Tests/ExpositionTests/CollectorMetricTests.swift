import Series
import TestSupport
import Testing

@testable import Exposition

@Suite struct CollectorMetricTests {
    private static let process = ProcessStatistics(
        cpuSeconds: 1, openDescriptors: 2, maximumDescriptors: 3, virtualBytes: 4, residentBytes: 5, startSeconds: 6,
        threads: 7)

    @Test(
        "every name that /metrics shows of the collector is listed, of the kind and within the values that are listed")
    func listed() throws {
        let known = Dictionary(uniqueKeysWithValues: CollectorMetric.all.map { ($0.name, $0) })
        for seed in 1...20 as ClosedRange<UInt64> {
            var snapshot = hostileSnapshot(seed: seed)
            snapshot.bots[0].refusedSeries = ["x": 1]
            for family in Families(snapshot, process: Self.process).all
            where family.name.hasPrefix("ringside_") || family.name.hasPrefix("process_") {
                let own = try #require(known[family.name], "\(family.name)")
                #expect(own.isCounter == (family.kind == .counter) && own.help == family.help)
                for series in family.series {
                    guard case .number(let number) = series.value else { continue }
                    #expect(own.range.contains(number.double), "\(family.name) \(number)")
                }
            }
        }
        #expect(known.count > 70 && known["ringside_drain_cycle_seconds_count"]?.isCounter == true)
        #expect(known["ringside_up"]?.range == 0...1)
    }
}

@Suite struct RuleJSONTests {
    @Test(
        "/latest names the rules that wait, what they wait for, and since when an alert's condition has ceased to hold")
    func rules() {
        var snapshot = emptySnapshot()
        snapshot.waiting = [
            WaitingRule(kind: .alert, name: "deep", metric: "deptj", nearest: "depth"),
            WaitingRule(kind: .objective, name: "o", metric: "x_seconds"),
        ]
        var alert = AlertSnapshot(
            alert: "a", severity: "P1", bot: "b", state: .firing, condition: "x > 1", value: 0, labels: [],
            sinceUnixNanoseconds: 0)
        alert.resolvingSinceUnixNanoseconds = 5_000_000_000
        snapshot.alerts = [alert]
        let text = String(decoding: LatestJSON.render(snapshot), as: UTF8.self)
        let reason = "\"reason\":\"waits for this metric\""
        #expect(
            text.contains(
                "\"waiting\":[{\"kind\":\"alert\",\"name\":\"deep\",\"metric\":\"deptj\",\"nearest\":\"depth\",\(reason)},"
                    + "{\"kind\":\"objective\",\"name\":\"o\",\"metric\":\"x_seconds\",\"nearest\":null,\(reason)}]"))
        #expect(text.contains("\"unknown_since\":null,\"resolving_since\":5.000000000"))
    }
}
