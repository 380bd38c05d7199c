import Glibc
import Series
import Sketch
import TestSupport
import Testing

@testable import Exposition

/// Tests the bodies as OpenTelemetry's own classes decode them.
@Suite("OTLP metrics, as OpenTelemetry's own decoder reads them") struct OTLPMetricsTests {
    private let time: UInt64 = 1_700_000_000_000_000_000

    private func decode(
        _ bots: [BotSnapshot], labels: [Label] = [], _ change: (inout OTLPOptions) -> Void = { _ in }
    ) throws -> [OTLPPoint] {
        let snapshot = snapshot(bots)
        var options = OTLPOptions()
        change(&options)
        return try Decoded.otlpMetrics(requests(snapshot, labels: labels, options))
    }

    private func requests(_ snapshot: Snapshot, labels: [Label] = [], _ options: OTLPOptions = OTLPOptions())
        -> [[UInt8]]
    {
        var sent = OTLPSentSeries()
        return OTLPMetrics.requests(
            Families(snapshot, process: nil), of: snapshot, labels: labels, options: options, sent: &sent)
    }

    @Test("each bot is a resource with its labels, and no data point says them again")
    func resources() throws {
        let metrics = [counter("ticks_total", .unsigned(7), labels: [Label("symbol", "AAPL")])]
        let points = try decode(
            [bot("alpha", metrics, labels: [Label("env", "paper")]), bot("beta", metrics)],
            labels: [Label("host", "trader1"), Label("desk", "rates"), Label("env", "other")])
        let ticks = points.filter { $0.name == "ticks_total" }
        #expect(
            ticks.map(\.resource) == [
                [
                    "service.name": "alpha", "bot": "alpha", "env": "paper", "host.name": "trader1", "desk": "rates",
                ],
                ["service.name": "beta", "bot": "beta", "env": "other", "host.name": "trader1", "desk": "rates"],
            ])
        #expect(ticks.map(\.attributes) == [["symbol": "AAPL"], ["symbol": "AAPL"]])
        let build = try #require(points.first { $0.name == "ringside_build_info" })
        #expect(build.resource["service.name"] == "ringsided" && build.resource["bot"] == nil)
        let up = points.filter { $0.name == "ringside_up" }
        #expect(up.map { $0.resource["bot"] } == ["alpha", "beta"] && up.allSatisfy { $0.attributes.isEmpty })
        #expect(points.allSatisfy { $0.scope == "ringside" && $0.time == time && $0.flags == 0 })
    }

    @Test("counters are monotonic sums since their creation, up-down counters sums that are not, gauges are gauges")
    func numbers() throws {
        var ticks = counter("ticks_total", .unsigned(9_007_199_254_740_993), help: "Ticks.")
        ticks.createdUnixSeconds = 1_699_999_999.5
        var orders = counter("open_orders", .signed(-3))
        if case .counter(let value) = orders.reading { orders.reading = .upDownCounter(value) }
        orders.createdUnixSeconds = 1_699_999_000
        let exposure = gauge("exposure_usd", .real(-0.1), unit: .usd, lane: "md")
        let huge = counter("huge_total", .unsigned(.max))
        let points = try decode([bot("alpha", [ticks, orders, exposure, huge])])
        func point(_ name: String) throws -> OTLPPoint { try #require(points.first { $0.name == name }) }
        let counted = try point("ticks_total")
        #expect(counted.form == "sum" && counted.monotonic && counted.temporality == 2)
        #expect(counted.value == "9007199254740993" && counted.whole == true && counted.help == "Ticks.")
        #expect(counted.start == 1_699_999_999_500_000_000)
        let open = try point("open_orders")
        #expect(open.form == "sum" && !open.monotonic && open.temporality == 2)
        #expect(open.value == "-3" && open.start == 1_699_999_000_000_000_000)
        let gauge = try point("exposure_usd")
        #expect(gauge.form == "gauge" && gauge.value == "-0.1" && gauge.whole == false && gauge.unit == "{USD}")
        #expect(gauge.attributes == ["lane": "md"] && gauge.start == 0)
        // No signed whole number can hold it.
        #expect(try point("huge_total").value == "1.8446744073709552e+19")
    }

    private func traded(_ values: [Double], unit: MetricUnit = .seconds) -> MetricSnapshot {
        var sketch = ExponentialSketch()
        for value in values { sketch.insert(value) }
        let total = HistogramSummary(
            count: UInt64(values.count), sum: values.reduce(0, +),
            extremes: values.min().map { .init(minimum: $0, maximum: values.max()!) }, quantiles: [])
        var metric = histogram(
            "rtt_seconds", unit: unit, total: total, windows: [summary(count: 2, sum: 1)], sketch: sketch.snapshot())
        metric.createdUnixSeconds = 1_600_000_000
        return metric
    }

    /// Returns the bucket of a value by OpenTelemetry's mapping, by logarithm.
    private func index(_ magnitude: Double, scale: Int) -> Int {
        Int((log2(magnitude) * exp2(Double(scale))).rounded(.up)) - 1
    }

    private func counts(_ buckets: OTLPPoint.Buckets?) -> [Int: UInt64] {
        let buckets = buckets ?? .init(offset: 0, counts: [])
        return Dictionary(
            uniqueKeysWithValues: buckets.counts.enumerated().map { (buckets.offset + $0, $1) }.filter { $1 > 0 })
    }

    @Test("histograms are the sketch's buckets, merged until they span no more than 160, with count, sum and extremes")
    func histograms() throws {
        var random = SplitMix(state: 11)
        for (spread, limit) in [(0.2, 160), (3.0, 160), (12.0, 160), (12.0, 20)] {
            let values = (0..<3000).map { _ in exp(Double.random(in: -spread...spread, using: &random)) * 1e-4 }
            let points = try decode([bot("alpha", [traded(values)])]) { $0.bucketLimit = limit }
            let point = try #require(points.first { $0.name == "rtt_seconds" })
            #expect(point.form == "exponential_histogram" && point.temporality == 2 && point.unit == "s")
            #expect(point.count == 3000 && point.sum == values.reduce(0, +) && point.zeros == 0)
            #expect(point.minimum == values.min() && point.maximum == values.max())
            #expect(point.start == 1_600_000_000_000_000_000)
            let scale = try #require(point.scale)
            let positive = try #require(point.positive)
            #expect(positive.counts.count <= limit)
            #expect(positive.counts.first != 0 && positive.counts.last != 0)
            // The next finer scale would not have fitted.
            let finer = values.map { index($0, scale: scale + 1) }
            #expect(scale == 7 || finer.max()! - finer.min()! + 1 > limit)
            let expected = Dictionary(grouping: values.map { index($0, scale: scale) }) { $0 }
                .mapValues { UInt64($0.count) }
            #expect(counts(positive) == expected)
            #expect(counts(point.negative) == [:])
        }
    }

    @Test("without a cap a histogram has all its buckets, and values below zero and at zero stand apart, without a sum")
    func bothSigns() throws {
        var random = SplitMix(state: 12)
        let values = (0..<2000).map { _ in (Double.random(in: -1...1, using: &random) * 8).rounded() * 1.7e-3 }
        let points = try decode([bot("alpha", [traded(values, unit: .bps)])]) {
            $0.bucketLimit = nil
            $0.scale = 5
        }
        let point = try #require(points.first { $0.name == "rtt_seconds" })
        #expect(point.scale == 5 && point.count == 2000 && point.sum == nil)
        #expect(point.zeros == UInt64(values.count { $0 == 0 }))
        for (buckets, values) in [
            (point.positive, values.filter { $0 > 0 }), (point.negative, values.filter { $0 < 0 }),
        ] {
            let expected = Dictionary(grouping: values.map { index($0.magnitude, scale: 5) }) { $0 }
            #expect(counts(buckets) == expected.mapValues { UInt64($0.count) })
        }
        let empty = try decode([bot("alpha", [traded([])])])
        let none = try #require(empty.first { $0.name == "rtt_seconds" })
        #expect(none.count == 0 && none.minimum == nil && none.sum == 0)
    }

    @Test("windows are gauges by quantile, the drain's cycle is a summary")
    func quantiles() throws {
        let points = try decode([bot("alpha", [traded([1, 2])])])
        let window = points.filter { $0.name == "rtt_window_seconds" }
        #expect(window.map(\.form) == ["gauge", "gauge", "gauge", "gauge"])
        #expect(window.map { $0.attributes["quantile"] } == ["0.5", "0.95", "0.99", "0.999"])
        #expect(window.allSatisfy { $0.attributes["window"] == "1s" })
        #expect(window.map(\.value) == ["2.0", "2.9", "2.98", "2.998"])
        let cycle = try #require(points.first { $0.name == "ringside_drain_cycle_seconds" })
        #expect(cycle.form == "summary" && cycle.count == 9 && cycle.sum == 0.5)
        #expect(cycle.quantiles?.map { $0[0] } == [0.5, 0.95, 0.99, 0.999])
    }

    @Test("requests are split by data points, and together contain all once")
    func batches() throws {
        let bots = ["alpha", "beta"].map { name in
            bot(name, (0..<50).map { counter("c\($0)_total", .unsigned(1), labels: [Label("n", "\($0 % 7)")]) })
        }
        let snapshot = snapshot(bots)
        let whole = try Decoded.otlpMetrics(requests(snapshot))
        var options = OTLPOptions()
        options.batchPoints = 7
        let bodies = requests(snapshot, options)
        let parts = try bodies.map { try Decoded.otlpMetrics([$0]) }
        #expect(bodies.count > 14)
        func key(_ point: OTLPPoint) -> String {
            "\(point.resource["bot"] ?? "") \(point.name) \(point.attributes.sorted { $0.key < $1.key })"
        }
        #expect(parts.joined().map(key).sorted() == whole.map(key).sorted())
        #expect(Set(whole.map(key)).count == whole.count)
    }

    @Test("records that carried a trace id are exemplars with their time and their trace")
    func exemplars() throws {
        let seen = ExemplarSnapshot(value: 0.25, traceID: 0xABC, timeNanoseconds: 500)
        let metric = histogram("rtt_seconds", total: summary(count: 1, sum: 0.25), exemplars: [seen])
        var snapshot = snapshot([bot("alpha", [metric])])
        snapshot.clockOffsetNanoseconds = 1_699_999_999_000_000_000
        let point = try #require(try Decoded.otlpMetrics(requests(snapshot)).first { $0.name == "rtt_seconds" })
        let expected = OTLPPoint.Exemplar(
            traceID: "00000000000000000000000000000abc", value: 0.25, time: 1_699_999_999_000_000_500)
        #expect(point.exemplars == [expected])
    }

    @Test("a series that is gone is sent once more without a value, and so are those of a bot that is gone")
    func ended() throws {
        var sent = OTLPSentSeries()
        func send(_ bots: [BotSnapshot]) throws -> [OTLPPoint] {
            let snapshot = snapshot(bots)
            return try Decoded.otlpMetrics(
                OTLPMetrics.requests(
                    Families(snapshot, process: nil), of: snapshot, labels: [], sent: &sent))
        }
        let labels = [Label("env", "paper")]
        let alive = [
            bot("alpha", [gauge("exposure_usd", .real(1)), traded([1])], labels: labels),
            bot("beta", [counter("ticks_total", .unsigned(1))], labels: labels),
        ]
        #expect(try send(alive).allSatisfy { $0.flags == 0 })
        let points = try send([bot("alpha", [traded([2])], isUp: false, labels: labels)])
        let gone = points.filter { $0.flags == 1 }
        let names = Set(gone.map { "\($0.resource["bot"] ?? "") \($0.name)" })
        #expect(
            names.isSuperset(of: [
                "alpha exposure_usd", "alpha exposure_usd_max", "beta ticks_total", "beta ringside_up",
            ]))
        #expect(names.isDisjoint(with: ["alpha rtt_seconds", "alpha ringside_up"]))
        // The series are the same as before, by everything that tells them apart.
        #expect(
            gone.first { $0.name == "ticks_total" }?.resource == [
                "service.name": "beta", "bot": "beta", "env": "paper",
            ])
        #expect(try send([bot("alpha", [traded([2])], isUp: false, labels: labels)]).allSatisfy { $0.flags == 0 })
        let histogram = try send([bot("alpha", [], labels: labels)]).first { $0.name == "rtt_seconds" }
        #expect(histogram?.flags == 1 && histogram?.count == 0)
    }

    @Test("the bodies can be decoded whatever the names of bots and metrics", arguments: 0..<12 as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        let snapshot = hostileSnapshot(seed: seed)
        _ = try Decoded.otlpMetrics(requests(snapshot, labels: [Label("host", "\u{0}é")]))
    }

    @Test("an answer's refusals are read, and any other bytes are ignored")
    func answers() {
        var writer = ProtobufWriter()
        writer.message(1) {
            $0.int64(1, 17)
            $0.string(2, "too old")
        }
        let body = writer.finish()
        #expect(OTLPAnswer(body).rejected == 17 && OTLPAnswer(body).message == "too old")
        #expect(OTLPAnswer([]).rejected == 0)
        var random = SplitMix(state: 5)
        for _ in 0..<20_000 {
            var bytes = body
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = OTLPAnswer(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
        }
    }
}
