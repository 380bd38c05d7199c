import Sketch
import TestSupport
import Testing

@testable import Series

@Suite("The standard edges of classic buckets") struct ClassicBucketTests {
    private func series(unit: MetricUnit) -> HistogramSeries {
        let series = HistogramSeries(options: SeriesOptions(), now: 0)
        series.choose(ClassicBucketEdges(chosen: nil, thresholds: [], unit: unit))
        return series
    }

    private func buckets(_ values: [Double], unit: MetricUnit) -> [ClassicBucket] {
        let series = series(unit: unit)
        let recorder = series.openRecorder().records
        for value in values { recorder.insert(value: value, timeNanoseconds: 0) }
        series.flush()
        return series.classicBuckets()
    }

    private func check(_ values: [Double], unit: MetricUnit, edges: [Double]) {
        let found = buckets(values, unit: unit)
        #expect(found.map(\.upperBound) == edges)
        for bucket in found {
            #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound }), "\(bucket.upperBound)")
        }
    }

    private static let durations: [Double] = [
        0.0000001, 0.00000025, 0.0000005, 0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025,
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    @Test("durations have 1, 2.5 and 5 times the powers of ten from 100 ns to 10 s, whatever their values")
    func durations() {
        check([], unit: .seconds, edges: Self.durations)
        check([1e-9, 1, 2, 8, 8.1, 100, 0, -1], unit: .seconds, edges: Self.durations)
        let near = Self.durations.flatMap { [$0, $0.nextUp, $0.nextDown, $0 * 1.002, $0 * 0.998] }
        check(near, unit: .seconds, edges: Self.durations)
    }

    @Test("a duration in ticks or nanoseconds at an edge is within it, and the next one above is not")
    func units() {
        let series = series(unit: .seconds)
        let recorder = series.openRecorder().records
        recorder.beginEpoch(valuePerUnit: 1 / 2.8e9)
        for units: Int64 in [280_000, 280_001, 2_800_000_000, 2_800_000_001] {
            recorder.insert(units: units, timeNanoseconds: 0)
        }
        for nanoseconds: Int64 in [100_000, 100_001, 1_000_000_000, 1_000_000_001] {
            recorder.insert(nanoseconds: nanoseconds, timeNanoseconds: 0)
        }
        series.flush()
        let buckets = series.classicBuckets()
        let counts = Dictionary(uniqueKeysWithValues: buckets.map { ($0.upperBound, $0.cumulativeCount) })
        #expect(counts[0.0001] == 2 && counts[0.00025] == 4 && counts[0.5] == 4 && counts[1] == 6 && counts[2.5] == 8)
    }

    @Test("other units have the edges around the values seen, 0 and negative ones once they are needed")
    func otherUnits() {
        check([], unit: .usd, edges: [])
        check([3, 100], unit: .bytes, edges: [2.5, 5, 10, 25, 50, 100])
        check([4], unit: .none, edges: [2.5, 5])
        check([0], unit: .none, edges: [-1e-9, 0])
        check([-3], unit: .bps, edges: [-5, -2.5])
        check([-1, -2, 0.3], unit: .usd, edges: around(-2.5, 0.5))
        check([.infinity, -.infinity], unit: .usd, edges: [])
        check([.infinity, 3, -.infinity], unit: .usd, edges: [2.5, 5])
    }

    /// Returns the standard edges from one to another.
    private func around(_ low: Double, _ high: Double) -> [Double] {
        var positive: [Double] = [1e15]
        for exponent in -9...14 { positive += ["1", "2.5", "5"].compactMap { Double("\($0)e\(exponent)") } }
        let negative = positive.map { -$0 }
        return (negative + [0] + positive).sorted().filter { $0 >= low && $0 <= high }
    }

    @Test("an edge that was shown stays, and counts never fall, as more values come")
    func edgesStay() {
        var random = SeededGenerator(seed: 1)
        let series = series(unit: .usd)
        let recorder = series.openRecorder().records
        var values: [Double] = []
        var shown: [ClassicBucket] = []
        for _ in 0..<60 {
            let more = (0..<20).map { _ in (random.normal() * 100 * random.normal()).rounded() / 8 }
            for value in more { recorder.insert(value: value, timeNanoseconds: 0) }
            values += more
            series.flush()
            let next = series.classicBuckets()
            for old in shown {
                let same = next.first { $0.upperBound == old.upperBound }
                #expect(same.map { $0.cumulativeCount >= old.cumulativeCount } == true)
            }
            #expect(next.map(\.upperBound) == next.map(\.upperBound).sorted())
            for bucket in next { #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound })) }
            shown = next
        }
    }

    @Test("values beyond all edges are in the bucket without an end")
    func extremes() {
        check([1e300, .greatestFiniteMagnitude], unit: .none, edges: [1e15])
        check([-1e300], unit: .none, edges: [-1e15])
        check([1e-300, .leastNonzeroMagnitude], unit: .none, edges: [0, 1e-9])
        let values = [1e-300, 1e-12, 1, 1e12, 1e300, -1e-300, -1, -1e300]
        check(values, unit: .none, edges: around(-1e15, 1e15))
    }

    @Test("a restart keeps what was counted at each edge, also where its bucket of the sketch is cut")
    func restart() throws {
        var random = SeededGenerator(seed: 3)
        let first = series(unit: .seconds)
        let recorder = first.openRecorder().records
        for _ in 0..<5_000 {
            recorder.insert(value: 0.0025 * Double.random(in: 0.99..<1.01, using: &random), timeNanoseconds: 0)
        }
        first.flush()
        let next = HistogramSeries(options: SeriesOptions(), now: 0)
        next.restore(first.state, unit: .seconds)
        #expect(next.classicBuckets().map(\.cumulativeCount) == first.classicBuckets().map(\.cumulativeCount))
    }
}
