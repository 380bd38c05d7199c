import Sketch
import TestSupport
import Testing

@testable import Series

@Suite struct EdgeTests {
    private let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
    private var random = SeededGenerator(seed: 11)

    private func instrument(_ lane: String = "", unit: MetricUnit = .seconds, _ bot: BotSeries? = nil) throws
        -> LaneMetric
    {
        let metric = MetricDescriptor(name: "x", help: "", kind: .histogram, unit: unit, labels: [])
        return try #require((bot ?? self.bot).lane(lane).register(metric, isCurrent: true))
    }

    private func insert(_ values: [Double], _ instrument: LaneMetric, weight: UInt32 = 1) {
        for value in values {
            instrument.recorder?.records.insert(value: value, timeNanoseconds: 0, weight: weight)
        }
    }

    private func buckets(_ bot: BotSeries? = nil) throws -> [ClassicBucket] {
        let metric = try #require((bot ?? self.bot).metrics(now: 1).first)
        guard case .histogram(let histogram) = metric.reading else { throw Wrong() }
        #expect(
            zip(histogram.classicBuckets, histogram.classicBuckets.dropFirst()).allSatisfy {
                $0.upperBound < $1.upperBound && $0.cumulativeCount <= $1.cumulativeCount
            })
        #expect(histogram.classicBuckets.last?.cumulativeCount ?? 0 <= histogram.total.count)
        return histogram.classicBuckets
    }

    private struct Wrong: Error {}

    private func hold(_ edges: [Double]?, rules: [Double] = [], _ bot: BotSeries? = nil) {
        (bot ?? self.bot).hold(to: rules.map { ThresholdRule(instrument: "x", labels: [], threshold: $0) }) { name, _ in
            name == "x" ? edges : nil
        }
    }

    @Test("chosen edges are all there are, and exact to the value, over all lanes and with weights")
    mutating func chosen() throws {
        let edges = [-1.5, 0, 0.001, 0.0123456789, 0.05, 3]
        hold(edges)
        let (first, second) = (try instrument("a", unit: .usd), try instrument("b", unit: .usd))
        var values = edges.flatMap { [$0, $0.nextUp, $0.nextDown] } + [-100, 100, .infinity, -.infinity]
        values += (0..<2_000).map { _ in random.normal() / 10 }
        insert(values, first)
        insert(values, second, weight: 3)
        let found = try buckets()
        #expect(found.map(\.upperBound) == edges)
        #expect(found.map(\.cumulativeCount) == edges.map { edge in 4 * UInt64(values.count { $0 <= edge }) })
    }

    @Test("ticks and nanoseconds are told from edges as whole numbers")
    func units() throws {
        hold([0.000_1, 0.05, 1])
        let recorder = try #require(try instrument().recorder).records
        recorder.beginEpoch(valuePerUnit: 1 / 2.8e9)
        for units: Int64 in [280_000, 280_001, 140_000_000, 140_000_001, 2_800_000_000, 2_800_000_001] {
            recorder.insert(units: units, timeNanoseconds: 0)
        }
        for nanoseconds: Int64 in [100_000, 100_001, 50_000_000, 50_000_001] {
            recorder.insert(nanoseconds: nanoseconds, timeNanoseconds: 0)
        }
        #expect(try buckets().map(\.cumulativeCount) == [2, 6, 9])
    }

    @Test("thresholds of objectives are among the standard edges, and among chosen ones")
    mutating func thresholds() throws {
        hold(nil, rules: [0.05, 0.123])
        let instrument = try instrument()
        let values = (0..<3_000).map { _ in random.uniform() * random.uniform() * random.uniform() }
        insert(values, instrument)
        for bucket in try buckets() {
            #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound }))
        }
        let edges = try buckets().map(\.upperBound)
        #expect(edges.count == 26 && edges.contains(0.123) && edges.filter { $0 == 0.05 }.count == 1)
        hold([0.01, 0.1], rules: [0.05])
        #expect(try buckets().map(\.upperBound) == [0.01, 0.05, 0.1])
    }

    @Test("an edge that comes later begins with what the sketch knows, is exact from then on, and never falls")
    mutating func added() throws {
        let instrument = try instrument()
        let early = (0..<5_000).map { _ in random.uniform() }
        insert(early, instrument)
        hold([0.25, 0.3])
        var before = try buckets()
        // A power of two is an edge of the sketch. For the other edge the values within 0.55 % below it are missing.
        #expect(before[0].cumulativeCount == UInt64(early.count { $0 <= 0.25 }))
        #expect(before[1].cumulativeCount <= UInt64(early.count { $0 <= 0.3 }))
        #expect(before[1].cumulativeCount >= UInt64(early.count { $0 <= 0.3 / 1.00545 }))
        hold([0.25, 0.3, 0.7])
        #expect(try buckets().prefix(2).map(\.cumulativeCount) == before.map(\.cumulativeCount))
        before = try buckets()
        let late = (0..<5_000).map { _ in random.uniform() }
        insert(late, instrument)
        for (old, new) in zip(before, try buckets()) {
            #expect(new.cumulativeCount - old.cumulativeCount == UInt64(late.count { $0 <= new.upperBound }))
        }
        hold(nil)
        #expect(instrument.watch == nil)
        #expect(try buckets().count == 25)
    }

    @Test("edges of negative numbers begin with what the sketch knows too")
    mutating func negative() throws {
        let instrument = try instrument(unit: .bps)
        let values = (0..<4_000).map { _ in (random.normal() * 16).rounded() / 4 }
        insert(values, instrument)
        let edges = [-4, -2.3, -1, 0, 0.7, 1, 8]
        hold(edges)
        for (bucket, edge) in zip(try buckets(), edges) {
            let exact = UInt64(values.count { $0 <= edge })
            let cut = UInt64(values.count { $0 <= edge && ($0 - edge).magnitude < 0.0055 * edge.magnitude })
            // A power of two is an edge of the sketch. Below zero, values at such an edge are in the bucket above it.
            let isSketchEdge = edge == 0 || edge.magnitude.significand == 1
            let missing = !isSketchEdge ? cut : edge < 0 ? UInt64(values.count { $0 == edge }) : 0
            #expect(
                bucket.cumulativeCount <= exact && bucket.cumulativeCount + missing >= exact, "\(edge)"
            )
        }
    }

    @Test("a restart restores the counts at each edge")
    mutating func restart() throws {
        hold([0.1, 0.30001, 0.9], rules: [0.45])
        insert((0..<1_000).map { _ in random.uniform() }, try instrument())
        let shown = try buckets().map(\.cumulativeCount)
        let states = bot.checkpointStates().map(\.state)
        let next = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
        for state in states { next.restore(state) }
        hold([0.1, 0.30001, 0.9], rules: [0.45], next)
        #expect(try buckets(next).map(\.cumulativeCount) == shown)
        insert([0.2, 0.5], try instrument("", unit: .seconds, next))
        #expect(try buckets(next).map(\.cumulativeCount) == zip(shown, [0, 1, 1, 2]).map { $0 + $1 })
    }
}

extension SeededGenerator {
    fileprivate mutating func uniform() -> Double { Double.random(in: 0..<1, using: &self) }
}
