internal import Arguments

struct EmissionOptions: Sendable {
    var rounds = 15
    var isQuick = false
    var format = OutputFormat.text
    var plot: String?
}

/// `ringside-bench emission`: measures the cost of every call to the bot, beside the machine's own cost.
enum EmissionVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench emission", summary: "Measures what each call costs a bot, beside the machine's own floor.",
        details: """
            Every call is measured in a tight loop without a reader; as one function call every 500 ns with a reader that comes every 50 us, \
            call by call; and with the caches emptied before it. The floors are measured in the same rounds: four 8-byte \
            stores, one and two clock reads, and for each call the best C that does the same work. Means are medians over slices of 1,000 calls, so that a moment \
            in which the system takes the processor away spoils one slice; percentiles are over all calls of all rounds.
            Two processors are used where there are two: the first for the bot, the last for the reader.
            """,
        defaults: EmissionOptions(),
        options: [
            .value("rounds", "N", \.rounds, .integer(in: 1...1000), help: "Rounds, whose medians are shown"),
            .flag("quick", \.isQuick, help: "Fewer rounds of fewer calls: some ten seconds"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
            .value(
                "plot", "FILE", \.plot, .text,
                help: "Also writes an SVG of single calls: percentile against latency"),
        ],
        examples: [
            Example("The table", "ringside-bench emission"),
            Example("What a span costs, for a script", "ringside-bench emission --quick --format json | jq .calls"),
            Example("A picture of the tail", "ringside-bench emission --plot emission.svg"),
        ])

    private static func run(_ options: EmissionOptions) throws -> Int32 {
        let subjects = try Subjects(in: ScratchDirectory())
        let counts = options.isQuick ? EmissionCounts(loop: 200_000, paced: 20_000, cold: 100) : EmissionCounts()
        let run = EmissionRun(
            subjects, rounds: options.isQuick ? min(5, options.rounds) : options.rounds, counts: counts)
        let report = EmissionReport(host: Host(), run: run)
        if let plot = options.plot { try Output.file(plot, LatencyPlot(report).svg) }
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
