internal import Arguments

struct ScrapeOptions: Sendable {
    var rounds = 15
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench scrape`: measures the collector's cost of a scrape.
enum ScrapeVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench scrape", summary: "Measures what a scrape of many histograms takes.",
        details: """
            100, 1,000 and 4,000 histograms of four bots, with durations from 1 us to 1 ms, are drained by the collector's own \
            agent; then a snapshot is taken and written out in each format. The network and the scraper's own reading are left \
            out: ringside-bench collector has them.
            """,
        defaults: ScrapeOptions(),
        options: [
            .value(
                "rounds", "N", \.rounds, .integer(in: 1...1000), help: "Scrapes of each kind, whose median is shown"),
            .flag("quick", \.isQuick, help: "Fewer rounds and series"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("The table", "ringside-bench scrape"),
            Example(
                "A thousand histograms, for a script",
                "ringside-bench scrape --format json | jq '.points[] | select(.series == 1000)'"),
        ])

    private static func run(_ options: ScrapeOptions) throws -> Int32 {
        let counts =
            options.isQuick
            ? ScrapeCounts(rounds: min(3, options.rounds), series: [100, 1000])
            : ScrapeCounts(rounds: options.rounds)
        let report = ScrapeReport(host: Host(), run: try ScrapeRun(counts: counts))
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
