import Glibc
import TestSupport
import Testing

@testable import Sketch

private func sketch(_ values: [Double], weight: UInt32 = 1) -> ExponentialSketch {
    var sketch = ExponentialSketch()
    for value in values { sketch.insert(value, weight: weight) }
    return sketch
}

@Suite struct InsertionTests {
    @Test("A NaN is refused and changes nothing")
    func notANumber() {
        var sketch = sketch([1])
        let before = sketch.snapshot()
        for nan in [Double.nan, .signalingNaN, -.nan] {
            let isCounted = sketch.insert(nan)
            #expect(!isCounted)
        }
        #expect(sketch.snapshot() == before && sketch.count == 1)
    }

    @Test("Infinities have a bucket of their own beyond the last finite one of their sign")
    func infinities() {
        let sketch = sketch([.infinity, -.infinity, .greatestFiniteMagnitude, .infinity])
        let last = Int32(BucketIndexer.highestIndex)
        #expect(
            sketch.snapshot().positive == [.init(index: last, count: 1), .init(index: last + 1, count: 2)])
        #expect(sketch.snapshot().negative == [.init(index: last + 1, count: 1)])
        #expect(sketch.infinities == Infinities(positive: 2, negative: 1) && sketch.count == 4)
        #expect(sketch.snapshot().infinities == sketch.infinities)
        let values = sketch.values(atQuantiles: [0.25, 0.5, 0.75], minimum: -.infinity, maximum: .infinity)
        #expect(values[0] == -.infinity && values[1].isFinite && values[2] == .infinity)
    }

    @Test("Both zeros are counted as zero")
    func zeros() {
        let sketch = sketch([0, -0.0, .leastNonzeroMagnitude])
        #expect(sketch.zeroCount == 2)
        #expect(sketch.snapshot().positive == [.init(index: Int32(BucketIndexer.lowestIndex), count: 1)])
    }

    @Test("Negative values have the buckets of their magnitudes")
    func mirrored() {
        for shape in Shape.allCases {
            let values = shape.values(300, seed: 3)
            let (plain, mirrored) = (sketch(values).snapshot(), sketch(values.map { -$0 }).snapshot())
            #expect(plain.positive == mirrored.negative && plain.negative == mirrored.positive)
            #expect(plain.zeroCount == mirrored.zeroCount)
        }
    }

    @Test("Counts go on past 2^16 and past 2^32 in one bucket")
    func largeCounts() {
        var sketch = ExponentialSketch()
        var expected: UInt64 = 0
        for weight: UInt32 in [65_535, 1, 1, 65_536, .max, .max, 1, 131_072] {
            sketch.insert(3, weight: weight)
            sketch.insert(-3, weight: weight)
            expected += UInt64(weight)
            #expect(sketch.snapshot().positive.map(\.count) == [expected])
            #expect(sketch.snapshot().negative.map(\.count) == [expected])
        }
        #expect(sketch.count == 2 * expected)
    }

    @Test("Memory follows the range in use")
    func memory() {
        var sketch = ExponentialSketch()
        sketch.insert(1e-3)
        #expect(sketch.allocatedBytes <= 64)
        for value in Shape.uniform.values(10_000, seed: 1) where value > 1e-3 { sketch.insert(value) }
        // The limit is ten octaves of 128 buckets of two bytes, and an eighth for growth.
        #expect(sketch.allocatedBytes < 4_000)
    }

    @Test("Forgetting everything leaves an empty sketch that can be filled again")
    func removeAll() {
        for shape in [Shape.signed, .wholeRange, .mostlyZero] {
            var used = sketch(shape.values(500, seed: 1), weight: 40_000)
            used.removeAll()
            #expect(used.isEmpty && used.snapshot() == ExponentialSketch().snapshot())
            let values = shape.values(500, seed: 2)
            for value in values { used.insert(value) }
            #expect(used.snapshot() == sketch(values).snapshot())
        }
    }
}

@Suite struct MergeTests {
    private static let weights: [UInt32] = [1, 200, 40_000, 70_000, .max]

    private func first(_ shape: Shape, _ seed: Int) -> ExponentialSketch {
        sketch(shape.values(400, seed: UInt64(seed)), weight: Self.weights[seed % Self.weights.count])
    }

    private func second(_ seed: Int) -> ExponentialSketch {
        let shape = Shape.allCases[seed % Shape.allCases.count]
        return sketch(shape.values(300, seed: 99), weight: Self.weights[seed / 2 % Self.weights.count])
    }

    @Test("Merging is the same as inserting into one sketch, in either order", arguments: Shape.allCases)
    func commutes(_ shape: Shape) {
        for seed in 0..<12 {
            var a = first(shape, seed)
            var b = second(seed)
            a.merge(second(seed))
            b.merge(first(shape, seed))
            #expect(a.snapshot() == b.snapshot() && a.count == b.count && a.infinities == b.infinities)
            #expect(a.snapshot().count == a.count)
        }
    }

