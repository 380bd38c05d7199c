internal import Arguments
internal import RingReader

struct ForgetOptions: Sendable {
    var collector = CollectorChoice()
    var bot = ""
}

/// `ringside forget`: has a collector let go of a bot that is gone.
enum ForgetVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside forget", summary: "Has the collector forget a bot that is gone: its series leave.",
        details: """
            The bot's series, objectives and alerts leave the collector's memory, its exports and its state; the history keeps \
            what it has by its own retention. A bot that runs is refused. Rings stay where they are: a forgotten bot that \
            comes back is read on from where reading ended. By itself the collector forgets a bot whose rings are removed \
            after a day, and every other that is gone after 30 days (forget_removed_after and forget_after of its \
            configuration).
            The exit status is 1 where the bot is unknown or runs.
            """,
        defaults: ForgetOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers"),
        operands: [.one("BOT", \.bot, .text, help: "The bot, without a lane")],
        examples: [Example("A run that is over", "ringside forget backtest-0817")])

    private static func run(_ options: ForgetOptions) throws -> Int32 {
        guard let name = RingName(options.bot), name.lane.isEmpty else {
            throw CollectorError(description: "'\(options.bot)' is no bot's name; a bot is named without its lane")
        }
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside forget"))
        let answer = try client.post("/-/forget?bot=\(name.bot)")
        try Terminal.output(String(decoding: answer, as: UTF8.self))
        return 0
    }
}
