import JSON
internal import Arguments
internal import Exposition

/// The results of a drain run.
struct DrainReport {
    let host: Host
    let run: DrainRun

    var text: String {
        var table = Table(
            [.number("RINGS"), .number("SERIES"), .number("COPY NS"), .number("FLOOR NS")]
                + ["WINDOWS NS", "MEDIAN", "MOST", "RECORDS/S", "x FLOOR"].map { .number($0) })
        for (rings, series, ratio) in run.ratiosToFloor {
            let points = DrainPoint.Stage.allCases.compactMap { run.point($0, rings: rings, series: series) }
            let windows = points[2].cost
            table.append(
                ["\(rings)", "\(series)"] + points.map { figure($0.cost.mean) }
                    + [windows.laps.median, windows.laps.greatest, points[2].recordsPerSecond].map(figure)
                    + [decimals(ratio, 2)])
        }
        var targets = Table([.text("TARGET"), .number("LIMIT"), .number("RATIO"), .text("VERDICT")])
        for target in DrainTarget.all(run) {
            targets.append([
                target.what, decimals(target.limit, 2), decimals(target.ratio, 2),
                target.isReached ? "reached" : "not reached",
            ])
        }
        return host.lines + """
            Nanoseconds of one core a record, over all laps, each lap with all three in turn. COPY: copied out and judged whole;
            FLOOR: that, and each record checked and counted into a histogram of its metric, in C, with sum and extremes;
            WINDOWS: the collector's own turn, with sketches, windows and every counter, MEDIAN and MOST of single laps, what the
            mean is a second, and the mean against the floor's. SERIES: of all bots together.


            """ + table.rendered(width: nil) + "\n" + targets.rendered(width: nil)
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member("points", array: { array in for point in run.points { array.object { write(point, &$0) } } })
        json.member(
            "targets",
            array: { array in
                for target in DrainTarget.all(run) {
                    array.object {
                        $0.member("what", target.what)
                        $0.member("limit", target.limit)
                        $0.member("ratio", target.ratio)
                        $0.member("reached", target.isReached)
                    }
                }
            })
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