    @Test("Merging is associative", arguments: Shape.allCases)
    func associates(_ shape: Shape) {
        let third = sketch(Shape.bimodal.values(200, seed: 8), weight: 70_000)
        for seed in 0..<12 {
            var left = first(shape, seed)
            left.merge(second(seed))
            left.merge(third)
            var rest = second(seed)
            rest.merge(third)
            var right = first(shape, seed)
            right.merge(rest)
            #expect(left.snapshot() == right.snapshot())
        }
    }

    @Test("Subtracting undoes merging exactly", arguments: Shape.allCases)
    func subtracts(_ shape: Shape) {
        for seed in 0..<12 {
            var a = first(shape, seed)
            var b = second(seed)
            let before = a.snapshot()
            a.merge(b)
            a.subtract(b)
            #expect(a.snapshot() == before && a.snapshot().count == a.count)
            b.subtract(second(seed))
            #expect(b.isEmpty && b.snapshot() == ExponentialSketch().snapshot())
        }
    }

    @Test("A slice adds and takes away what its sketches held, sparse or dense", arguments: Shape.allCases)
    func slices(_ shape: Shape) {
        for (seed, count) in [1, 3, 30, 200, 2_000].enumerated() {
            for weight in Self.weights {
                var rolling = ExponentialSketch()
                var expected = ExponentialSketch()
                var slice = CompactSketch()
                for part in 0..<3 {
                    let piece = sketch(shape.values(count, seed: UInt64(seed * 10 + part)), weight: weight)
                    piece.withOccupiedBuckets { slice.merge(piece, $0) }
                    expected.merge(piece)
                }
                slice.add(to: &rolling)
                #expect(rolling.snapshot() == expected.snapshot() && rolling.count == expected.count)
                slice.subtract(from: &rolling)
                #expect(rolling.isEmpty && rolling.snapshot() == ExponentialSketch().snapshot())
            }
        }
    }

    @Test("A slice of few values is small, and a slice of many no larger than a sketch")
    func sliceMemory() {
        var slice = CompactSketch()
        let few = sketch(Shape.lognormal.values(10, seed: 1))
        few.withOccupiedBuckets { slice.merge(few, $0) }
        #expect(slice.allocatedBytes <= 60)
        let many = sketch(Shape.lognormal.values(100_000, seed: 1))
        many.withOccupiedBuckets { slice.merge(many, $0) }
        #expect(slice.allocatedBytes <= many.allocatedBytes + 512)
    }
}

@Suite struct EdgeTests {
    @Test("Counts at or below any edges, of either sign, are exact", arguments: Shape.allCases)
    func cuts(_ shape: Shape) {
        var random = SeededGenerator(seed: 5)
        let own = shape.values(2_000, seed: 4)
        let powers = (-70...70).flatMap { exponent in [-1, 1].map { scalbn(Double($0), Int32(exponent)) } }
        let others =
            (0..<60).compactMap { _ in own.randomElement(using: &random) } + [0, 0.0025, -0.0025, 1e300, -1e-300]
        let edges = Set(powers + others).filter(\.isFinite).sorted()
        let values = own + edges.flatMap { [$0, $0.nextUp, $0.nextDown] } + [.infinity, -.infinity]
        let counts = EdgeCutCounts(EdgeCuts(edges))
        for value in values { counts.note(value, weight: 1) { value <= $0 } }
        let surely = sketch(values).countsSurely(counts.cuts)
        for (index, edge) in edges.enumerated() {
            #expect(surely[index] + counts[index] == UInt64(values.count { $0 <= edge }), "\(edge)")
        }
    }

    @Test("A coarser scale merges neighbours: every count below a coarse edge stays", arguments: Shape.allCases)
    func downscaling(_ shape: Shape) {
        let fine = sketch(shape.values(1_000, seed: 6)).snapshot()
        for scale in stride(from: 7, through: -4, by: -1) {
            let coarse = fine.downscaled(to: scale)
            #expect(coarse.scale == scale && coarse.count == fine.count)
            #expect(zip(coarse.positive, coarse.positive.dropFirst()).allSatisfy { $0.index < $1.index })
            for bucket in coarse.positive {
                let edge = Int(bucket.index) << (7 - scale)
                let below = fine.positive.filter { Int($0.index) <= edge }.reduce(0) { $0 + $1.count }
                let coarseBelow = coarse.positive.filter { $0.index <= bucket.index }.reduce(0) { $0 + $1.count }
                #expect(below == coarseBelow)
            }
        }
        #expect(fine.downscaled(to: 9) == fine)
    }
}
