import Configuration
import Exposition
import Rules
import Series
import TestSupport
import Testing

@testable import Delivery
@testable import Drain

@Suite struct TraceExchangeTests {
    private func spans(_ count: Int, bot: String = "alpha", metric: String = "x_seconds") -> [TracedSpan] {
        let source = TraceSource(
            bot: bot, botLabels: [Label("env", "paper")], lane: "", metric: metric, labels: [Label("venue", "X")],
            ringSeed: 1)
        return (0..<count).map {
            TracedSpan(
                source: source, traceID: 7, index: UInt64($0), endUnixNanoseconds: 1000, durationNanoseconds: 10,
                weight: 1, hasFailed: false)
        }
    }

    @Test(
        "each export has a buffer of its own: spans that come when it is full are dropped and counted, for that one alone"
    )
    func bounds() {
        let exchange = TraceExchange()
        #expect(!exchange.isWanted)
        exchange.subscribe("small", bound: 10)
        exchange.subscribe("large", bound: 1000)
        #expect(exchange.isWanted)
        exchange.add(spans(8))
        exchange.add(spans(8))
        let (small, dropped) = exchange.take("small")
        #expect(small.count == 10 && dropped == 6)
        #expect(exchange.take("large").spans.count == 16)
        #expect(exchange.take("small").spans.isEmpty && exchange.take("small").dropped == 0)
        exchange.add(spans(3))
        // The same subscription again leaves the waiting spans.
        exchange.subscribe("small", bound: 10)
        #expect(exchange.take("small").spans.count == 3)
        exchange.keep(["large"])
        #expect(exchange.isWanted && exchange.take("small").spans.isEmpty && exchange.take("large").spans.count == 3)
        exchange.keep([])
        #expect(!exchange.isWanted)
    }

    @Test("spans go by the export's route and by the rules that change metrics, and drops are in its account")
    func routes() {
        let (exchange, accounts) = (TraceExchange(), ExportAccounts())
        accounts.keep(["t"])
        var route = ExportRoute()
        route.leaveBots = [Glob("beta")]
        route.takeLabels = [LabelPattern("env", Glob("p*"))]
        var encoder = OTLPTracesEncoder(
            name: "t", labels: [], options: OTLPTraceOptions(), compresses: false, route: route, traces: exchange,
            accounts: accounts)
        exchange.subscribe("t", bound: 4)
        exchange.rules = [
            MetricRule(match: Glob("debug_*"), drop: true),
            MetricRule(match: Glob("x_seconds"), rename: "renamed_seconds"),
        ]
        func bodies(_ spans: [TracedSpan]) -> [String] {
            exchange.add(spans)
            let collector = CollectorSnapshot(
                version: "1", uptimeSeconds: 0,
                drainCycle: HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: []),
                drainCycleSketch: .init(scale: 7, positive: [], negative: [], zeroCount: 0))
            return encoder.entries(for: Snapshot(unixNanoseconds: 0, bots: [], collector: collector)).map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }
        #expect(bodies(spans(1)).first?.contains("renamed_seconds") == true)
        #expect(bodies(spans(1, bot: "beta")) == [])
        #expect(bodies(spans(1, metric: "debug_seconds")) == [])
        _ = bodies(spans(9))
        #expect(accounts.all[0].dropped["span_buffer"] == 5)
        encoder = OTLPTracesEncoder(
            name: "t", labels: [], options: OTLPTraceOptions(), compresses: false,
            route: {
                var route = ExportRoute()
                route.leaveLabels = [LabelPattern("venue", Glob("X"))]
                return route
            }(), traces: exchange, accounts: accounts)
        #expect(bodies(spans(1)) == [])
    }
}
