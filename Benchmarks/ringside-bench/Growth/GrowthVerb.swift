internal import Arguments
internal import Exposition
internal import Glibc
internal import JSON

struct GrowthOptions: Sendable {
    var seconds = 4.0
    var isQuick = false
    var format = OutputFormat.text
    var plot: String?
}

/// `ringside-bench growth`: measures how the collector's cost grows with its load.
enum GrowthVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench growth",
        summary: "Measures how the collector's cost grows with records, series, bots and lanes.",
        details: """
            A real ringsided by records a second, by series and by bots; the drain alone by series and by lanes; a scrape by \
            histograms. Beside each stands the floor of this machine in the same run: the drain in C, or the copying of a \
            scrape's bytes. With --plot one SVG of each, under the names of the page "How it grows".
            """,
        defaults: GrowthOptions(),
        options: [
            .value("seconds", "SECONDS", \.seconds, .number(in: 0.5...3600), help: "How long each load is measured"),
            .flag("quick", \.isQuick, help: "Shorter loads, two points a curve"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
            .value("plot", "FOLDER", \.plot, .text, help: "Also writes the curves as SVG into this folder"),
        ],
        examples: [Example("All pictures", "ringside-bench growth --plot pictures")])

    private static func run(_ options: GrowthOptions) throws -> Int32 {
        var counts = options.isQuick ? GrowthCounts.quick : GrowthCounts()
        if !options.isQuick { counts.collector.seconds = options.seconds }
        let (host, run) = (Host(), try GrowthRun(counts: counts))
        if let folder = options.plot {
            mkdir(folder, 0o755)
            for curve in run.curves {
                try Output.file("\(folder)/growth-\(curve.file).svg", GrowthPlot(curve, host: host).svg)
            }
        }
        switch options.format {
        case .text: try Output.text(text(host, run))
        case .json: try Output.json { write(host, run, &$0) }
        }
        return 0
    }

    private static func text(_ host: Host, _ run: GrowthRun) -> String {
        run.curves.reduce(host.lines) { text, curve in
            var table = Table([
                .number(curve.horizontalTitle.uppercased()), .number(curve.name.uppercased()),
                .number(curve.floorName.uppercased()), .number("x FLOOR"),
            ])
            for (point, floor) in zip(curve.points, curve.floor) {
                table.append([figure(point.x), figure(point.y), figure(floor.y), figure(point.y / floor.y)])
            }
            return text + "\n\(curve.title), \(curve.verticalTitle)\n" + table.rendered(width: nil)
        }
    }

    private static func write(_ host: Host, _ run: GrowthRun, _ json: inout JSONWriter) {
        json.host(host)
        json.member(
            "curves",
            array: { curves in
                for curve in run.curves { curves.object { write(curve, &$0) } }
            })
    }

    private static func write(_ curve: GrowthCurve, _ json: inout JSONWriter) {
        json.member("name", curve.file)
        json.member("unit", curve.verticalTitle)
        json.member(
            "points",
            array: { points in
                for (point, floor) in zip(curve.points, curve.floor) {
                    points.object {
                        $0.member("x", point.x)
                        $0.member("y", point.y)
                        $0.member("floor", floor.y)
                    }
                }
            })
    }
}
