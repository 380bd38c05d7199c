import Sketch
import TestSupport
import Testing

@testable import Series

@Suite struct ClassicBucketTests {
    private func buckets(_ values: [Double], unit: MetricUnit) -> [ClassicBucket] {
        var sketch = ExponentialSketch()
        for value in values { sketch.insert(value) }
        return ClassicBucket.buckets(of: sketch.octaves(), unit: unit)
    }

    private func check(_ values: [Double], unit: MetricUnit, edges: [Double]) {
        let found = buckets(values, unit: unit)
        #expect(found.map(\.upperBound) == edges)
        for bucket in found {
            #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound }))
        }
    }

    @Test("Durations have the powers of two from 2^-23 to 2^3 seconds, whatever their values")
    func durations() {
        let edges = (-23...3).map { Double(sign: .plus, exponent: $0, significand: 1) }
        check([], unit: .seconds, edges: edges)
        check([1e-9, 1, 2, 8, 8.1, 100, 0, -1], unit: .seconds, edges: edges)
    }

    @Test("Other units have the powers of two over the range seen, 0 and negative ones once they are needed")
    func otherUnits() {
        check([], unit: .usd, edges: [])
        check([3, 100], unit: .bytes, edges: [2, 4, 8, 16, 32, 64, 128])
        check([4], unit: .none, edges: [2, 4])
        check([0], unit: .none, edges: [0])
        check([0, 3], unit: .none, edges: [0, 2, 4])
        check([-3], unit: .bps, edges: [-4, -2, 0])
        check([-1, -2, -0.75, 5], unit: .usd, edges: [-2, -1, -0.5, 0, 4, 8])
    }

    @Test("An edge that was shown stays, and counts never fall, as more values come")
    func edgesStay() {
        var random = SeededGenerator(seed: 1)
        var values: [Double] = []
        var shown: [ClassicBucket] = []
        for _ in 0..<60 {
            values += (0..<20).map { _ in (random.normal() * 100 * random.normal()).rounded() / 8 }
            let next = buckets(values, unit: .usd)
            for old in shown {
                let same = next.first { $0.upperBound == old.upperBound }
                #expect(same != nil && same!.cumulativeCount >= old.cumulativeCount)
            }
            #expect(next.map(\.upperBound) == next.map(\.upperBound).sorted())
            check(values, unit: .usd, edges: next.map(\.upperBound))
            shown = next
        }
    }

    @Test("Edges are finite numbers even at the ends of the range of doubles")
    func extremes() {
        let values = [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude]
        let found = buckets(values, unit: .none)
        #expect(found.allSatisfy { $0.upperBound.isFinite })
        #expect(Set(found.map(\.upperBound)).count == found.count)
        for bucket in found {
            #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound }))
        }
    }

    @Test("a histogram of any numbers has edges from 2^-64 to 2^64, and each counts what lies at or below it")
    func bounded() {
        check([1e300, .greatestFiniteMagnitude], unit: .none, edges: [0x1p64])
        check([1e-300, .leastNonzeroMagnitude], unit: .none, edges: [0x1p-64])
        let values = [1e-300, 1e-12, 1, 1e12, 1e300, -1e-300, -1, -1e300]
        let found = buckets(values, unit: .none)
        #expect(found.count == 129 + 1 + 129)
        for bucket in found {
            #expect(bucket.cumulativeCount == UInt64(values.count { $0 <= bucket.upperBound }))
        }
    }
}
