package import Sketch

/// The late records of one series in one minute that no window shows any more.
package enum LateMinute: Sendable, Equatable {
    case histogram(LateHistogram)
    /// In the order in which the records came.
    case gauge(minimum: Double, maximum: Double, last: Double)

    /// Adds later records of the same minute. Records of another kind are ignored.
    mutating func merge(_ later: LateMinute) {
        switch (self, later) {
        case (.histogram(var histogram), .histogram(let added)):
            histogram.merge(added)
            self = .histogram(histogram)
        case (.gauge(let minimum, let maximum, _), .gauge(let low, let high, let last)):
            self = .gauge(minimum: min(minimum, low), maximum: max(maximum, high), last: last)
        default: break
        }
    }
}

package struct LateHistogram: Sendable, Equatable {
    /// The number of values that failed, each multiplied by its weight.
    package var failed: UInt64
    /// The sum of the finite values.
    package var sum: Double
    package var minimum: Double
    package var maximum: Double
    package var sketch: SketchSnapshot
    package var weights: SampleWeights

    package init(
        failed: UInt64, sum: Double, minimum: Double, maximum: Double, sketch: SketchSnapshot,
        weights: SampleWeights = .none
    ) {
        self.weights = weights
        self.failed = failed
        self.sum = sum
        self.minimum = minimum
        self.maximum = maximum
        self.sketch = sketch
    }

    init(_ records: borrowing IntervalSketch) {
        let copy = records.sketch.snapshot()
        // The buckets are listed, because an array for a few values of a wide range would be mostly empty.
        let sketch = SketchSnapshot(
            scale: copy.scale, positive: copy.positive, negative: copy.negative, zeroCount: copy.zeroCount)
        self.init(
            failed: records.failed, sum: records.tally.sum.value, minimum: records.tally.minimum,
            maximum: records.tally.maximum, sketch: sketch, weights: records.weights)
    }

    fileprivate mutating func merge(_ added: LateHistogram) {
        failed &+= added.failed
        sum += added.sum
        minimum = min(minimum, added.minimum)
        maximum = max(maximum, added.maximum)
        sketch = sketch.adding(added.sketch)
        weights.merge(added.weights)
    }
}

/// One series' minutes of late records.
package struct LateSeries: Sendable {
    package var bot: String
    package var metric: MetricDescriptor
    /// The lane of a gauge; "" for other kinds.
    package var lane: String
    /// By minutes since the Unix epoch.
    package var minutes: [Int64: LateMinute]

    package init(bot: String, metric: MetricDescriptor, lane: String = "", minutes: [Int64: LateMinute] = [:]) {
        self.bot = bot
        self.metric = metric
        self.lane = lane
        self.minutes = minutes
    }
}

/// The late records between two snapshots. They are in the totals of the same snapshots too.
package struct LateBatch: Sendable {
    /// Greater than those before it.
    package var number: UInt64
    package var series: [LateSeries]

    package init(number: UInt64, series: [LateSeries]) {
        self.number = number
        self.series = series
    }
}
