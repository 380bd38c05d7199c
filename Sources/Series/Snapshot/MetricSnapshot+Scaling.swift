internal import Sketch

/// A series whose values are all multiplied by one factor. Counts stay as they are.
extension MetricSnapshot.Reading {
    func scaled(by scale: UnitScale) -> MetricSnapshot.Reading {
        switch self {
        case .counter(let counter): .counter(counter.scaled(by: scale))
        case .upDownCounter(let counter): .upDownCounter(counter.scaled(by: scale))
        case .gauge(let gauge): .gauge(gauge.scaled(by: scale))
        case .histogram(let histogram): .histogram(histogram.scaled(by: scale))
        }
    }
}

extension CounterSnapshot {
    fileprivate func scaled(by scale: UnitScale) -> CounterSnapshot {
        CounterSnapshot(
            value: scale.scaled(value), rate: rate.map(scale.scaled),
            windows: windows.map {
                CounterWindow(
                    window: $0.window, increase: scale.scaled($0.increase), rate: scale.scaled($0.rate),
                    isComplete: $0.isComplete)
            }, watchedIncrease: scale.scaled(watchedIncrease))
    }
}

extension GaugeSnapshot {
    fileprivate func scaled(by scale: UnitScale) -> GaugeSnapshot {
        GaugeSnapshot(
            lane: lane, value: scale.scaled(value), highest: scale.scaled(highest),
            windows: windows.map {
                GaugeWindow(
                    window: $0.window, minimum: scale.scaled($0.minimum), maximum: scale.scaled($0.maximum),
                    last: scale.scaled($0.last), isComplete: $0.isComplete)
            })
    }
}

extension HistogramSnapshot {
    fileprivate func scaled(by scale: UnitScale) -> HistogramSnapshot {
        HistogramSnapshot(
            calls: calls, abandoned: abandoned, failed: failed, total: total.scaled(by: scale),
            sketch: sketch.scaled(by: scale.factor), classicBuckets: scaledBuckets(scale),
            exemplars: scaledExemplars(scale),
            windows: windows.map {
                HistogramWindow(
                    window: $0.window, summary: $0.summary.scaled(by: scale), rate: $0.rate, lost: $0.lost,
                    isComplete: $0.isComplete)
            }, weights: weights)
    }

    /// Returns the buckets with scaled edges. The counts of edges do not change. Edges that become the same double are
    /// merged to one bucket.
    private func scaledBuckets(_ scale: UnitScale) -> [ClassicBucket] {
        classicBuckets.reduce(into: []) { buckets, bucket in
            let edge = scale.scaled(bucket.upperBound)
            if buckets.last?.upperBound == edge { buckets.removeLast() }
            buckets.append(ClassicBucket(upperBound: edge, cumulativeCount: bucket.cumulativeCount))
        }
    }

    /// Returns the scaled exemplars. Each stays in its bucket, though rounding may move it to the edge below.
    private func scaledExemplars(_ scale: UnitScale) -> [ExemplarSnapshot] {
        exemplars.map { exemplar in
            var scaled = exemplar
            scaled.value = scale.scaled(exemplar.value)
            if let edge = classicBuckets.last(where: { $0.upperBound < exemplar.value })?.upperBound {
                scaled.value = max(scaled.value, scale.scaled(edge).nextUp)
            }
            return scaled
        }
    }
}

extension HistogramSummary {
    fileprivate func scaled(by scale: UnitScale) -> HistogramSummary {
        var summary = self
        (summary.sum, summary.finiteSum) = (scale.scaled(sum), scale.scaled(finiteSum))
        summary.extremes = extremes.map {
            Extremes(minimum: scale.scaled($0.minimum), maximum: scale.scaled($0.maximum))
        }
        summary.quantiles = quantiles.map { QuantileValue(quantile: $0.quantile, value: scale.scaled($0.value)) }
        return summary
    }
}

extension LateMinute {
    package func scaled(by scale: UnitScale) -> LateMinute {
        switch self {
        case .histogram(var histogram):
            histogram.sum = scale.scaled(histogram.sum)
            histogram.minimum = scale.scaled(histogram.minimum)
            histogram.maximum = scale.scaled(histogram.maximum)
            histogram.sketch = histogram.sketch.scaled(by: scale.factor)
            return .histogram(histogram)
        case .gauge(let minimum, let maximum, let last):
            return .gauge(
                minimum: scale.scaled(minimum), maximum: scale.scaled(maximum), last: scale.scaled(last))
        }
    }
}
