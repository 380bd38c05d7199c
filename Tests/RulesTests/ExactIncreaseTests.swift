import Rules
import Series
import Testing

/// Tests rates and increases of alerts by exact totals and times.
@Suite struct ExactIncreaseTests {
    private func definition(
        _ statistic: AlertDefinition.Statistic, _ comparison: AlertDefinition.Comparison, _ threshold: Double,
        seconds: Int64 = 10
    ) throws -> AlertDefinition {
        let window = try #require(ObjectiveWindow(name: "\(seconds)s", lengthSeconds: seconds))
        return AlertDefinition(
            name: "a", severity: "P1", instrument: "n_total", statistic: statistic, window: window,
            comparison: comparison, threshold: threshold)
    }

    private func bot(_ reading: MetricSnapshot.Reading) -> BotSnapshot {
        let metric = MetricSnapshot(name: "n_total", help: "", unit: .none, labels: [], reading: reading)
        var ring = RingSnapshot(
            lane: "", isUp: true, pid: 1, position: 0, drained: 0, backlog: 0, lost: [:], late: 0, future: 0,
            lastRecordAge: 0)
        ring.activityAge = 0
        return BotSnapshot(name: "alpha", isUp: true, labels: [], rings: [ring], metrics: [metric], windows: [])
    }

    private func counter(_ value: Number, watched: Double) -> BotSnapshot {
        bot(.counter(CounterSnapshot(value: value, rate: nil, windows: [], watchedIncrease: watched)))
    }

    /// Reads a steady counter at intervals.
    ///
    /// - Returns: The values that were read, and how often the alert began to fire.
    private func steady(
        _ definition: AlertDefinition, perSecond: UInt64 = 1_000, from start: UInt64 = 0, milliseconds: [UInt64]
    ) -> (values: [Double], fired: Int) {
        var evaluator = AlertEvaluator()
        evaluator.use([definition])
        _ = evaluator.evaluate([], nowNanoseconds: 0, unixNanoseconds: 0)
        var (values, fired, now) = ([Double](), 0, UInt64(0))
        for step in 0..<200 {
            now += milliseconds[step % milliseconds.count]
            let count = now * perSecond / 1_000
            let changes = evaluator.evaluate(
                [counter(.unsigned(start + count), watched: Double(count))],
                nowNanoseconds: Int64(now) * 1_000_000, unixNanoseconds: Int64(now) * 1_000_000)
            fired += changes.filter { $0.state == .firing }.count
            if let value = evaluator.snapshots.first?.value { values.append(value) }
        }
        return (values, fired)
    }

    @Test(
        "a steady counter's rate and increase are read to 0.1 %, whatever the looks' distance and the counter's size",
        arguments: [[1_030], [1_000, 1_070, 1_001], [1_250], [2_700, 1_000]] as [[UInt64]], [0, 1 << 60] as [UInt64])
    func rates(milliseconds: [UInt64], start: UInt64) throws {
        let rate = steady(try definition(.rate, .above, 1_001), from: start, milliseconds: milliseconds)
        #expect(rate.fired == 0)
        #expect(rate.values.suffix(100).allSatisfy { abs($0 - 1_000) <= 1 })
        let increase = steady(try definition(.increase, .above, 10_010), from: start, milliseconds: milliseconds)
        #expect(increase.fired == 0)
        #expect(increase.values.suffix(100).allSatisfy { abs($0 - 10_000) <= 10 })
        // The bound is exceeded, so the alert fires once and stays.
        #expect(steady(try definition(.rate, .above, 990), from: start, milliseconds: milliseconds).fired == 1)
    }

    @Test("a window that fills exceeds no bound that it would not exceed whole, and is never below one")
    func filling() throws {
        for (statistic, bound) in [(AlertDefinition.Statistic.rate, 990.0), (.increase, 59_400)] {
            for comparison in [AlertDefinition.Comparison.below, .atMost] {
                let low = try definition(statistic, comparison, bound, seconds: 60)
                #expect(steady(low, milliseconds: [1_030]).fired == 0)
                #expect(steady(low, perSecond: 900, milliseconds: [1_030]).fired == 1)
            }
            let high = try definition(statistic, .above, bound * 1.02, seconds: 60)
            #expect(steady(high, milliseconds: [1_030]).fired == 0)
        }
    }

    @Test("one event is an increase of 1 from when it is seen until the window has passed it, and then of 0")
    func events() throws {
        var evaluator = AlertEvaluator()
        evaluator.use([try definition(.increase, .atLeast, 1)])
        var firing: [Int64] = []
        for second in 1...40 {
            let count: UInt64 = second >= 15 ? 1 : 0
            let now = Int64(second) * 1_030_000_000
            _ = evaluator.evaluate(
                [counter(.unsigned(count), watched: Double(count))], nowNanoseconds: now, unixNanoseconds: now)
            if evaluator.snapshots.first?.state == .firing { firing.append(now) }
        }
        #expect(try #require(firing.first) == Int64(15 * 1_030_000_000))
        #expect(firing.count == 9)
    }

    @Test("an infinite gauge fires and goes on firing; an infinite counter has an infinite increase")
    func infinite() throws {
        var evaluator = AlertEvaluator()
        evaluator.use([
            AlertDefinition(name: "g", severity: "P1", instrument: "n_total", threshold: 10)
        ])
        var changes: [AlertSnapshot] = []
        for (second, value) in [1.0, .infinity, .infinity, .infinity, 1].enumerated() {
            let gauge = GaugeSnapshot(lane: "", value: .real(value), highest: .real(value), windows: [])
            let now = Int64(second) * 1_000_000_000
            changes += evaluator.evaluate([bot(.gauge(gauge))], nowNanoseconds: now, unixNanoseconds: now)
            if second == 3 { #expect(changes.map(\.state) == [.firing] && changes[0].value == .infinity) }
        }
        #expect(changes.map(\.state) == [.firing, .inactive])
        evaluator.use([try definition(.rate, .above, 10)])
        for second in 5..<8 {
            let now = Int64(second) * 1_000_000_000
            changes += evaluator.evaluate(
                [counter(.real(second < 6 ? 1 : .infinity), watched: second < 6 ? 1 : .infinity)], nowNanoseconds: now,
                unixNanoseconds: now)
        }
        #expect(changes.last?.alert == "a" && changes.last?.state == .firing && changes.last?.value == .infinity)
    }
}
