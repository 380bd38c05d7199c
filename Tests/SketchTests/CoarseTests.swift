import Glibc
import TestSupport
import Testing

@testable import Sketch

/// Tests values beyond 2^-64 to 2^64, with any bits that a bot may write.
@Suite struct CoarseTests {
    /// Returns doubles with any bits that are finite.
    private static func anyValues(_ count: Int, seed: UInt64) -> [Double] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            while true {
                let value = Double(bitPattern: random.next())
                if value.isFinite { return value }
            }
        }
    }

    private static func sketch(_ values: [Double], weight: UInt32 = 1) -> ExponentialSketch {
        var sketch = ExponentialSketch()
        for value in values { sketch.insert(value, weight: weight) }
        return sketch
    }

    @Test("whatever the values, a sketch takes no more than 37 KB of either sign, and 184 KB where counts are great")
    func memory() {
        let sketch = Self.sketch(Self.anyValues(200_000, seed: 1))
        #expect(sketch.allocatedBytes <= 2 * 37_888 + 8192)
        let heavy = Self.sketch(Self.anyValues(200_000, seed: 2), weight: 70_000)
        #expect(heavy.allocatedBytes <= 2 * 5 * 37_888 + 50_000)
        var slice = CompactSketch()
        sketch.withOccupiedBuckets { slice.merge(sketch, $0) }
        #expect(slice.allocatedBytes <= 2 * 37_888)
    }

    @Test("infinite values are none of those that are counted by octave", arguments: [0, 300])
    func infinite(others: Int) {
        var values = (0..<others).map { Double($0) + 1 }
        values += [.infinity, .infinity, -.infinity]
        #expect(Self.sketch(values).coarseCount == 0 && Self.sketch(values).snapshot().coarseCount == 0)
        values += [1e300, -1e-300]
        #expect(Self.sketch(values).coarseCount == 2 && Self.sketch(values).snapshot().coarseCount == 2)
    }

    /// Returns the counts by the exponent k of (2^(k-1), 2^k].
    private static func octaves(_ buckets: [SketchSnapshot.Bucket]) -> [Int: UInt64] {
        Dictionary(buckets.map { ((Int($0.index) + 127) >> 7, $0.count) }, uniquingKeysWith: +)
    }

    @Test("counts by octave are exact, are said to be coarse, and quantiles among them are off by a third at most")
    func octaves() {
        let values = Self.anyValues(20_000, seed: 3).sorted()
        let sketch = Self.sketch(values)
        let isFar = { (value: Double) in value != 0 && (value.magnitude <= 0x1p-64 || value.magnitude > 0x1p64) }
        let far = values.count(where: isFar)
        #expect(sketch.coarseCount == UInt64(far) && far > 15_000)
        #expect(sketch.snapshot().coarseCount == UInt64(far))
        for quantile in [0.001, 0.1, 0.3, 0.5, 0.7, 0.97, 0.999] {
            let exact = values[max(Int((quantile * Double(values.count)).rounded(.up)), 1) - 1]
            let found = sketch.values(
                atQuantiles: [quantile], minimum: values[0], maximum: values[values.count - 1])[0]
            #expect(abs(found - exact) <= 0.334 * abs(exact), "\(quantile): \(found) for \(exact)")
        }
        for (exponent, count) in Self.octaves(sketch.snapshot().positive) {
            let (low, high) = (scalbn(1, Int32(exponent) - 1), scalbn(1, Int32(exponent)))
            #expect(count == UInt64(values.count { $0 > low && $0 <= high }), "\(exponent)")
        }
        for (exponent, count) in Self.octaves(sketch.snapshot().negative) {
            let (low, high) = (-scalbn(1, Int32(exponent)), -scalbn(1, Int32(exponent) - 1))
            #expect(count == UInt64(values.count { $0 >= low && $0 < high }), "\(exponent)")
        }
    }

    @Test("at the ends of the fine buckets and of all doubles each power of two and its neighbours are in their octave")
    func edges() {
        for exponent in [-1074, -1073, -1022, -66, -65, -64, -63, -62, 0, 62, 63, 64, 65, 66, 1022, 1023] {
            let power = scalbn(1, Int32(exponent))
            for (value, octave) in [(power, exponent), (power.nextUp, exponent + 1), (-power, exponent)] {
                let sketch = Self.sketch([value])
                let snapshot = sketch.snapshot()
                #expect(Self.octaves(value < 0 ? snapshot.negative : snapshot.positive) == [octave: 1], "\(value)")
                #expect(snapshot.downscaled(to: 0).count == 1)
                #expect(
                    (snapshot.positive + snapshot.negative).map(\.index).allSatisfy {
                        BucketLayout.isSame(Int($0), BucketIndexer.shared.index(of: value.magnitude))
                    })
                let alone = sketch.values(atQuantiles: [0.5], minimum: -.infinity, maximum: .infinity)[0]
                #expect(abs(alone - value) <= 0.5 * abs(value), "\(value): \(alone)")
            }
        }
    }

    @Test("merging, subtracting, slices, copies and what is kept agree, whatever the values")
    func arithmetic() throws {
        let (first, second) = (Self.anyValues(5000, seed: 4), Self.anyValues(5000, seed: 5))
        let whole = Self.sketch(first + second).content()
        let one = Self.sketch(first)
        var sum = Self.sketch(second)
        sum.merge(one)
        #expect(sum.content() == whole)
        #expect(ExponentialSketch(whole).content() == whole && whole.isValid)
        var slice = CompactSketch()
        one.withOccupiedBuckets { slice.merge(one, $0) }
        slice.subtract(from: &sum)
        #expect(sum.snapshot() == Self.sketch(second).snapshot())
        var copied = ExponentialSketch()
        let isMerged = copied.merge(whole.buckets)
        #expect(isMerged && copied.snapshot() == whole.buckets)
        let listed = SketchSnapshot(
            scale: 7, positive: whole.buckets.positive, negative: whole.buckets.negative,
            zeroCount: whole.buckets.zeroCount)
        for scale in -4...7 {
            #expect(whole.buckets.downscaled(to: scale) == listed.downscaled(to: scale), "\(scale)")
        }
    }
}
