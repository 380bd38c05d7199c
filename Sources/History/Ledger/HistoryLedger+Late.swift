internal import Series
internal import Sketch

/// The late minutes of a snapshot, by series without its bot's labels.
struct LateValues {
    private(set) var bySeries: [HistorySeriesKey: (help: String, minutes: [Int64: MinuteValue])] = [:]
    /// The newest batch; nil if there is none.
    private(set) var lastBatch: UInt64?

    /// - Parameter written: batches up to this one are left out.
    init(_ batches: [LateBatch], after written: UInt64) {
        lastBatch = batches.last?.number
        for batch in batches where batch.number > written {
            for series in batch.series {
                bySeries[series.key, default: (series.metric.help, [:])].minutes.merge(
                    series.minutes.mapValues { MinuteValue($0) }
                ) { earlier, later in
                    var both = earlier
                    both.merge(later)
                    return both
                }
            }
        }
    }

    /// Removes and returns the late minutes of a series.
    mutating func take(_ series: HistorySeriesKey) -> [Int64: MinuteValue] {
        bySeries.removeValue(forKey: series)?.minutes ?? [:]
    }
}

extension LateSeries {
    fileprivate var key: HistorySeriesKey {
        HistorySeriesKey(
            bot: bot, name: metric.name, labels: metric.labels, lane: lane, kind: metric.kind, unit: metric.unit)
    }
}

extension MinuteValue {
    fileprivate init(_ late: LateMinute) {
        switch late {
        case .histogram(let part):
            // A call that was sampled out is represented by the weight of another.
            self = .histogram(
                HistogramMinute(
                    calls: part.sketch.count, failed: part.failed, sum: part.sum, minimum: part.minimum,
                    maximum: part.maximum, sketch: part.sketch, weights: part.weights))
        case .gauge(let minimum, let maximum, let last):
            self = .gauge(GaugeMinute(minimum: minimum, maximum: maximum, last: last))
        }
    }

    /// Returns a histogram's increase without its late minutes, exactly. Nil if it does not contain them, because the
    /// total began anew.
    ///
    /// - Parameter total: the total after the increase.
    func without(_ minutes: some Sequence<MinuteValue>, total: MinuteValue) -> MinuteValue? {
        guard case .histogram(var rest) = self, case .histogram(let total) = total else { return nil }
        let late = MergedMinutes()
        for minute in minutes { late.add(minute) }
        guard let sketch = rest.sketch.subtracting(late.sketch.snapshot()), rest.failed >= late.failed else {
            return nil
        }
        rest.sketch = sketch
        rest.weights = rest.weights.subtracting(late.weights)
        rest.failed -= late.failed
        rest.calls = rest.calls >= late.calls ? rest.calls - late.calls : 0
        rest.sum = sketch.count > 0 ? rest.sum - late.finiteSum : 0
        (rest.minimum, rest.maximum) = total.extremes(of: sketch)
        return .histogram(rest)
    }
}
