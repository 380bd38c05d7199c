package import Sketch

/// The merge of any number of minutes of one kind: exact, for sketches add.
package final class MergedMinutes {
    private(set) package var sketch = ExponentialSketch(keepsNegativePowers: false)
    package private(set) var calls: UInt64 = 0
    package private(set) var failed: UInt64 = 0
    /// Of the finite values.
    private(set) var finiteSum = 0.0
    package private(set) var minimum = Double.infinity
    package private(set) var maximum = -Double.infinity
    private(set) var increase = 0.0
    private(set) var gauge: GaugeMinute?
    package private(set) var isEmpty = true

    package init() {}

    /// Adds a minute. Gauges must come in the order of time, for the last counts.
    package func add(_ value: MinuteValue) {
        isEmpty = false
        switch value {
        case .counter(let more): increase += more
        case .gauge(let minute): if gauge == nil { gauge = minute } else { gauge?.merge(minute) }
        case .histogram(let minute):
            // What no sketch can hold was refused where it was read.
            _ = sketch.merge(minute.sketch)
            calls &+= minute.calls
            failed &+= minute.failed
            finiteSum += minute.sum
            minimum = min(minimum, minute.minimum)
            maximum = max(maximum, minute.maximum)
        }
    }

    /// Infinite where a value is; NaN where values of both signs are.
    package var sum: Double { sketch.infinities.sum(with: finiteSum) }

    package func removeAll() {
        sketch.removeAll()
        (calls, failed, finiteSum, minimum, maximum) = (0, 0, 0, .infinity, -.infinity)
        (increase, gauge, isEmpty) = (0, nil, true)
    }

    func reading(_ tag: ValueTag) -> HistoryPoint.Reading {
        switch tag {
        case .counter: .counter(increase: increase)
        case .gauge: .gauge(gauge)
        case .histogram: .histogram(histogram(quantiles: HistogramPoint.quantiles))
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
