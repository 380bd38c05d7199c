import Sketch
import TestSupport
import Testing

@Suite struct ScalingTests {
    private func sketch(_ values: [Double]) -> SketchSnapshot {
        var sketch = ExponentialSketch()
        for value in values { sketch.insert(value) }
        return sketch.snapshot()
    }

    private func values(_ random: inout SeededGenerator, _ count: Int) -> [Double] {
        (0..<count).map { _ in
            let magnitude =
                Double(sign: .plus, exponent: .random(in: -30...30, using: &random), significand: 1)
                * Double.random(in: 1..<2, using: &random)
            return [magnitude, magnitude, -magnitude, 0].randomElement(using: &random)!
        }
    }

    @Test("a sketch times a power of two is the sketch of the values times that", arguments: [-20, -3, 0, 1, 10, 30])
    func powers(exponent: Int) {
        var random = SeededGenerator(seed: UInt64(bitPattern: Int64(exponent)))
        let values = values(&random, 2000) + [.infinity, -.infinity]
        let factor = Double(sign: .plus, exponent: exponent, significand: 1)
        #expect(sketch(values).scaled(by: factor) == sketch(values.map { $0 * factor }))
    }

    @Test(
        "times another factor each value is in its bucket or the one beside it, no further off than half a bucket",
        arguments: [1e-9, 1e-6, 1e-3, 0.01, 8.0 / 1000, 1.0 / 3600, 60, 100, 1e3, 1e6, 1e9])
    func factors(factor: Double) throws {
        let half = 0.00272
        var random = SeededGenerator(seed: 3)
        for value in values(&random, 500) where value != 0 {
            let moved = sketch([value]).scaled(by: factor)
            let bucket = try #require((value > 0 ? moved.positive : moved.negative).first)
            #expect(moved.count == 1 && bucket.count == 1)
            let magnitude = abs(value) * factor
            let (low, high) = (
                BucketEdges.upperEdge(ofBucket: Int(bucket.index) - 1),
                BucketEdges.upperEdge(ofBucket: Int(bucket.index))
            )
            #expect(magnitude > low * (1 - half) && magnitude <= high * (1 + half), "\(value)")
        }
    }

    @Test("sums and differences of scaled sketches are the scaled sums and differences", arguments: [1e-3, 1e6, 0.3])
    func arithmetic(factor: Double) {
        var random = SeededGenerator(seed: 11)
        let (a, b) = (values(&random, 800), values(&random, 300))
        let (first, both) = (sketch(a), sketch(a + b))
        #expect(
            sketch(a).adding(sketch(b)).scaled(by: factor)
                == first.scaled(by: factor).adding(sketch(b).scaled(by: factor)))
        #expect(both.scaled(by: factor).subtracting(first.scaled(by: factor)) == sketch(b).scaled(by: factor))
        let restored = SketchContent(buckets: both.scaled(by: factor))
        #expect(restored.isValid && ExponentialSketch(restored).snapshot() == both.scaled(by: factor))
    }

    @Test(
        "values that are counted by octave stay counted, in an octave or a bucket of it, and infinite ones stay infinite"
    )
    func coarse() throws {
        let values = [
            1e-300, 1e-100, 3e-20, 1e19, 1e25, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
            -.infinity, -1e40,
        ]
        for factor in [1e-18, 1e-3, 1e3, 1e18] {
            let moved = sketch(values).scaled(by: factor)
            #expect(moved.count == UInt64(values.count) && SketchContent(buckets: moved).isValid)
            #expect(moved.infinities == Infinities(positive: 1, negative: 1))
        }
        let back = sketch([1e25]).scaled(by: 1e-18)
        let bucket = try #require(back.positive.first)
        let ratio = BucketEdges.upperEdge(ofBucket: Int(bucket.index)) / 1e7
        #expect(ratio > 0.5 && ratio < 2)
    }
}
