internal import Exposition
internal import JSON
internal import Series

/// A listing of a history as JSON: times are the Unix seconds at which a minute begins.
package enum HistoryListJSON {
    package static func render(_ listing: HistoryListing) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + 200 * listing.series.count)
        json.object {
            for (name, minute) in [("first", listing.minutes?.lowerBound), ("last", listing.minutes?.upperBound)] {
                $0.key(name)
                if let minute { $0.integer(minute * 60) } else { $0.null() }
            }
            $0.key("quantiles")
            $0.object { json in
                for quantile in HistogramPoint.quantiles { json.number(LatestJSON.key(ofQuantile: quantile), quantile) }
            }
            $0.key("series")
            $0.array { for series in listing.series { $0.series(series) } }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func series(_ series: HistoryListing.Series) {
        object {
            $0.key("bot")
            $0.string(series.key.bot)
            $0.key("metric")
            $0.string(series.key.name)
            $0.place(series.key.allLabels, lane: series.key.lane, series.key.kind, series.key.unit)
            $0.key("first")
            $0.integer(series.minutes.lowerBound * 60)
            $0.key("last")
            $0.integer(series.minutes.upperBound * 60)
        }
    }
}
