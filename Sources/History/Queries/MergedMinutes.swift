package import Sketch

/// The merge of any number of minutes of one kind. It is exact, since sketches add.
package final class MergedMinutes {
    private(set) package var sketch = ExponentialSketch()
    package private(set) var calls: UInt64 = 0
    package private(set) var failed: UInt64 = 0
    /// The sum of the finite values.
    private(set) var finiteSum = 0.0
    package private(set) var minimum = Double.infinity
    package private(set) var maximum = -Double.infinity
    /// How the values were weighted.
    private(set) package var weights = SampleWeights()
    /// The distribution of the weights over the values; nil if it is not needed.
    private(set) var squares: SquaredWeights?
    private(set) var increase = 0.0
    private(set) var gauge: GaugeMinute?
    /// The minute of the gauge's last value.
    private var lastMinute = Int64.min
    package private(set) var isEmpty = true

    /// - Parameter keepsSquares: whether ``effectiveCount(atQuantile:value:)`` will be called.
    package init(keepsSquares: Bool = false) {
        if keepsSquares { squares = SquaredWeights() }
    }

    /// Adds a minute, or a part of one. For a gauge the last value of the latest minute counts, in whatever order
    /// minutes come.
    package func add(_ value: MinuteValue, minute: Int64 = .max) {
        isEmpty = false
        switch value {
        case .counter(let more): increase += more
        case .gauge(let added): add(added, minute)
        case .histogram(let added):
            // The decoder has refused whatever a sketch cannot hold.
            _ = sketch.merge(added.sketch)
            calls &+= added.calls
            failed &+= added.failed
            finiteSum += added.sum
            weights.merge(added.weights)
            squares?.add(added)
            minimum = min(minimum, added.minimum)
            maximum = max(maximum, added.maximum)
        }
    }

    /// Infinite if a value is; NaN if there are infinities of both signs.
    package var sum: Double { sketch.infinities.sum(with: finiteSum) }

    private func add(_ added: GaugeMinute, _ minute: Int64) {
        guard let last = gauge?.last else { return (gauge, lastMinute) = (added, minute) }
        gauge?.merge(added)
        if minute < lastMinute { gauge?.last = last }
        lastMinute = max(lastMinute, minute)
    }

    package func removeAll() {
        sketch.removeAll()
        (calls, failed, finiteSum, minimum, maximum) = (0, 0, 0, .infinity, -.infinity)
        weights = SampleWeights()
        if squares != nil { squares = SquaredWeights() }
        (increase, gauge, lastMinute, isEmpty) = (0, nil, .min, true)
    }

    func reading(_ tag: ValueTag, hasDistribution: Bool = false) -> HistoryPoint.Reading {
        switch tag {
        case .counter: return .counter(increase: increase)
        case .gauge: return .gauge(gauge)
        case .histogram:
            var point = histogram(quantiles: HistogramPoint.quantiles)
            if hasDistribution, sketch.count > 0 {
                point.distribution = HistoryDistribution(sketch, minimum: minimum, maximum: maximum)
            }
            return .histogram(point)
        }
    }

    /// - Parameter quantiles: between 0 and 1, ascending.
    package func histogram(quantiles: [Double]) -> HistogramPoint {
        var point = HistogramPoint(calls: calls, failed: failed, count: sketch.count, sum: sum)
        guard sketch.count > 0 else { return point }
        (point.minimum, point.maximum) = (minimum, maximum)
        point.values = sketch.values(atQuantiles: quantiles, minimum: minimum, maximum: maximum)
        return point
    }
}
