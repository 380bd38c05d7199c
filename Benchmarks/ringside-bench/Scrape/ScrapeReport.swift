import JSON
internal import Arguments
internal import Exposition

/// The results of a scrape run.
struct ScrapeReport {
    let host: Host
    let run: ScrapeRun

    var text: String {
        var table = Table(
            [.text("FORMAT")]
                + ["SERIES", "SCRAPE MS", "LEAST", "MOST", "SNAPSHOT MS", "RENDER MS", "KB"].map { .number($0) })
        for point in run.points {
            table.append([
                point.format.rawValue, grouped(point.series), figure(point.wholeMilliseconds.median),
                figure(point.wholeMilliseconds.least), figure(point.wholeMilliseconds.greatest),
                figure(point.snapshotMilliseconds.median), figure(point.renderMilliseconds.median),
                grouped(point.bytes / 1000),
            ])
        }
        return host.lines + """
            Processor time, median of \(run.points.first?.wholeMilliseconds.values.count ?? 0) rounds. SNAPSHOT: what the drain thread gives a scrape, all quantiles, windows
            and buckets; RENDER: from it to the bytes, on the server's thread; SCRAPE: both.


            """ + table.rendered(width: nil)
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member("points", array: { array in for point in run.points { array.object { write(point, &$0) } } })
    }

    private func write(_ point: ScrapePoint, _ json: inout JSONWriter) {
        json.member("format", point.format.rawValue)
        json.member("series", point.series)
        json.member("scrape_ms", point.wholeMilliseconds.median)
        json.member("scrape_least_ms", point.wholeMilliseconds.least)
        json.member("scrape_greatest_ms", point.wholeMilliseconds.greatest)
        json.member("snapshot_ms", point.snapshotMilliseconds.median)
        json.member("render_ms", point.renderMilliseconds.median)
        json.member("bytes", point.bytes)
        json.member("rounds", point.wholeMilliseconds.values.count)
    }
}
