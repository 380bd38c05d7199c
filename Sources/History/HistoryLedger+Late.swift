internal import Series
internal import Sketch

/// Late minutes of a snapshot, by series without its bot's labels.
struct LateValues {
    private(set) var bySeries: [HistorySeriesKey: (help: String, minutes: [Int64: MinuteValue])] = [:]
    /// The newest batch; nil where there is none.
    private(set) var lastBatch: UInt64?

    /// - Parameter written: the batches up to this one are left out.
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

    /// What a series' late records did, of which nothing is left here.
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
            // A call that was sampled out stands behind the weight of another.
            self = .histogram(
                HistogramMinute(
                    calls: part.sketch.count, failed: part.failed, sum: part.sum, minimum: part.minimum,
                    maximum: part.maximum, sketch: part.sketch, weights: part.weights))
        case .gauge(let minimum, let maximum, let last):
            self = .gauge(GaugeMinute(minimum: minimum, maximum: maximum, last: last))
        }
    }

    /// What is left of an increase of a histogram when its late minutes are taken out, exactly; nil where they are not in it: it
    /// is of a total that began anew.
    ///
    /// - Parameter total: of which it is the increase.
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
