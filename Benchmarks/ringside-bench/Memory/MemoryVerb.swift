internal import Arguments

struct MemoryOptions: Sendable {
    var series = 100
    var recordsPerSecond = 10_000
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench memory`: measures whether a collector's memory grows.
enum MemoryVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench memory", summary: "Measures whether a collector's memory creeps over two hours of one load.",
        details: """
            Runs a collector in this process through 120 minutes by a clock that is set ahead, under an even load, scrapes it \
            in every form each 15 seconds of that time, and shows its memory after 1, 20 and 120 minutes. Takes about a minute.
            """,
        defaults: MemoryOptions(),
        options: [
            .value("series", "N", \.series, .integer(in: 1...10_000), help: "Histograms, of one bot"),
            .value(
                "rate", "RECORDS", \.recordsPerSecond, .integer(in: 10...500_000),
                help: "Records a second of all series together"),
            .flag("quick", \.isQuick, help: "1, 2 and 4 minutes of it"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("The table", "ringside-bench memory"),
            Example("Many series at a high rate", "ringside-bench memory --series 5000 --rate 100000"),
        ])

    private static func run(_ options: MemoryOptions) throws -> Int32 {
        var counts = MemoryCounts(series: options.series, recordsPerSecond: options.recordsPerSecond)
        if options.isQuick { counts.minutes = [1, 2, 4] }
        let report = MemoryReport(host: Host(), run: try MemoryRun(counts: counts))
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
