import TestSupport
import Testing

@testable import Sketch

@Suite struct QuantileTests {
    static let quantiles = [0, 0.001, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1]

    /// Expects quantiles within 0.271 % of the ceil(q·n)-th smallest value.
    private func check(_ values: [Double], weights: [UInt32]? = nil, _ comment: Comment) {
        var sketch = ExponentialSketch()
        var expanded: [Double] = []
        for (place, value) in values.enumerated() {
            let weight = weights?[place] ?? 1
            sketch.insert(value, weight: weight)
            expanded.append(contentsOf: repeatElement(value, count: Int(weight)))
        }
        expanded.sort()
        let found = sketch.values(
            atQuantiles: Self.quantiles, minimum: expanded.first!, maximum: expanded.last!)
        #expect(found.count == Self.quantiles.count)
        for (quantile, value) in zip(Self.quantiles, found) {
            let rank = min(max(Int((quantile * Double(expanded.count)).rounded(.up)), 1), expanded.count)
            let exact = expanded[rank - 1]
            #expect(abs(value - exact) <= 0.00271 * abs(exact), "\(comment) q=\(quantile)")
        }
    }

    @Test("Two sketches read together give what their sum gives", arguments: Shape.allCases)
    func together(_ shape: Shape) {
        let values = shape.values(2_000, seed: 11)
        // A weight of 70,000 needs more than the 16 bits that a count has at first.
        for (share, weight) in [(0, 1), (1, 70_000), (700, 1), (1_999, 70_000), (2_000, 1)] as [(Int, UInt32)] {
            var one = ExponentialSketch()
            var other = ExponentialSketch()
            var sum = ExponentialSketch()
            for (place, value) in values.enumerated() {
                if place < share { one.insert(value, weight: weight) } else { other.insert(value * 3) }
            }
            sum.merge(one)
            sum.merge(other)
            let (minimum, maximum) = (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)
            var found: [Double] = []
            one.forEachValue(atQuantiles: Self.quantiles, with: other, minimum: minimum, maximum: maximum) {
                #expect($0 == found.count)
                found.append($1)
            }
            let expected = sum.values(atQuantiles: Self.quantiles, minimum: minimum, maximum: maximum)
            #expect(found == expected && found.count == Self.quantiles.count, "\(shape), \(share) of 2,000")
        }
    }

    @Test("A quantile is within 0.271 % of the exact one, whatever the distribution", arguments: Shape.allCases)
    func accuracy(_ shape: Shape) {
        for count in [1, 2, 3, 7, 100, 5_000] {
            for seed in 0..<4 {
                check(shape.values(count, seed: UInt64(seed)), "\(shape.rawValue) n=\(count) seed=\(seed)")
            }
        }
    }

    @Test("A value of weight w counts as w values", arguments: [Shape.lognormal, .signed, .mostlyZero])
    func weights(_ shape: Shape) {
        var random = SeededGenerator(seed: 9)
        let values = shape.values(500, seed: 5)
        check(values, weights: values.map { _ in UInt32.random(in: 1...40, using: &random) }, "weighted")
    }

    @Test("The extremes of tiny and constant sets are exact")
    func exactEnds() {
        var sketch = ExponentialSketch()
        for _ in 0..<1_000 { sketch.insert(0.1) }
        #expect(sketch.values(atQuantiles: [0.5, 0.999], minimum: 0.1, maximum: 0.1) == [0.1, 0.1])
    }

    @Test("An empty sketch has no quantiles")
    func empty() {
        let sketch = ExponentialSketch()
        #expect(sketch.values(atQuantiles: [0.5], minimum: .infinity, maximum: -.infinity).isEmpty)
    }

    @Test("The rank is ceil(q·n) in decimal, not in binary with its last digit rounded up")
    func ranks() {
        #expect(ExponentialSketch.rank(ofQuantile: 0.07, count: 100) == 7)
        #expect(ExponentialSketch.rank(ofQuantile: 0.55, count: 100) == 55)
        #expect(ExponentialSketch.rank(ofQuantile: 0.95, count: 20) == 19)
        #expect(ExponentialSketch.rank(ofQuantile: 0.95, count: 21) == 20)
        #expect(ExponentialSketch.rank(ofQuantile: 0.5, count: 1) == 1)
        #expect(ExponentialSketch.rank(ofQuantile: 0, count: 5) == 1)
        #expect(ExponentialSketch.rank(ofQuantile: 1, count: .max) == .max)
        for permille in 1...1000 {
            for count in [10, 100, 1000, 12_345, 1_000_000] {
                let exact = (permille * count + 999) / 1000
                let rank = ExponentialSketch.rank(ofQuantile: Double(permille) / 1000, count: UInt64(count))
                #expect(rank == UInt64(exact), "\(permille) \(count)")
            }
        }
    }
}
