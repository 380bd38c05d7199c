import Rules
import Series
import Testing

@Suite("How much of a window an alert is judged by") struct CoverageTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var statistic: AlertDefinition.Statistic
        var comparison: AlertDefinition.Comparison
        var coverage: Double?
        /// The seconds of a window of 60 after which it fires, if its condition holds from the first one on. An
        /// increase is observed from a second before.
        var seconds: Int64
        var testDescription: String {
            "\(statistic) \(comparison.rawValue), coverage \(coverage.map { "\($0)" } ?? "unset")"
        }
    }

    @Test(
        "an increase above a bound counts at once, whatever may yet be mended waits for its share of the window",
        arguments: [
            Case(statistic: .increase, comparison: .above, coverage: nil, seconds: 1),
            Case(statistic: .rate, comparison: .atLeast, coverage: nil, seconds: 1),
            Case(statistic: .increase, comparison: .below, coverage: nil, seconds: 59),
            Case(statistic: .rate, comparison: .atMost, coverage: nil, seconds: 59),
            Case(statistic: .ratio, comparison: .above, coverage: nil, seconds: 30),
            Case(statistic: .ratio, comparison: .below, coverage: nil, seconds: 30),
            Case(statistic: .quantile(0.99), comparison: .above, coverage: nil, seconds: 30),
            Case(statistic: .quantile(0.99), comparison: .below, coverage: nil, seconds: 30),
            Case(statistic: .increase, comparison: .above, coverage: 0.25, seconds: 14),
            Case(statistic: .increase, comparison: .below, coverage: 0.25, seconds: 14),
            Case(statistic: .rate, comparison: .below, coverage: 0.5, seconds: 29),
            Case(statistic: .ratio, comparison: .above, coverage: 0, seconds: 1),
            Case(statistic: .ratio, comparison: .above, coverage: 1, seconds: 60),
            Case(statistic: .quantile(0.99), comparison: .above, coverage: 0, seconds: 0),
            Case(statistic: .quantile(0.99), comparison: .above, coverage: 0.9, seconds: 54),
        ])
    func cases(_ one: Case) {
        let isMore = [.above, .atLeast].contains(one.comparison)
        let isHistogram = if case .quantile = one.statistic { true } else { false }
        let definition = AlertDefinition(
            name: "x", severity: "P1", instrument: isHistogram ? "x_seconds" : "x_total", statistic: one.statistic,
            divisor: one.statistic == .ratio ? "y_total" : nil, window: .oneMinute, comparison: one.comparison,
            threshold: isMore ? 0.001 : 1000, coverage: one.coverage)
        var harness = AlertHarness([definition])
        for second in 0...100 as ClosedRange<Int64> {
            // The bot was there before the collector, so nothing is known of earlier events.
            harness.set(
                histogram("x_seconds", p99: 1), counter("x_total", 500 + UInt64(second), watched: 0),
                counter("y_total", 500 + UInt64(second), watched: 0))
            if !harness.pass().isEmpty {
                #expect(second == one.seconds)
                return
            }
        }
        Issue.record("it never fired")
    }

    @Test("a rate below a bound is that of the time that was watched")
    func lowRate() {
        var definition = AlertDefinition(
            name: "slow", severity: "P1", instrument: "x_total", statistic: .rate, comparison: .below, threshold: 5,
            coverage: 0.25)
        func fires(perSecond: UInt64) -> Bool {
            var harness = AlertHarness([definition])
            return (0..<20 as Range<UInt64>).contains { second in
                harness.set(counter("x_total", second * perSecond, watched: 0))
                return !harness.pass().isEmpty
            }
        }
        #expect(!fires(perSecond: 6) && fires(perSecond: 4))
        definition.comparison = .above
        #expect(!fires(perSecond: 6), "20 s of 6 a second are 2 a second of the minute")
    }

    @Test("an alert that fires stands until its bot, back from the dead, has shown its share of a window")
    func back() {
        let definition = AlertDefinition(
            name: "slow", severity: "P1", instrument: "x_seconds", statistic: .quantile(0.99), threshold: 0.005)
        var harness = AlertHarness([definition])
        harness.set(histogram("x_seconds", p99: 0.01))
        #expect(harness.pass(30).isEmpty && harness.pass().map(\.state) == [.firing])
        harness.rings[0].presence = .down
        harness.set(histogram("x_seconds", p99: nil))
        #expect(harness.pass(50).isEmpty)
        harness.rings[0].presence = .up
        harness.set(histogram("x_seconds", p99: 0.001))
        #expect(harness.pass(30).isEmpty && harness.states == [.firing])
        #expect(harness.pass().map(\.state) == [.inactive])
    }
}
