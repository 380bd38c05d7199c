package import Sketch
internal import Synchronization

/// A histogram, summed over lanes. Values are in the metric's unit (seconds for a duration).
///
/// The type is an immutable class, so that handing it to an export costs one reference. A structure with as many arrays
/// would cost one reference for each.
package final class HistogramSnapshot: Sendable {
    /// The number of calls of the instrument by the bot: records that were written or sampled out, lapped ones
    /// included.
    package let calls: UInt64
    /// The number of spans dropped without an end; they are in no percentile.
    package let abandoned: UInt64
    /// The number of records whose span failed; they are in the percentiles.
    package let failed: UInt64
    /// All values since the ring began.
    package let total: HistogramSummary
    /// The sketch that `total` was computed from, for exports with buckets.
    package let sketch: SketchSnapshot
    /// The classic buckets, ascending, without +Inf: their upper edges, and the number of values at or below each.
    package let classicBuckets: [ClassicBucket]
    /// The latest traced record of each classic bucket, and of the one above them, ascending by value.
    package let exemplars: [ExemplarSnapshot]
    /// The windows, in the order of the configuration; empty if the bot is down.
    package let windows: [HistogramWindow]
    /// The weights of the values of `total`, which give the number of records.
    package let weights: SampleWeights
    /// The version of `total`, `sketch`, `classicBuckets` and `exemplars`. Two snapshots have the same version only if
    /// these are the same, so that an export may reuse the bytes that it made of them.
    package let version: UInt64

    private static let versions = Atomic<UInt64>(0)

    /// Returns a version that no other snapshot has.
    package static func nextVersion() -> UInt64 { versions.add(1, ordering: .relaxed).newValue }

    /// - Parameter version: The version of the totals; nil if no other snapshot shows the same totals.
    package init(
        calls: UInt64, abandoned: UInt64, failed: UInt64, total: HistogramSummary, sketch: SketchSnapshot,
        classicBuckets: [ClassicBucket], exemplars: [ExemplarSnapshot] = [], windows: [HistogramWindow],
        weights: SampleWeights = .none, version: UInt64? = nil
    ) {
        self.calls = calls
        self.abandoned = abandoned
        self.failed = failed
        self.total = total
        self.sketch = sketch
        self.classicBuckets = classicBuckets
        self.exemplars = exemplars
        self.windows = windows
        self.weights = weights
        self.version = version ?? Self.nextVersion()
    }
}

extension BotSnapshot {
    /// The number of values of histograms that are counted by octave, by metric; metrics without any are missing.
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
    /// Records per second over the time that the window covers.
    package var rate: Double
    /// The number of records lost in this window by the rings of the series.
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
    /// The number of values, each multiplied by its weight.
    package var count: UInt64
    /// Infinite if a value is, or if the sum of finite values exceeds a double; NaN if there are infinities of both
    /// signs.
    package var sum: Double
    /// The sum of the finite values.
    package var finiteSum: Double
    /// Nil if `count` is 0.
    package var extremes: Extremes?
    /// The configured quantiles with their values, ascending; empty if `count` is 0.
    package var quantiles: [QuantileValue]

    package struct Extremes: Sendable {
        package var minimum: Double
        package var maximum: Double
        package init(minimum: Double, maximum: Double) {
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// - Parameter sum: The sum, if all values are finite.
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
