internal import Exposition
internal import JSON
internal import Series

/// A history's answer as JSON: times are Unix seconds, durations seconds; null where there is no value.
package enum HistoryJSON {
    package static let contentType = "application/json"

    package static func render(_ answer: HistoryAnswer) -> [UInt8] {
        var json = JSONWriter(capacity: 64 * 1024)
        json.object {
            $0.key("metric")
            $0.string(answer.query.metric)
            $0.key("from")
            $0.integer(answer.query.minutes.lowerBound * 60)
            $0.key("to")
            $0.integer(answer.query.minutes.upperBound * 60)
            $0.key("step")
            $0.integer(answer.query.stepMinutes * 60)
            $0.key("series")
            $0.array { for series in answer.series { $0.series(series, answer.query) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func series(_ series: HistoryAnswer.Series, _ query: HistoryQuery) {
        object {
            $0.key("bot")
            if let bot = series.key?.bot ?? query.bot { $0.string(bot) } else { $0.null() }
            $0.key("labels")
            $0.object { json in
                for label in series.key?.allLabels ?? query.labels {
                    json.key(label.name)
                    json.string(label.value)
                }
            }
            $0.key("lane")
            $0.string(series.key?.lane ?? "")
            $0.key("kind")
            $0.string(series.kind == .upDownCounter ? "up_down_counter" : series.kind.rawValue)
            $0.key("unit")
            $0.string(series.unit.rawValue)
            $0.key("points")
            $0.array { for point in series.points { $0.point(point) } }
        }
    }

    private mutating func point(_ point: HistoryPoint) {
        object {
            $0.key("time")
            $0.integer(point.minute * 60)
            switch point.reading {
            case .counter(let increase):
                $0.key("increase")
                $0.number(increase)
                $0.key("rate")
                $0.number(point.rate(of: increase))
            case .gauge(let gauge):
                $0.key("min")
                $0.number(gauge?.minimum)
                $0.key("max")
                $0.number(gauge?.maximum)
                $0.key("last")
                $0.number(gauge?.last)
            case .histogram(let histogram): $0.histogram(histogram, of: point)
            }
            $0.key("lost")
            $0.integer(point.lost)
            $0.key("complete")
            $0.bool(point.isComplete)
        }
    }

    private mutating func histogram(_ histogram: HistogramPoint, of point: HistoryPoint) {
        key("calls")
        integer(histogram.calls)
        key("count")
        integer(histogram.count)
        key("failed")
        integer(histogram.failed)
        key("rate")
        number(point.rate(of: Double(histogram.count)))
        key("sum")
        number(histogram.sum)
        key("min")
        number(histogram.minimum)
        key("max")
        number(histogram.maximum)
        for (place, quantile) in HistogramPoint.quantiles.enumerated() {
            key(LatestJSON.key(ofQuantile: quantile))
            number(histogram.values.isEmpty ? nil : histogram.values[place])
        }
    }
}

extension HistoryPoint {
    /// Per second of the time that was watched; nil where nobody watched.
    package func rate(of count: Double) -> Double? { watchedSeconds > 0 ? count / watchedSeconds : nil }
}
