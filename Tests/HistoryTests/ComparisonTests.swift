import Series
import TestSupport
import Testing

@testable import History

@Suite("Comparing two times of a history") struct ComparisonTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first = Scene.start / 60

    @Test(
        "counts and quantiles of both times are the values' own, and what was saved is the mean's fall times the count")
    func compare() throws {
        var scene = Scene(seed: 1)
        var writer = try Writer(path)
        for _ in 0..<20 { try writer.write(scene.minute(values: 300, lost: 1)) }
        let (a, b) = (first..<first + 10, first + 10..<first + 20)
        let comparison = try HistoryReader(path: path).compare(
            .init(minutes: a), .init(minutes: b), metric: nil, bot: nil, labels: [])
        #expect(comparison.rows.map(\.name) == [Scene.metric])
        let row = try #require(comparison.rows.first)
        #expect(row.before.count == 3000 && row.after.count == 3000 && row.before.lost == 10 && row.after.lost == 10)
        for (quantile, difference) in zip(HistoryComparison.quantiles, row.differences) {
            let difference = try #require(difference)
            #expect(abs(difference.before.value / exactQuantile(scene.values(a), quantile) - 1) < 0.00271)
            #expect(abs(difference.after.value / exactQuantile(scene.values(b), quantile) - 1) < 0.00271)
            // Both are of one distribution. Its p50 and p99 are bounded, but not p99.9 of 3,000 values.
            #expect((difference.interval == nil) == (quantile == 0.999))
        }
        let sums = (scene.values(a).reduce(0, +), scene.values(b).reduce(0, +))
        #expect(abs(try #require(row.saved) - (sums.0 - sums.1)) < 1e-9)
    }

    @Test("a bot's two versions are compared by their label, and a slower one is found so")
    func versions() throws {
        var scene = Scene(seed: 2)
        var writer = try Writer(path)
        scene.botLabels = [Label("version", "1.0")]
        for _ in 0..<10 { try writer.write(scene.minute(values: 400)) }
        scene.botLabels = [Label("version", "1.1")]
        for _ in 0..<10 { try writer.write(scene.minute(values: 200)) }
        let reader = try HistoryReader(path: path)
        #expect(try reader.values(ofLabel: "version", bot: "alpha") == ["1.0", "1.1"])
        let range = first..<first + 20
        let comparison = try reader.compare(
            .init(minutes: range, label: Label("version", "1.0")),
            .init(minutes: range, label: Label("version", "1.1")),
            metric: nil, bot: nil, labels: [])
        let row = try #require(comparison.rows.first)
        #expect(comparison.rows.count == 1 && row.before.count == 4000 && row.after.count == 2000)
        let twice = QuantileDifference(
            before: QuantileInterval(value: 1, lower: 0.9, upper: 1.1),
            after: QuantileInterval(value: 2, lower: 1.8, upper: 2.2))
        // 1 - sqrt(0.2² + 0.1²) to 1 + sqrt(0.2² + 0.1²)
        let interval = try #require(twice.interval)
        #expect(abs(interval.lowerBound - 0.7763932) < 1e-6 && abs(interval.upperBound - 1.2236068) < 1e-6)
        #expect(twice.isSignificant)
        // After a return to the older version, that one is the later side.
        scene.botLabels = [Label("version", "1.0")]
        for _ in 0..<10 { try writer.write(scene.minute(values: 400)) }
        #expect(try HistoryReader(path: path).values(ofLabel: "version", bot: "alpha") == ["1.1", "1.0"])
    }
}
