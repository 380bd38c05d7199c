package import Sketch

/// A sketch with its sum and extremes: all values since a beginning.
package struct Distribution: ~Copyable {
    package private(set) var sketch = ExponentialSketch()
    private(set) var tally = Tally()
    /// The weights of the values.
    package private(set) var weights = SampleWeights()

    package init() {}

    /// Makes a distribution from a checkpoint.
    ///
    /// - Precondition: `content.isValid`.
    init(_ content: SketchContent, _ tally: Tally, _ weights: SampleWeights) {
        sketch = ExponentialSketch(content)
        self.tally = tally
        self.weights = weights
    }

    /// Counts a value, which may be infinite.
    ///
    /// - Returns: False for a NaN, which is not counted.
    @discardableResult
    package mutating func insert(_ value: Double, weight: UInt32 = 1) -> Bool {
        guard sketch.insert(value, weight: weight) else { return false }
        tally.add(value, weight: weight)
        weights.add(weight)
        return true
    }

    mutating func insert(_ records: ListedRecords) {
        sketch.insert(records)
        tally.merge(records.tally(0..<records.count))
    }

    mutating func merge(_ records: borrowing IntervalSketch, _ buckets: OccupiedBuckets) {
        sketch.merge(records.sketch, buckets)
        tally.merge(records.tally)
        weights.merge(records.weights)
    }

    /// Adds the values of another distribution.
    mutating func merge(_ other: borrowing Distribution) {
        sketch.merge(other.sketch)
        tally.merge(other.tally)
        weights.merge(other.weights)
    }

    /// Returns count, sum, extremes, and the values of these quantiles (ascending).
    package func summary(quantiles: [Double]) -> HistogramSummary {
        HistogramSummary(sketch, tally, quantiles: quantiles)
    }
}

extension HistogramSummary {
    init(_ sketch: borrowing ExponentialSketch, _ tally: Tally, quantiles: [Double]) {
        self.init(tally, count: sketch.count, sketch.infinities, quantiles) { body in
            sketch.forEachValue(atQuantiles: quantiles, minimum: tally.minimum, maximum: tally.maximum, body)
        }
    }

    /// Makes the summary of two sketches together.
    ///
    /// - Parameter tally: The tally of both together.
    init(
        _ sketch: borrowing ExponentialSketch, with other: borrowing ExponentialSketch, _ tally: Tally,
        quantiles: [Double]
    ) {
        self.init(tally, count: sketch.count &+ other.count, sketch.infinities + other.infinities, quantiles) { body in
            sketch.forEachValue(
                atQuantiles: quantiles, with: other, minimum: tally.minimum, maximum: tally.maximum, body)
        }
    }

    private init(
        _ tally: Tally, count: UInt64, _ infinities: Infinities, _ quantiles: [Double],
        _ forEachValue: (_ body: (_ index: Int, _ value: Double) -> Void) -> Void
    ) {
        self.init(
            count: count, finiteSum: tally.sum.value, infinities: infinities,
            extremes: tally.isEmpty ? nil : Extremes(minimum: tally.minimum, maximum: tally.maximum), quantiles: [])
        guard count > 0 else { return }
        var values: [QuantileValue] = []
        values.reserveCapacity(quantiles.count)
        forEachValue { values.append(QuantileValue(quantile: quantiles[$0], value: $1)) }
        self.quantiles = values
    }
}
