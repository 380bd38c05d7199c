internal import Arguments

struct BotOptions: Sendable {
    var rounds = 10
    var seconds = 3.0
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench bot`: measures the cost that telemetry adds to a whole bot.
enum BotVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench bot", summary: "Measures what telemetry adds to a whole bot, a message.",
        details: """
            Runs the ringside-demo that lies beside this program at full speed, in turn without telemetry, with all of it \
            disabled, with one call in ten, and with all; and sets what is added to a message against what the calls that \
            a message makes cost one by one.
            """,
        defaults: BotOptions(),
        options: [
            .value("rounds", "N", \.rounds, .integer(in: 1...1000), help: "Rounds, whose medians are shown"),
            .value("seconds", "SECONDS", \.seconds, .number(in: 0.2...3600), help: "How long each bot runs"),
            .flag("quick", \.isQuick, help: "Fewer and shorter rounds"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [Example("The table", "ringside-bench bot")])

    private static func run(_ options: BotOptions) throws -> Int32 {
        let run = try BotRun(
            rounds: options.isQuick ? min(3, options.rounds) : options.rounds,
            seconds: options.isQuick ? min(0.7, options.seconds) : options.seconds, isQuick: options.isQuick)
        let report = BotReport(host: Host(), run: run)
        switch options.format {
        case .text: try Output.text(report.text)
        case .json: try Output.json(report.write)
        }
        return 0
    }
}
