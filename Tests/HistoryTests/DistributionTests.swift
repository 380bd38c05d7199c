import Glibc
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("The distribution of a step") struct DistributionTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    @Test("buckets hold every value once, and quantiles are those of the values within the sketch's error")
    func distribution() throws {
        let path = "\(folder.path)/history.db"
        var scene = Scene(seed: 7)
        var writer = try Writer(path)
        for _ in 0..<4 { try writer.write(scene.minute(values: 500)) }
        let minutes = Scene.start / 60..<Scene.start / 60 + 10
        var query = HistoryQuery(metric: Scene.metric, minutes: minutes, stepMinutes: 10)
        let reader = try HistoryReader(path: path)
        let plain = try #require(try reader.answer(query).series.first?.points.first)
        guard case .histogram(let without) = plain.reading else { throw HistoryQueryError("it is no histogram") }
        #expect(without.distribution == nil)
        query.hasDistribution = true
        let point = try #require(try reader.answer(query).series.first?.points.first)
        guard case .histogram(let histogram) = point.reading else { throw HistoryQueryError("it is no histogram") }
        let distribution = try #require(histogram.distribution)
        #expect(distribution.buckets.reduce(0) { $0 + $1.count } == histogram.count && histogram.count >= 1000)
        let values = scene.truth.values.flatMap { $0 }.sorted()
        for bucket in distribution.buckets {
            #expect(bucket.lower < bucket.upper && bucket.upper / bucket.lower < 1.1)
            #expect(bucket.upper >= values[0] && bucket.lower <= values[values.count - 1])
        }
        #expect(distribution.values.count == HistoryDistribution.quantiles.count)
        #expect(zip(distribution.values, distribution.values.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(zip(HistoryDistribution.quantiles, HistoryDistribution.quantiles.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("zeros and negative values have buckets of their own, in order")
    func signs() throws {
        var sketch = ExponentialSketch()
        for value in [-2.0, -1, 0, 0, 3] { sketch.insert(value) }
        let distribution = HistoryDistribution(sketch, minimum: -2, maximum: 3)
        #expect(distribution.buckets.map(\.count) == [1, 1, 2, 1])
        #expect(distribution.buckets[2].lower == 0 && distribution.buckets[2].upper == 0)
        #expect(distribution.buckets[0].lower <= -2 && distribution.buckets[0].upper > -2)
        #expect(distribution.values.first == -2 && distribution.values.last == 3)
    }
}
