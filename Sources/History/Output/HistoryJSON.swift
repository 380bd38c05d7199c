internal import Exposition
internal import JSON
internal import Series

/// A history's answer as JSON. Times are Unix seconds, durations are seconds. A missing value is null. An infinite
/// value is null too, and `NAME_text` beside it holds it as text.
package enum HistoryJSON {
    package static let contentType = "application/json"

    /// Returns the part before the series.
    static func head(_ query: HistoryQuery, unwatched: [Range<Int64>]) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object {
            $0.key("metric")
            $0.string(query.metric)
            $0.key("from")
            $0.integer(query.minutes.lowerBound * 60)
            $0.key("to")
            $0.integer(query.minutes.upperBound * 60)
            $0.key("step")
            $0.integer(query.stepMinutes * 60)
            $0.key("unwatched")
            $0.array { json in
                for minutes in unwatched {
                    json.object {
                        $0.key("from")
                        $0.integer(minutes.lowerBound * 60)
                        $0.key("to")
                        $0.integer(minutes.upperBound * 60)
                    }
                }
            }
            $0.key("series")
        }
        // Leaves the object open for the series.
        return json.bytes.dropLast() + Array("[".utf8)
    }

    static func series(_ series: HistoryAnswer.Series, _ query: HistoryQuery) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + 200 * series.points.count)
        json.series(series, query)
        return json.bytes
    }

    /// Returns an answer with one series.
    package static func document(_ query: HistoryQuery, _ series: HistoryAnswer.Series) -> [UInt8] {
        head(query, unwatched: []) + self.series(series, query) + end
    }

    static let end = Array("]}".utf8)
}

/// An answer as JSON, one series per piece.
///
/// Thread rule: that of the reader.
package final class HistoryJSONPieces {
    private let series: AnswerSeries
    private var state = State.begins

    private enum State {
        case begins
        case first
        case others
        case ended
    }

    package init(_ series: AnswerSeries) { self.series = series }

    /// Returns the next piece; nil at the end.
    package func next() throws -> [UInt8]? {
        switch state {
        case .begins:
            state = .first
            return HistoryJSON.head(series.query, unwatched: series.unwatched)
        case .first, .others:
            guard let next = try series.next() else {
                state = .ended
                return HistoryJSON.end
            }
            let comma = state == .others ? Array(",".utf8) : []
            state = .others
            return comma + HistoryJSON.series(next, series.query)
        case .ended: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func series(_ series: HistoryAnswer.Series, _ query: HistoryQuery) {
        object {
            $0.key("bot")
            if let bot = series.key?.bot ?? query.bot { $0.string(bot) } else { $0.null() }
            $0.place(series.key?.allLabels ?? query.labels, lane: series.key?.lane ?? "", series.kind, series.unit)
            $0.key("points")
            $0.array { for point in series.points { $0.point(point) } }
        }
    }

    /// Writes what identifies a series within its bot and metric, and how to read its values.
    mutating func place(_ labels: [Label], lane: String, _ kind: MetricKind, _ unit: MetricUnit) {
        key("labels")
        object { json in
            for label in labels {
                json.key(label.name)
                json.string(label.value)
            }
        }
        key("lane")
        string(lane)
        key("kind")
        string(kind == .upDownCounter ? "up_down_counter" : kind.rawValue)
        key("unit")
        string(unit.rawValue)
    }

    private mutating func point(_ point: HistoryPoint) {
        object {
            $0.key("time")
            $0.integer(point.minute * 60)
            switch point.reading {
            case .counter(let increase):
                $0.number("increase", increase)
                $0.number("rate", point.rate(of: increase))
            case .gauge(let gauge):
                $0.number("min", gauge?.minimum)
                $0.number("max", gauge?.maximum)
                $0.number("last", gauge?.last)
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
        number("rate", point.rate(of: Double(histogram.count)))
        number("sum", histogram.sum)
        number("min", histogram.minimum)
        number("max", histogram.maximum)
        for (place, quantile) in HistogramPoint.quantiles.enumerated() {
            number(LatestJSON.key(ofQuantile: quantile), histogram.values.isEmpty ? nil : histogram.values[place])
        }
        if let distribution = histogram.distribution { self.distribution(distribution) }
    }

    /// Writes pairs of a quantile and its value, and triples of a bucket's bounds and its count.
    private mutating func distribution(_ distribution: HistoryDistribution) {
        key("quantiles")
        array { json in
            for (quantile, value) in zip(HistoryDistribution.quantiles, distribution.values) {
                json.array {
                    $0.number(quantile)
                    $0.number(value)
                }
            }
        }
        key("buckets")
        array { json in
            for bucket in distribution.buckets {
                json.array {
                    $0.number(bucket.lower)
                    $0.number(bucket.upper)
                    $0.integer(bucket.count)
                }
            }
        }
    }
}

extension HistoryPoint {
    /// Returns the rate per watched second; nil if nothing was watched.
    package func rate(of count: Double) -> Double? { watchedSeconds > 0 ? count / watchedSeconds : nil }
}
