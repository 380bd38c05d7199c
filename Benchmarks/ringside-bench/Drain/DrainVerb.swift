internal import Arguments

struct DrainOptions: Sendable {
    var laps = 20
    var isQuick = false
    var rings = 0
    var series = 0
    var format = OutputFormat.text
}

/// `ringside-bench drain`: measures how many records a second one core of the collector drains.
enum DrainVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench drain", summary: "Measures how many records a second one core drains.",
        details: """
            Rings of 32,768 records are filled to three quarters from another processor, with durations from 1 us to 1 ms and \
            the time of their writing, and then drained: by copying alone, by the least that gives percentiles, in C, and by the \
            collector's own turn, in turn. 1 to 64 rings with 1 to 4,096 histograms in all: each ring a bot with its share of them or, where there are more rings \
            than histograms, a lane.
            """,
        defaults: DrainOptions(),
        options: [
            .value(
                "laps", "N", \.laps, .integer(in: 1...1000), help: "Fillings of each kind, over which the mean is taken"
            ),
            .value("rings", "N", \.rings, .integer(in: 1...64), help: "So many rings alone"),
            .value(
                "series", "N", \.series, .integer(in: 1...4096), help: "So many series alone; a multiple of the rings"),
            .flag("quick", \.isQuick, help: "Fewer laps, and fewer rings and series"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("The table", "ringside-bench drain"),
            Example(
                "The slowest point", "ringside-bench drain --format json | jq '.points | min_by(.records_per_second)'"),
        ])

    private static func run(_ options: DrainOptions) throws -> Int32 {
        var counts =
            options.isQuick
            ? DrainCounts(laps: min(5, options.laps), rings: [1, 4, 16], series: [1, 16, 64])
            : DrainCounts(laps: options.laps)
        if options.rings > 0 { counts.rings = [options.rings] }
        if options.series > 0 { counts.series = [options.series] }
        guard counts.rings.allSatisfy({ rings in counts.series.allSatisfy { $0 % rings == 0 || rings % $0 == 0 } })
        else {
            throw OutputError(description: "of --rings and --series one is to be a multiple of the other")
        }
        let report = DrainReport(host: Host(), run: try DrainRun(counts: counts))
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
