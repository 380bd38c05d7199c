import Series
import Sketch
import TestSupport
import Testing

@testable import History

/// Tests minutes of counters beyond 2^53, of infinite values, and of labels that Unicode calls equivalent.
@Suite struct ExactHistoryTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60

    private func snapshot(_ metrics: [MetricSnapshot], minute: Int) -> Snapshot {
        let scene = Scene(seed: 1)
        var snapshot = scene.snapshot
        snapshot.unixNanoseconds += Int64(minute) * 60_000_000_000
        snapshot.bots[0].metrics = metrics
        return snapshot
    }

    private func counter(_ value: Number, labels: [Label] = []) -> MetricSnapshot {
        MetricSnapshot(
            name: "n_total", help: "", unit: .none, labels: labels,
            reading: .counter(CounterSnapshot(value: value, rate: nil, windows: [], watchedIncrease: 0)))
    }

    private func increases(labels: [Label] = []) throws -> [[Double]] {
        let reader = try HistoryReader(path: path)
        let query = HistoryQuery(metric: "n_total", labels: labels, minutes: first..<first + 5, stepMinutes: 1)
        return try reader.answer(query).series.map { series in
            // An answer leaves out minutes in which nothing happened.
            var increases = [Double](repeating: 0, count: 5)
            for point in series.points {
                if case .counter(let increase) = point.reading { increases[Int(point.minute - first)] = increase }
            }
            return increases
        }
    }

    @Test(
        "the minutes of a counter are exact wherever it stands",
        arguments: [1 << 53, 1 << 62, UInt64.max - 1_000] as [UInt64])
    func beyond(start: UInt64) throws {
        var writer = try Writer(path)
        for minute in 1...5 {
            try writer.write(snapshot([counter(.unsigned(start + UInt64(minute) * 3))], minute: minute))
        }
        #expect(try increases().first?.dropFirst() == [3, 3, 3, 3])
        try writer.store.pack(before: .max)
        #expect(try increases().first?.dropFirst() == [3, 3, 3, 3])
    }

    @Test("labels that differ in their bytes alone have rows of their own")
    func bytes() throws {
        let venues = ["caf\u{E9}", "cafe\u{301}"].map { Label("venue", $0) }
        var writer = try Writer(path)
        for minute in 1...5 {
            try writer.write(
                snapshot(
                    venues.enumerated().map { counter(.unsigned(UInt64(minute) * UInt64(10 + $0)), labels: [$1]) },
                    minute: minute))
        }
        #expect(try increases().count == 2)
        for (place, venue) in venues.enumerated() {
            #expect(try increases(labels: [venue]).map { $0.dropFirst().reduce(0, +) } == [Double(4 * (10 + place))])
        }
        // Another collector continues from the file.
        let totals = try HistoryStore(path: path).totals()
        #expect(totals.keys.filter { $0.name == "n_total" }.count == 2)
    }

    @Test("infinite gauges, counters and samples are in their minutes, packed or not, and in no later one")
    func infinite() throws {
        var writer = try Writer(path)
        var sketch = ExponentialSketch()
        var finite = 0.0
        for minute in 1...4 {
            sketch.insert(1)
            finite += 1
            if minute == 2 { sketch.insert(.infinity) }
            let total = HistogramSummary(
                count: sketch.count, finiteSum: finite, infinities: sketch.infinities,
                extremes: .init(minimum: 1, maximum: minute < 2 ? 1 : .infinity), quantiles: [])
            let histogram = HistogramSnapshot(
                calls: sketch.count, abandoned: 0, failed: 0, total: total, sketch: sketch.snapshot(),
                classicBuckets: [],
                windows: [])
            let value = minute == 2 ? Double.infinity : 1
            try writer.write(
                snapshot(
                    [
                        counter(.real(minute < 2 ? 1 : .infinity)),
                        MetricSnapshot(
                            name: "depth", help: "", unit: .none, labels: [],
                            reading: .gauge(
                                GaugeSnapshot(lane: "", value: .real(value), highest: .real(value), windows: []))),
                        MetricSnapshot(name: "size", help: "", unit: .none, labels: [], reading: .histogram(histogram)),
                    ], minute: minute))
        }
        for isPacked in [false, true] {
            if isPacked { try writer.store.pack(before: .max) }
            #expect(try increases().first?.prefix(4).dropFirst() == [.infinity, 0, 0])
            let reader = try HistoryReader(path: path)
            let sizes = try reader.answer(
                HistoryQuery(metric: "size", minutes: first..<first + 4, stepMinutes: 1))
            let points = try #require(sizes.series.first?.points).compactMap(\.histogram)
            #expect(points.map(\.sum) == [1, .infinity, 1, 1])
            #expect(points.map { $0.maximum == .infinity } == [false, true, false, false])
            #expect(points[1].values.last == .infinity && points[2].values.allSatisfy { abs($0 - 1) < 0.003 })
            let depth = try reader.answer(
                HistoryQuery(metric: "depth", minutes: first..<first + 4, stepMinutes: 1))
            let depths = try #require(depth.series.first)
            let text = String(decoding: HistoryJSON.document(depth.query, depths), as: UTF8.self)
            #expect(text.contains("\"max\":null,\"max_text\":\"+Inf\""))
        }
    }
}
