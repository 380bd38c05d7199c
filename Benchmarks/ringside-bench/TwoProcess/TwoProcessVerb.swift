internal import Arguments

struct TwoProcessOptions: Sendable {
    var seconds = 3.0
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench two-process`: measures a bot in this process and a collector in another.
enum TwoProcessVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench two-process",
        summary:
            "Measures a bot and a collector in two processes: how soon a record shows, and at which rate records are lost.",
        details: """
            Starts the ringsided that lies beside this program on a port of its own. First single records are written at \
            moments that have nothing to do with the collector's, and /latest is asked until it shows each; then records are \
            written at rates from 100,000 a second to all that can be, into one ring of the default size.
            """,
        defaults: TwoProcessOptions(),
        options: [
            .value("seconds", "SECONDS", \.seconds, .number(in: 0.1...3600), help: "How long each rate is held"),
            .flag("quick", \.isQuick, help: "Fewer records, fewer rates, each for a second"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("The table", "ringside-bench two-process"),
            Example(
                "What can be sustained",
                "ringside-bench two-process --format json | jq .sustainable_records_per_second"),
        ])

    private static func run(_ options: TwoProcessOptions) throws -> Int32 {
        var counts = TwoProcessCounts(secondsPerRate: options.seconds)
        if options.isQuick {
            counts = TwoProcessCounts(
                trials: 15, rates: [100_000, 1_000_000, 10_000_000, nil], secondsPerRate: min(1, options.seconds))
        }
        let report = TwoProcessReport(host: Host(), run: try TwoProcessRun(counts: counts))
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
