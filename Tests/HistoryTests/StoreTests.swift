import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("A history of minutes") struct StoreTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60

    private func expect(_ point: HistoryPoint?, holds values: [Double]) throws {
        let histogram = try #require(point?.histogram)
        #expect(histogram.count == UInt64(values.count))
        let sum = values.reduce(0, +)
        #expect(abs(histogram.sum - sum) <= 1e-9 * sum)
        guard !values.isEmpty else { return }
        #expect(abs(try #require(histogram.minimum) / values.min()! - 1) <= 0.00271)
        #expect(abs(try #require(histogram.maximum) / values.max()! - 1) <= 0.00271)
        for (quantile, value) in zip(HistogramPoint.quantiles, histogram.values) {
            #expect(abs(value / exactQuantile(values, quantile) - 1) <= 0.00271, "p\(quantile)")
        }
    }

    @Test("any range's percentiles are those of its values, whether its hours are packed or not")
    func ranges() throws {
        var scene = Scene(seed: 1)
        var writer = try Writer(path)
        for minute in 0..<190 { try writer.write(scene.minute(values: minute % 7 == 0 ? 0 : 40)) }
        let ranges = [first..<first + 190, first + 3..<first + 4, first + 17..<first + 121, first + 130..<first + 190]
        let before = try ranges.map { try point(path, $0) }
        for (range, points) in zip(ranges, before) { try expect(points.first, holds: scene.values(range)) }
        try writer.store.pack(before: (first / 60 + 2) * 60)
        #expect(try ranges.map { try point(path, $0) } == before)
        try writer.store.pack(before: .max)
        #expect(try ranges.map { try point(path, $0) } == before)
    }

    @Test("an hour's quantiles are those of the merge of its minutes, bit for bit, never their average")
    func hourIsMerge() throws {
        var scene = Scene(seed: 2)
        var writer = try Writer(path)
        for _ in 0..<120 { try writer.write(scene.minute(values: 25)) }
        try writer.store.pack(before: .max)
        let hour = (first / 60 + 1) * 60
        let minutes = try point(path, hour..<hour + 60, step: 1)
        var sketch = ExponentialSketch()
        for value in scene.values(hour..<hour + 60) { sketch.insert(value) }
        let whole = try #require(try point(path, hour..<hour + 60).first?.histogram)
        #expect(minutes.count == 60 && minutes.reduce(0) { $0 + $1.histogram!.count } == whole.count)
        #expect(
            whole.values
                == sketch.values(
                    atQuantiles: HistogramPoint.quantiles, minimum: whole.minimum!, maximum: whole.maximum!))
    }

    @Test(
        "a counter's increase, a gauge's range and the losses stand beside them, and a step with a loss is not complete"
    )
    func others() throws {
        var scene = Scene(seed: 3)
        var writer = try Writer(path)
        for minute in 0..<10 { try writer.write(scene.minute(values: 10, lost: minute == 4 ? 7 : 0)) }
        try writer.store.pack(before: .max)
        let all = try #require(try point(path, first..<first + 10, metric: "orders_total").first)
        #expect(all.increase == 100 && all.lost == 7 && !all.isComplete && abs(all.watchedSeconds - 600) < 1e-6)
        let steps = try point(path, first..<first + 10, metric: "orders_total", step: 2)
        #expect(steps.map(\.isComplete) == [true, true, false, true, true])
        #expect(steps.map(\.lost) == [0, 0, 7, 0, 0])
        let gauge = try #require(try point(path, first..<first + 10, metric: "queue").first?.gauge)
        #expect(gauge == GaugeMinute(minimum: 1, maximum: 100, last: 50))
        #expect(try point(path, first..<first + 10, metric: "orders_total", labels: [Label("side", "sell")]) == [])
        // No collector watched after it.
        #expect(try point(path, first..<first + 11, metric: "orders_total").map(\.isComplete) == [false])
    }

    @Test("a collector that is started again goes on from the last minute: nothing twice, nothing missing")
    func restart() throws {
        var scene = Scene(seed: 4)
        for round in 0..<6 {
            var writer = try Writer(path, round == 0 ? .bothAreNew : .restored, at: scene.unixNanoseconds)
            for _ in 0..<25 { try writer.write(scene.minute(values: 30)) }
            if round % 2 == 1 { try writer.store.pack(before: scene.unixNanoseconds / 3_600_000_000_000 * 60) }
            // Later records were drained, but they are not in the history when the collector is killed.
            _ = scene.minute(values: 11)
        }
        var writer = try Writer(path, .restored, at: scene.unixNanoseconds)
        try writer.write(scene.snapshot)
        let range = first..<first + 200
        let found = try #require(try point(path, range).first?.histogram)
        #expect(found.count == UInt64(scene.values(range).count))
        #expect(try point(path, range, metric: "orders_total").first?.increase == Double(scene.values(range).count))
    }

    @Test("a history that begins in the middle of a collector's life counts nothing from before it in a minute")
    func newHistory() throws {
        var scene = Scene(seed: 5)
        _ = scene.minute(values: 1000)
        var writer = try Writer(path, .historyIsNew, at: scene.unixNanoseconds)
        try writer.write(scene.snapshot)
        #expect(try point(path, first..<first + 10).isEmpty)
        try writer.write(scene.minute(values: 20))
        // The totals are known after a restart too.
        writer = try Writer(path, .restored, at: scene.unixNanoseconds)
        try writer.write(scene.minute(values: 30))
        #expect(try point(path, first..<first + 10).first?.histogram?.count == 50)
        #expect(try point(path, first..<first + 10, metric: "orders_total").first?.increase == 50)
    }

    @Test("what came within the minute that a collector was killed in counts, of series that the history never saw too")
    func killedEarly() throws {
        var scene = Scene(seed: 12)
        let writer = try Writer(path)
        try writer.store.write([.init(key: BuiltInSeries.watched, minute: first, value: .counter(1))])
        _ = scene.minute(values: 40)
        var resumed = scene.snapshot
        // The next collector has watched no increase of it.
        for place in resumed.bots[0].metrics.indices {
            if case .counter(var counter) = resumed.bots[0].metrics[place].reading {
                counter.watchedIncrease = 0
                resumed.bots[0].metrics[place].reading = .counter(counter)
            }
        }
        var next = try Writer(path, .restored, at: scene.unixNanoseconds)
        try next.write(resumed)
        #expect(try point(path, first..<first + 10).first?.histogram?.count == 40)
        #expect(try point(path, first..<first + 10, metric: "orders_total").first?.increase == 40)
    }

    @Test("a collector that lost its state counts nothing of what the history has again")
    func lostState() throws {
        var scene = Scene(seed: 6)
        var writer = try Writer(path)
        try writer.write(scene.minute(values: 500))
        // The rings still hold some of it.
        var anew = Scene(seed: 7)
        anew.unixNanoseconds = scene.unixNanoseconds
        _ = anew.minute(values: 80)
        writer = try Writer(path, .collectorIsNew, at: scene.unixNanoseconds)
        try writer.write(anew.snapshot)
        #expect(try point(path, first..<first + 10).first?.histogram?.count == 500)
        try writer.write(anew.minute(values: 3))
        #expect(try point(path, first..<first + 10).first?.histogram?.count == 503)
        writer = try Writer(path, .restored, at: anew.unixNanoseconds)
        try writer.write(anew.minute(values: 4))
        #expect(try point(path, first..<first + 10).first?.histogram?.count == 507)
    }

    @Test("a bot that comes back with another version begins another series, and its totals go on")
    func versions() throws {
        var scene = Scene(seed: 8)
        scene.botLabels = [Label("version", "1")]
        var writer = try Writer(path)
        for _ in 0..<3 { try writer.write(scene.minute(values: 10)) }
        scene.botLabels = [Label("version", "2")]
        for _ in 0..<2 { try writer.write(scene.minute(values: 7)) }
        writer = try Writer(path, .restored, at: scene.unixNanoseconds)
        try writer.write(scene.minute(values: 7))
        scene.botLabels = [Label("version", "1")]
        try writer.write(scene.minute(values: 1))
        writer = try Writer(path, .restored, at: scene.unixNanoseconds)
        try writer.write(scene.minute(values: 1))
        let range = first..<first + 20
        let counts = try ["1", "2"].map {
            try point(path, range, labels: [Label("version", $0)]).first?.histogram?.count
        }
        #expect(counts == [32, 21])
        #expect(try point(path, range).first?.histogram?.count == 53)
    }

    @Test("late values are added to the minute of their own time, in an hour that is packed too")
    func late() throws {
        var scene = Scene(seed: 9)
        var writer = try Writer(path)
        for _ in 0..<70 { try writer.write(scene.minute(values: 5)) }
        try writer.store.pack(before: .max)
        var value = HistogramMinute.empty
        (value.calls, value.sum, value.minimum, value.maximum) = (2, 2, 1, 1)
        value.sketch.positive = [.init(index: 0, count: 2)]
        try writer.store.write([.init(key: Scene.key, minute: first + 3, value: .histogram(value))])
        #expect(try point(path, first + 3..<first + 4).first?.histogram?.count == 7)
        try writer.store.pack(before: .max)
        #expect(try point(path, first + 3..<first + 4).first?.histogram?.count == 7)
        #expect(try point(path, first + 3..<first + 4).first?.histogram?.maximum == 1)
    }
}
