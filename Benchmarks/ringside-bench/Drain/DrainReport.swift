import JSON
internal import Arguments
internal import Exposition

/// What a drain run found.
struct DrainReport {
    let host: Host
    let run: DrainRun

    var text: String {
        var table = Table(
            [.number("RINGS"), .number("SERIES")]
                + ["COPY NS", "MEDIAN", "MOST", "RECORDS/S", "WINDOWS NS", "MEDIAN", "MOST", "RECORDS/S"]
                .map { .number($0) })
        for copy in run.points where copy.stage == .copy {
            let windows = run.point(.windows, rings: copy.rings, series: copy.series)
            table.append(["\(copy.rings)", "\(copy.series)"] + cells(copy) + (windows.map(cells) ?? []))
        }
        return host.lines + """
            Nanoseconds of one core a record, over all laps, MEDIAN and MOST of single laps, and what the mean is a second. COPY:
            copied out and judged whole; WINDOWS: the collector's own turn, with sketches, windows and every counter. SERIES: of
            all bots together.


            """ + table.rendered(width: nil)
    }

    private func cells(_ point: DrainPoint) -> [String] {
        [point.cost.mean, point.cost.laps.median, point.cost.laps.greatest, point.recordsPerSecond].map(figure)
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member("points", array: { array in for point in run.points { array.object { write(point, &$0) } } })
    }

    private func write(_ point: DrainPoint, _ json: inout JSONWriter) {
        json.member("stage", point.stage.rawValue)
        json.member("rings", point.rings)
        json.member("series", point.series)
        json.member("records_per_second", point.recordsPerSecond)
        json.member("ns_per_record", point.cost.mean)
        json.member("median_ns", point.cost.laps.median)
        json.member("least_ns", point.cost.laps.least)
        json.member("greatest_ns", point.cost.laps.greatest)
        json.member("laps", point.cost.laps.values.count)
    }
}
