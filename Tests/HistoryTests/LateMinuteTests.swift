import Series
import Sketch
import TestSupport
import Testing

@testable import History

/// Tests late records of snapshots in the minutes of their own time.
@Suite("Late records in a history") struct LateMinuteTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60
    /// The day before.
    private var past: Int64 { first - 1440 }

    private func batch(_ number: UInt64, _ minutes: [Int64: [Double]], name: String = Scene.metric) -> LateBatch {
        let metric = MetricDescriptor(name: name, help: "Orders.", kind: .histogram, unit: .seconds, labels: [])
        return LateBatch(
            number: number,
            series: [
                LateSeries(
                    bot: "alpha", metric: metric,
                    minutes: minutes.mapValues { values in
                        .histogram(
                            LateHistogram(
                                failed: 0, sum: values.reduce(0, +), minimum: values.min()!, maximum: values.max()!,
                                sketch: Scene.Grown(values: values).sketch))
                    })
            ])
    }

    private func count(_ minutes: Range<Int64>) throws -> UInt64 {
        try point(path, minutes).first?.histogram?.count ?? 0
    }

    @Test("they are taken out of the minute that drained them, each once, however often their batch is shown")
    func once() throws {
        var scene = Scene(seed: 5)
        var writer = try Writer(path)
        let late = batch(1, [past: [1e-3, 2e-3], past + 1: [7e-3]])
        var snapshot = scene.minute(values: 10, late: [1e-3, 2e-3, 7e-3])
        snapshot.late = [late]
        try writer.write(snapshot)
        #expect(writer.ledger.lateBatch == 1)
        // The series do not know yet that the batch is written.
        snapshot = scene.minute(values: 20, late: [1e-3])
        snapshot.late = [late, batch(2, [past: [1e-3]])]
        try writer.write(snapshot)
        try writer.write(scene.minute(values: 5))
        #expect(try count(first..<first + 1) == 10)
        #expect(try count(first + 1..<first + 2) == 20)
        #expect(try count(past..<past + 1) == 3)
        let own = try #require(try point(path, past..<past + 2).first?.histogram)
        #expect(own.count == 4 && own.minimum == 1e-3 && own.maximum == 7e-3 && abs(own.sum - 11e-3) < 1e-15)
        // No collector watched at that time.
        #expect(try point(path, past..<past + 1).first?.isComplete == false)
        #expect(try count(past..<first + 3) == 39)
        let before = try writer.store.totals()[Scene.key]
        try writer.store.pack(before: first + 3)
        #expect(try writer.store.totals()[Scene.key] == before)
        #expect(try count(past..<past + 1) == 3 && count(past..<first + 3) == 39)
        // Values for an hour that is packed already are added to it.
        snapshot = scene.minute(values: 1, late: [1e-3])
        snapshot.late = [batch(3, [past + 1: [1e-3]])]
        try writer.write(snapshot)
        #expect(try count(past + 1..<past + 2) == 2)
        try writer.store.pack(before: .max)
        #expect(try count(past + 1..<past + 2) == 2 && count(past..<first + 4) == 41)
    }

    @Test("values missing from the increase, as after a restart, stay where the rest is")
    func begunAnew() throws {
        var scene = Scene(seed: 6)
        var writer = try Writer(path)
        try writer.write(scene.minute(values: 10))
        var snapshot = scene.minute(values: 2)
        snapshot.late = [batch(1, [past: Array(repeating: 1e-3, count: 5)])]
        try writer.write(snapshot)
        #expect(try count(past..<first) == 0 && count(first..<first + 2) == 12)
    }

    @Test("values older than anything kept are in the totals, and in no minute")
    func tooOld() throws {
        var scene = Scene(seed: 7)
        var writer = try Writer(path)
        var snapshot = scene.minute(values: 10, late: [1e-3, 2e-3])
        snapshot.late = [batch(1, [past: [1e-3], 7: [2e-3]])]
        let increase = try #require(writer.ledger.increase(to: snapshot, oldestMinute: past))
        try writer.store.write(increase.entries)
        writer.ledger.accept(increase)
        #expect(
            try count(0..<1000) == 0 && count(past - 1000..<past) == 0 && count(past..<past + 1) == 1
                && count(first..<first + 1) == 10)
        // A restarted collector continues from all of them.
        writer = try Writer(path, .restored, at: scene.unixNanoseconds)
        try writer.write(scene.minute(values: 3))
        #expect(try count(first + 1..<first + 2) == 3)
    }

    @Test("a gauge's are there though its bot has ended, and where only they are")
    func gauge() throws {
        var scene = Scene(seed: 8)
        var writer = try Writer(path)
        let metric = MetricDescriptor(name: "depth", help: "Depth.", kind: .gauge, unit: .none, labels: [])
        func series(_ minimum: Double, _ maximum: Double, last: Double) -> LateSeries {
            LateSeries(
                bot: "alpha", metric: metric, lane: "csv",
                minutes: [past: .gauge(minimum: minimum, maximum: maximum, last: last)])
        }
        scene.botLabels = [Label("version", "2")]
        var snapshot = scene.minute(values: 1)
        snapshot.late = [
            LateBatch(number: 1, series: [series(1, 9, last: 4)]),
            LateBatch(number: 2, series: [series(2, 3, last: 3)]),
        ]
        try writer.write(snapshot)
        let found = try HistoryReader(path: path).answer(
            HistoryQuery(
                metric: "depth", labels: [Label("version", "2")], minutes: past..<past + 1, stepMinutes: 1))
        #expect(found.series.count == 1 && found.series[0].key?.lane == "csv")
        #expect(found.series[0].points.first?.gauge == GaugeMinute(minimum: 1, maximum: 9, last: 3))
    }
}
