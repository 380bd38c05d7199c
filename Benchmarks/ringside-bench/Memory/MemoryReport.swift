internal import Arguments
internal import JSON

/// The results of a memory run.
struct MemoryReport {
    let host: Host
    let run: MemoryRun

    var text: String {
        var table = Table(["MINUTES", "ANON MB", "OF THE FIRST", "SCRAPES", "DRAINED", "LOST"].map { .number($0) })
        for point in run.points {
            table.append([
                grouped(point.minutes), decimals(Double(point.anonymousBytes) / 1e6, 2), decimals(share(of: point), 3),
                grouped(point.scrapes), grouped(Int(point.drained)), grouped(Int(point.lost)),
            ])
        }
        return host.lines + """
            A collector in this process, \(grouped(run.counts.series)) histograms, \(grouped(run.counts.recordsPerSecond)) records a second, by a clock
            that is set ahead. ANON: RssAnon of the process. SCRAPES: each in every form.


            """ + table.rendered(width: nil)
    }

    private func share(of point: MemoryPoint) -> Double {
        Double(point.anonymousBytes) / Double(run.points[0].anonymousBytes)
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member("series", run.counts.series)
        json.member("records_per_second", run.counts.recordsPerSecond)
        json.member(
            "points",
            array: { array in
                for point in run.points {
                    array.object {
                        $0.member("minutes", point.minutes)
                        $0.member("rss_anon_bytes", point.anonymousBytes)
                        $0.member("scrapes", point.scrapes)
                        $0.member("drained", point.drained)
                        $0.member("lost", point.lost)
                    }
                }
            })
    }
}
