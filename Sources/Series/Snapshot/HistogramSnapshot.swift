package import Sketch

/// A histogram, summed over lanes. Values are in the metric's unit (seconds for a duration).
///
/// An immutable object: it goes from the snapshot through each export as it is, and handing it on costs one reference where
/// a structure of so many arrays would cost one for each.
package final class HistogramSnapshot: Sendable {
    /// Times that the bot called the instrument: records written or sampled out, lapped ones included.
    package let calls: UInt64
    /// Spans dropped without an end; they are in no percentile.
    package let abandoned: UInt64
    /// Records whose span failed; they are in the percentiles.
    package let failed: UInt64
    /// All that was drained since the ring began.
    package let total: HistogramSummary
    /// The sketch that `total` was read from, for exports that carry buckets.
    package let sketch: SketchSnapshot
    /// Upper edges of the classic buckets, ascending, without +Inf, and how many values lie at or below each.
    package let classicBuckets: [ClassicBucket]
    /// The latest traced record of each classic bucket, and of the one above them, ascending by value.
    package let exemplars: [ExemplarSnapshot]
    /// The windows, in the order of the configuration; empty when the bot is down.
    package let windows: [HistogramWindow]
    /// How its p99 and rate stand to their usual levels; empty until these are known, and when the bot is down.
    package let levels: [LevelSnapshot]
    /// How the values of `total` were weighted: what tells how many records they are.
    package let weights: SampleWeights

    package init(
        calls: UInt64, abandoned: UInt64, failed: UInt64, total: HistogramSummary, sketch: SketchSnapshot,
        classicBuckets: [ClassicBucket], exemplars: [ExemplarSnapshot] = [], windows: [HistogramWindow],
        levels: [LevelSnapshot] = [], weights: SampleWeights = .none
    ) {
        self.calls = calls
        self.abandoned = abandoned
        self.failed = failed
        self.total = total
        self.sketch = sketch
        self.classicBuckets = classicBuckets
        self.exemplars = exemplars
        self.windows = windows
        self.levels = levels
        self.weights = weights
    }
}

extension BotSnapshot {
    /// By metric, values of its histograms that are counted by powers of two; metrics without any are missing.
    package var coarseValues: [String: UInt64] {
        metrics.reduce(into: [:]) { values, metric in
            guard case .histogram(let histogram) = metric.reading else { return }
            let coarse = histogram.sketch.coarseCount
            if coarse > 0 { values[metric.name, default: 0] &+= coarse }
        }
    }
}

package struct ClassicBucket: Sendable {
    package var upperBound: Double
    package var cumulativeCount: UInt64

    package init(upperBound: Double, cumulativeCount: UInt64) {
        self.upperBound = upperBound
        self.cumulativeCount = cumulativeCount
    }
}

package struct HistogramWindow: Sendable {
    package var window: WindowSpan
    package var summary: HistogramSummary
    /// Records per second over the time that the window really covers.
    package var rate: Double
    /// Records lost in this window by the rings that feed the series.
    package var lost: UInt64
    package var isComplete: Bool

    package init(window: WindowSpan, summary: HistogramSummary, rate: Double, lost: UInt64, isComplete: Bool) {
        self.window = window
        self.summary = summary
        self.rate = rate
        self.lost = lost
        self.isComplete = isComplete
    }
}

/// Count, sum, extremes and quantiles of one set of values.
package struct HistogramSummary: Sendable {
    /// Values, each counted with its weight.
    package var count: UInt64
    /// Infinite where a value is, and where the sum of finite ones is too great for a double; NaN where both infinities are
    /// among the values.
    package var sum: Double
    /// Of the finite values.
    package var finiteSum: Double
    /// What is nil where `count` is 0.
    package var extremes: Extremes?
    /// The configured quantiles with their values, ascending; empty where `count` is 0.
    package var quantiles: [QuantileValue]

    package struct Extremes: Sendable {
        package var minimum: Double
        package var maximum: Double
        package init(minimum: Double, maximum: Double) {
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// - Parameter sum: of values that are all finite.
    package init(count: UInt64, sum: Double, extremes: Extremes?, quantiles: [QuantileValue]) {
        self.init(
            count: count, finiteSum: sum, infinities: Infinities(positive: 0, negative: 0), extremes: extremes,
            quantiles: quantiles)
    }

    package init(
        count: UInt64, finiteSum: Double, infinities: Infinities, extremes: Extremes?, quantiles: [QuantileValue]
    ) {
        self.count = count
        self.finiteSum = finiteSum
        sum = infinities.sum(with: finiteSum)
        self.extremes = extremes
        self.quantiles = quantiles
    }
}

package struct QuantileValue: Sendable {
    /// Between 0 and 1.
    package var quantile: Double
    package var value: Double

    package init(quantile: Double, value: Double) {
        self.quantile = quantile
        self.value = value
    }
}
