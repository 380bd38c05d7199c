import FoundationEssentials
import Glibc
import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("A history as OpenMetrics") struct OpenMetricsExportTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let first: Int64 = 28_333_320

    private struct Answer: Decodable {
        let refusal: String?
        let samples: [Sample]

        struct Sample: Decodable {
            let family, type, name: String
            let labels: [String: String]
            let time: Double
            /// Nil if it is no number.
            let number: Double?

            enum CodingKeys: String, CodingKey {
                case family, type, name, labels, time
                case number = "value"
            }

            var value: Double { number ?? .nan }
        }
    }

    private func histogram(_ values: [Double]) -> MinuteValue {
        var distribution = Distribution()
        for value in values { distribution.insert(value) }
        let summary = distribution.summary(quantiles: [])
        return .histogram(
            HistogramMinute(
                calls: summary.count, failed: 0, sum: summary.sum, minimum: summary.extremes?.minimum ?? .infinity,
                maximum: summary.extremes?.maximum ?? -.infinity, sketch: distribution.sketch.snapshot()))
    }

    /// Returns every kind, with idle minutes between, over two hours, with series that are exported as one, and names
    /// that collide.
    private func entries() -> [HistoryStore.Entry] {
        var random = SeededGenerator(seed: 34)
        var entries: [HistoryStore.Entry] = []
        func add(_ key: HistorySeriesKey, _ minute: Int64, _ value: MinuteValue) {
            entries.append(
                .init(key: key, help: "Help with \"quotes\", \\ and\nlines.", minute: first + minute, value: value))
        }
        func key(
            _ name: String, _ kind: MetricKind, _ labels: [Label] = [], bot: String = "alpha", lane: String = "",
            unit: MetricUnit = .none, constant: [Label] = []
        ) -> HistorySeriesKey {
            HistorySeriesKey(
                bot: bot, botLabels: constant, name: name, labels: labels, lane: lane, kind: kind, unit: unit)
        }
        for minute in stride(from: Int64(0), to: 90, by: 7) {
            for symbol in ["AAPL", "a\"b\\c\nd", "é\r\n"] {
                let labels = [Label("symbol", symbol)]
                add(key("fills_total", .counter, labels), minute, .counter(2.5))
                add(
                    key("order_seconds", .histogram, labels, unit: .seconds), minute,
                    histogram((0..<20).map { _ in 1e-5 * exp(2 * random.normal()) }))
                // Its edges come with its values.
                add(
                    key("size_shares", .histogram, labels), minute,
                    histogram((0..<5).map { _ in Double(minute + 1) * random.unit() }))
                // Its values are below zero from a certain minute on.
                add(
                    key("slippage", .histogram, labels), minute,
                    histogram([1, minute > 30 ? -1 : 2, minute > 30 ? -Double(minute) : 3, 0]))
            }
            for lane in ["md", "orders"] {
                add(
                    key("depth", .gauge, lane: lane, constant: [Label("lane", "own"), Label("bot", "x")]), minute,
                    .gauge(GaugeMinute(minimum: -1, maximum: 4, last: random.normal())))
            }
            // The metric's own label hides a constant one, so two versions of it are one series outside.
            for version in ["1", "2"] {
                add(
                    key("hidden_total", .counter, [Label("v", "own")], constant: [Label("v", version)]),
                    minute + (version == "2" ? 1 : 0), .counter(1))
            }
            for name in ["plain", "clash", "clash_total", "busy_seconds_total", "size_shares_count"] {
                add(key(name, .counter, unit: name.contains("seconds") ? .seconds : .none), minute, .counter(1))
            }
            add(
                key("state", .upDownCounter, bot: "beta"), minute,
                .gauge(GaugeMinute(minimum: .nan, maximum: 1, last: .nan)))
            add(key("clash", .gauge, bot: "beta"), minute, .gauge(GaugeMinute(minimum: 1, maximum: 1, last: 1)))
            add(key("bad-name", .gauge), minute, .gauge(GaugeMinute(minimum: 1, maximum: 1, last: 1)))
            add(BuiltInSeries.watched, minute, .counter(60))
        }
        return entries
    }

    private func export() throws -> String {
        let store = try HistoryStore(path: "\(folder.path)/history.db")
        try store.write(entries())
        try store.pack(before: first + 60)
        let text = "\(folder.path)/h.om"
        let file = fopen(text, "w")
        defer { fclose(file) }
        var export = HistoryOpenMetrics(
            try HistoryReader(path: "\(folder.path)/history.db"), minutes: first..<first + 100
        ) { bytes in _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } }
        try export.run()
        #expect(export.leftOut > 0)
        return text
    }

    @Test("the strict parser of prometheus_client takes every kind, and reads what the history holds")
    func strictParser() throws {
        let script = "\(packageFolder)/Tests/HistoryTests/Judges/openmetrics.py"
        let answer: Answer = try Python.run(script, [try export()])
        #expect(answer.refusal == nil)
        func last(_ name: String, _ labels: [String: String]) -> Answer.Sample? {
            answer.samples.last { sample in
                sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
            }
        }
        let symbol = ["symbol": "a\"b\\c\nd", "bot": "alpha"]
        #expect(last("fills_total", symbol)?.value == 32.5 && last("fills_total", symbol)?.type == "counter")
        #expect(last("order_seconds_count", symbol)?.value == 260.0)
        #expect(last("slippage_bucket", symbol.merging(["le": "+Inf"]) { $1 })?.value == 52.0)
        #expect(last("slippage_bucket", symbol.merging(["le": "0.0"]) { $1 })?.value == 29.0)
        #expect(last("hidden_total", ["v": "own"])?.value == 26)
        #expect(last("plain", [:])?.type == "unknown" && last("busy_seconds_total", [:])?.family == "busy_seconds")
        #expect(last("depth", ["lane": "md", "exported_lane": "own", "exported_bot": "x"]) != nil)
        let quantiles = answer.samples.filter { $0.name == "order_seconds_window" || $0.name == "order_window_seconds" }
        #expect(quantiles.count == 3 * 13 * 4 && quantiles.allSatisfy { $0.value > 0 })
        #expect(answer.samples.contains { $0.name == "slippage_window" && $0.value < 0 })
        #expect(!answer.samples.contains { $0.name == "slippage_sum" && $0.labels["symbol"] == "AAPL" })
        // Nothing is left out: each series has each of its minutes.
        let buckets = answer.samples.filter { $0.name == "order_seconds_bucket" && $0.labels["symbol"] == "AAPL" }
        let byEdge = Dictionary(grouping: buckets) { $0.labels["le"] ?? "" }
        #expect(byEdge.count == 28 && byEdge.values.allSatisfy { $0.count == 7 * 12 + 2 })
        for samples in byEdge.values {
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time && $0.value <= $1.value })
        }
    }

    @Test("promtool makes blocks of it")
    func promtool() throws {
        let places: [String] = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        let found = places.first { place in access(place, X_OK) == 0 }
        let promtool = try #require(found, "promtool is not installed: tools/setup --tests")
        let made = try ChildProcess([
            promtool, "tsdb", "create-blocks-from", "openmetrics", try export(), "\(folder.path)/blocks",
        ])
        #expect(try made.wait(limitSeconds: 120) == .code(0), "\(made.standardError)")
    }
}
