internal import Arguments

struct PeersOptions: Sendable {
    var rounds = 10
    var isQuick = false
    var format = OutputFormat.text
    var sources = PeerSources.ownFolder
}

/// `ringside-bench peers`: compares our calls with those of other libraries.
enum PeersVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench peers", summary: "Sets our calls beside those of other libraries, measured in turn.",
        details: """
            boost::lockfree::spsc_queue, moodycamel::ReaderWriterQueue, ZeroMQ, LTTng-UST, spdlog, prometheus-cpp, \
            HdrHistogram_c, SQLite, and from Python prometheus_client, statsd, DDSketch and Apache DataSketches: each in a program of its own, which answers one round at a time between rounds of \
            ours. The C++ programs are built with c++ -O3 -march=native when they are first needed, into a folder beside \
            this program. A library that is not installed is named as absent; tools/setup --peers installs them all.
            """,
        defaults: PeersOptions(),
        options: [
            .value("rounds", "N", \.rounds, .integer(in: 1...1000), help: "Rounds, whose medians are shown"),
            .flag("quick", \.isQuick, help: "Two rounds of fewer calls"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
            .value("sources", "DIR", \.sources, .text, help: "Where the peer programs' sources lie"),
        ],
        examples: [
            Example("The table", "ringside-bench peers"),
            Example("The ratios alone", "ringside-bench peers --format json | jq .ratios"),
        ])

    private static func run(_ options: PeersOptions) throws -> Int32 {
        let counts = options.isQuick ? PeerCounts(loop: 50_000, paced: 10_000) : PeerCounts()
        let run = try PeersRun(
            rounds: options.isQuick ? min(2, options.rounds) : options.rounds, counts: counts,
            sources: PeerSources(folder: options.sources))
        let report = PeersReport(host: Host(), run: run)
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
