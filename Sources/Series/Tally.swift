package import Sketch

/// What of a set of values cannot be subtracted again: sum and extremes.
package struct Tally: Sendable {
    package var minimum = Double.infinity
    package var maximum = -Double.infinity
    package var sum: SumAccumulator

    package init(valuePerUnit: Double = 1) {
        sum = SumAccumulator(valuePerUnit: valuePerUnit)
    }

    package var isEmpty: Bool { minimum > maximum }

    /// Takes a value into the extremes, not into the sum.
    @inlinable
    package mutating func widen(by value: Double) {
        minimum = value < minimum ? value : minimum
        maximum = value > maximum ? value : maximum
    }

    package mutating func merge(_ other: Tally) {
        minimum = Swift.min(minimum, other.minimum)
        maximum = Swift.max(maximum, other.maximum)
        sum.merge(other.sum)
    }

    var extremes: HistogramSummary.Extremes? {
        isEmpty ? nil : HistogramSummary.Extremes(minimum: minimum, maximum: maximum)
    }
}

/// A sketch with its sum and extremes: all that was seen since a beginning.
package struct Distribution: ~Copyable {
    package private(set) var sketch = ExponentialSketch()
    private var tally = Tally()

    package init() {}

    /// Counts a value; an infinite one as the greatest finite double.
    ///
    /// - Returns: false for a NaN, which is not counted.
    @discardableResult
    package mutating func insert(_ value: Double, weight: UInt32 = 1) -> Bool {
        guard sketch.insert(value, weight: weight) else { return false }
        let finite = value.clampedToFinite
        tally.widen(by: finite)
        tally.sum.add(finite, weight: weight)
        return true
    }

    mutating func merge(_ sketch: borrowing ExponentialSketch, _ tally: Tally) {
        self.sketch.merge(sketch)
        self.tally.merge(tally)
    }

    /// Count, sum, extremes, and the values of these quantiles (ascending).
    package func summary(quantiles: [Double]) -> HistogramSummary {
        HistogramSummary(sketch, tally, quantiles: quantiles)
    }
}

extension HistogramSummary {
    init(_ sketch: borrowing ExponentialSketch, _ tally: Tally, quantiles: [Double]) {
        let values = sketch.values(atQuantiles: quantiles, minimum: tally.minimum, maximum: tally.maximum)
        self.init(
            count: sketch.count, sum: tally.sum.value, extremes: tally.extremes,
            quantiles: zip(quantiles, values).map { QuantileValue(quantile: $0, value: $1) })
    }
}

extension Double {
    @inlinable
    package var clampedToFinite: Double {
        Swift.max(-.greatestFiniteMagnitude, Swift.min(.greatestFiniteMagnitude, self))
    }
}
