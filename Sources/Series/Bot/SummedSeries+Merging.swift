internal import Sketch

/// Several series of one kind and unit shown as one: what is counted is added up, exactly; sketches are merged, and so are
/// those of the windows. Gauges cannot be added up: the highest stands for them.
extension SummedSeries {
    /// What is shown of them together; a gauge has a reading for each lane that is up.
    ///
    /// Cost: of a histogram with windows as much as showing each of them alone, less the search for quantiles.
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
        let buckets = buckets(of: histograms, total, unit: series[0].unit)
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

    /// Where somebody chose edges for some of them alone, those of the others are what their sketches surely know.
    private static func buckets(
        of histograms: [HistogramSeries], _ total: borrowing Distribution, unit: MetricUnit
    ) -> [ClassicBucket] {
        let edges = Set(histograms.flatMap { $0.edgeCounts?.edges ?? [] }).sorted()
        let areAll = histograms.allSatisfy(\.showsChosenEdgesAlone)
        let buckets = areAll ? [] : ClassicBucket.buckets(of: total.sketch.octaves(), unit: unit)
        let counts = edges.map { edge in
            EdgeCount(edge: edge, cumulativeCount: histograms.reduce(0) { $0 &+ $1.count(atOrBelow: edge) })
        }
        return counts.isEmpty ? buckets : ClassicBucket.merged(buckets, counts, count: total.sketch.count)
    }

    private static func windows(
        _ series: [SummedSeries], _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [HistogramWindow] {
        let histograms = series.compactMap(\.histogram)
        let known = merged(series.flatMap(\.instruments), completeness, series[0].options, now: now)
        return known.enumerated().map { place, known in
            var sketch = ExponentialSketch(keepsNegativePowers: false)
            var tally = Tally()
            var rate = 0.0
            for histogram in histograms { rate += histogram.addWindow(place, to: &sketch, &tally) }
            let summary = HistogramSummary(sketch, tally, quantiles: histograms[0].options.quantiles)
            return HistogramWindow(
                window: known.window, summary: summary, rate: rate, lost: known.lost, isComplete: known.isComplete)
        }
    }

    /// What a lane lost, it lost once, however many of its series are in it.
    private static func merged(
        _ instruments: [LaneInstrument], _ ofLanes: [ObjectIdentifier: [WindowCompleteness]], _ options: SeriesOptions,
        now: Int64
    ) -> [WindowCompleteness] {
        let whole = options.windows.map { WindowCompleteness(window: $0, lost: 0, isComplete: true) }
        let lanes = Set(instruments.map { ObjectIdentifier($0.lane) })
        let lost = lanes.compactMap { ofLanes[$0] }.reduce(whole) { $0.combined(with: $1) }
        return instruments.filter(\.hasDoubts).reduce(lost) {
            $0.combined(with: $1.ownCompleteness(now: now))
        }
    }
}

extension CounterSnapshot {
    /// Counters, or up-down counters, as one; none where there is none.
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
        // One of a life that is over has no rate and no windows.
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
    /// Of the gauges of each lane the highest value, and what the windows of all of them span.
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
    /// Of those of several series the latest one of each bucket, ascending by value.
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
