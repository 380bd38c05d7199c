internal import Arguments

struct CollectorOptions: Sendable {
    var seconds = 6.0
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench collector`: measures the cost of the collector beside the bots.
enum CollectorVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench collector", summary: "Measures what a collector takes: processor, memory, time of a scrape.",
        details: """
            Starts the ringsided that lies beside this program, on a port and a ring directory of its own, and loads it: \
            none into 5,000 series, 10,000, 100,000 and 1,000,000 records a second into 100 series, then 100,000 a second \
            into 10, 100, 1,000, 5,000 and 10,000 series, spread over four bots. The drain alone is measured first, so that \
            each figure is also a multiple of what it takes a record.
            """,
        defaults: CollectorOptions(),
        options: [
            .value("seconds", "SECONDS", \.seconds, .number(in: 0.5...3600), help: "How long each load is measured"),
            .flag("quick", \.isQuick, help: "Shorter loads"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("The table", "ringside-bench collector"),
            Example("A long look, for a script", "ringside-bench collector --seconds 60 --format json | jq .by_rate"),
        ])

    private static func run(_ options: CollectorOptions) throws -> Int32 {
        let counts = CollectorCounts(
            seconds: options.isQuick ? min(0.7, options.seconds) : options.seconds, scrapes: options.isQuick ? 3 : 11)
        let report = CollectorReport(host: Host(), run: try CollectorRun(counts: counts))
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
