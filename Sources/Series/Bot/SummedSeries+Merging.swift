internal import Sketch

/// Several series of one kind and unit shown as one. Counts are added exactly; sketches and windows are merged. Gauges
/// cannot be added: the highest one is shown.
extension SummedSeries {
    /// Returns the readings of the merged series; a gauge has a reading for each lane that is up.
    ///
    /// Cost: for a histogram with windows, as much as showing each of the series alone, without the search for
    /// quantiles.
    static func readings(
        of series: [SummedSeries], _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [MetricSnapshot.Reading] {
        var parts: [MetricSnapshot.Reading] = []
        if series.count == 1 || series[0].kind != .histogram {
            for one in series { one.forEachReading(completeness, now: now) { parts.append($0) } }
        }
        guard series.count > 1 else { return parts }
        switch series[0].kind {
        case .counter, .upDownCounter: return CounterSnapshot.sum(parts)
        case .gauge: return GaugeSnapshot.highest(parts)
        case .histogram: return [.histogram(merged(series, completeness, now: now))]
        }
    }

    private static func merged(
        _ series: [SummedSeries], _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> HistogramSnapshot {
        let histograms = series.compactMap(\.histogram)
        var total = Distribution()
        for histogram in histograms {
            histogram.flush()
            histogram.addTotal(to: &total)
        }
        let buckets = buckets(of: histograms, total)
        let exemplars = histograms.flatMap { $0.exemplarSnapshots(buckets: buckets) }
        let registered = series.filter(\.isRegistered)
        return HistogramSnapshot(
            calls: series.reduce(0) { $0 &+ $1.calls },
            abandoned: series.reduce(0) { $0 &+ $1.instruments.reduce(0) { $0 &+ $1.abandoned } },
            failed: histograms.reduce(0) { $0 &+ $1.failed },
            total: total.summary(quantiles: histograms[0].options.quantiles), sketch: total.sketch.snapshot(),
            classicBuckets: buckets, exemplars: ExemplarSnapshot.latest(exemplars, buckets: buckets),
            windows: registered.isEmpty ? [] : windows(registered, completeness, now: now), weights: total.weights)
    }

    /// Returns the buckets of the merged series, over the edges of all of them. A series without an edge contributes
    /// the values that its sketch surely has below the edge.
    private static func buckets(of histograms: [HistogramSeries], _ total: borrowing Distribution) -> [ClassicBucket] {
        let edges = ClassicBucketEdges(union: histograms.map(\.edges))
        let counts = edges.cuts.edges.map { edge in
            EdgeCount(edge: edge, cumulativeCount: histograms.reduce(0) { $0 &+ $1.count(atOrBelow: edge) })
        }
        return ClassicBucket.shown(counts, edges, count: total.sketch.count, total.sketch.infinities)
    }

    private static func windows(
        _ series: [SummedSeries], _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [HistogramWindow] {
        let histograms = series.compactMap(\.histogram)
        let known = merged(series.flatMap(\.instruments), completeness, series[0].options, now: now)
        return known.enumerated().map { index, known in
            var sketch = ExponentialSketch()
            var tally = Tally()
            var rate = 0.0
            for histogram in histograms { rate += histogram.addWindow(index, to: &sketch, &tally) }
            let summary = HistogramSummary(sketch, tally, quantiles: histograms[0].options.quantiles)
            return HistogramWindow(
                window: known.window, summary: summary, rate: rate, lost: known.lost, isComplete: known.isComplete)
        }
    }

    /// Returns the completeness of each window. A loss of a lane counts once, however many of its series are merged.
    private static func merged(
        _ instruments: [LaneMetric], _ ofLanes: [ObjectIdentifier: [WindowCompleteness]], _ options: SeriesOptions,
        now: Int64
    ) -> [WindowCompleteness] {
        let whole = options.windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        let lanes = Set(instruments.map { ObjectIdentifier($0.lane) })
        let lost = lanes.compactMap { ofLanes[$0] }.reduce(whole) { $0.combined(with: $1) }
        return instruments.filter { $0.hasDoubts(now: now) }.reduce(lost) {
            $0.combined(with: $1.ownCompleteness(now: now))
        }
    }
}

extension CounterSnapshot {
    /// Returns counters, or up-down counters, as one; an empty list if there are none.
    fileprivate static func sum(_ parts: [MetricSnapshot.Reading]) -> [MetricSnapshot.Reading] {
        let counters = parts.compactMap { part -> CounterSnapshot? in
            switch part {
            case .counter(let counter), .upDownCounter(let counter): counter
            case .gauge, .histogram: nil
            }
        }
        guard let first = counters.first else { return [] }
        let sum = counters.dropFirst().reduce(first) { $0.adding($1) }
        if case .counter? = parts.first { return [.counter(sum)] }
        return [.upDownCounter(sum)]
    }

    private func adding(_ other: CounterSnapshot) -> CounterSnapshot {
        // A counter of a life that is over has no rate and no windows.
        let windows =
            self.windows.isEmpty || other.windows.isEmpty
            ? self.windows + other.windows
            : zip(self.windows, other.windows).map {
                CounterWindow(
                    window: $0.window, increase: $0.increase + $1.increase, rate: $0.rate + $1.rate,
                    isComplete: $0.isComplete && $1.isComplete)
            }
        return CounterSnapshot(
            value: (ExactTotal(value) + ExactTotal(other.value)).number,
            rate: rate.map { $0 + (other.rate ?? 0) } ?? other.rate, windows: windows,
            watchedIncrease: watchedIncrease + other.watchedIncrease)
    }
}

extension GaugeSnapshot {
    /// Returns the highest value of the gauges of each lane, and the range of the windows of all of them.
    fileprivate static func highest(_ parts: [MetricSnapshot.Reading]) -> [MetricSnapshot.Reading] {
        var lanes: [String: GaugeSnapshot] = [:]
        for case .gauge(let gauge) in parts {
            lanes[gauge.lane] = lanes[gauge.lane].map { $0.higher(gauge) } ?? gauge
        }
        return lanes.values.sorted { $0.lane < $1.lane }.map { .gauge($0) }
    }

    private func higher(_ other: GaugeSnapshot) -> GaugeSnapshot {
        GaugeSnapshot(
            lane: lane, value: other.value.double > value.double ? other.value : value,
            highest: other.highest.double > highest.double ? other.highest : highest,
            windows: zip(windows, other.windows).map {
                GaugeWindow(
                    window: $0.window, minimum: min($0.minimum, $1.minimum), maximum: max($0.maximum, $1.maximum),
                    last: max($0.last, $1.last), isComplete: $0.isComplete && $1.isComplete)
            })
    }
}

extension ExemplarSnapshot {
    /// Returns the latest exemplar of each bucket from several series, ascending by value.
    fileprivate static func latest(_ exemplars: [ExemplarSnapshot], buckets: [ClassicBucket]) -> [ExemplarSnapshot] {
        var latest: [ExemplarSnapshot] = []
        var (bucket, last) = (0, -1)
        for exemplar in exemplars.sorted(by: { $0.value < $1.value }) {
            while bucket < buckets.count, buckets[bucket].upperBound < exemplar.value { bucket += 1 }
            if bucket != last {
                latest.append(exemplar)
            } else if exemplar.timeNanoseconds > latest[latest.count - 1].timeNanoseconds {
                latest[latest.count - 1] = exemplar
            }
            last = bucket
        }
        return latest
    }
}
