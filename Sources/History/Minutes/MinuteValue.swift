package import Sketch

/// The value of a series in one minute. A total is the same type, over all minutes since the series began.
package enum MinuteValue: Equatable, Sendable {
    /// The counter's increase.
    case counter(Double)
    case gauge(GaugeMinute)
    // Indirect, so that the many counters do not take the space of a histogram.
    indirect case histogram(HistogramMinute)

    /// Whether nothing happened. Such a minute takes no byte.
    package var isIdle: Bool {
        switch self {
        case .counter(let increase): increase == 0
        case .gauge: false
        case .histogram(let minute):
            minute.calls == 0 && minute.sketch.zeroCount == 0 && minute.sketch.positive.isEmpty
                && minute.sketch.negative.isEmpty
        }
    }
}

package struct GaugeMinute: Equatable, Sendable {
    package var minimum: Double
    package var maximum: Double
    package var last: Double

    package init(minimum: Double, maximum: Double, last: Double) {
        self.minimum = minimum
        self.maximum = maximum
        self.last = last
    }

    /// Merges a later part of the same minute.
    mutating func merge(_ later: GaugeMinute) {
        minimum = min(minimum, later.minimum)
        maximum = max(maximum, later.maximum)
        last = later.last
    }
}

package struct HistogramMinute: Equatable, Sendable {
    /// How often the bot called the instrument, including lapped calls.
    package var calls: UInt64
    package var failed: UInt64
    /// The sum of the finite values. Infinite values are counted in the sketch alone, so that later minutes still have
    /// finite sums.
    package var sum: Double
    /// Infinity if there is no value.
    package var minimum: Double
    /// Minus infinity if there is no value.
    package var maximum: Double
    package var sketch: SketchSnapshot
    /// How the values were weighted.
    package var weights: SampleWeights

    package init(
        calls: UInt64, failed: UInt64, sum: Double, minimum: Double, maximum: Double, sketch: SketchSnapshot,
        weights: SampleWeights = .none
    ) {
        self.weights = weights
        self.calls = calls
        self.failed = failed
        self.sum = sum
        self.minimum = minimum
        self.maximum = maximum
        self.sketch = sketch
    }

    package static let empty = HistogramMinute(
        calls: 0, failed: 0, sum: 0, minimum: .infinity, maximum: -.infinity,
        sketch: SketchSnapshot(scale: BucketIndexer.scale, positive: [], negative: [], zeroCount: 0))

    mutating func merge(_ other: HistogramMinute) {
        calls &+= other.calls
        failed &+= other.failed
        sum += other.sum
        minimum = min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        sketch = sketch.adding(other.sketch)
        weights.merge(other.weights)
    }
}

extension MinuteValue {
    /// Adds a part of the same minute or, to a total, its increase. Ignores a value of another kind.
    mutating func merge(_ other: MinuteValue) {
        switch (self, other) {
        case (.counter(let a), .counter(let b)): self = .counter(a + b)
        case (.gauge(var a), .gauge(let b)):
            a.merge(b)
            self = .gauge(a)
        case (.histogram(var a), .histogram(let b)):
            a.merge(b)
            self = .histogram(a)
        default: break
        }
    }
}
