internal import Arguments
internal import RingReader

struct ForgetOptions: Sendable {
    var collector = CollectorChoice()
    var bot = ""

    /// Accepts the name of a bot, which is a ring's name without a lane.
    static let botReader = ValueReader<String>(expecting: "a bot's name without a lane, such as alpha") { text in
        RingName(text).flatMap { $0.lane.isEmpty ? $0.bot : nil }
    }.naming(.bots)
}

/// `ringside forget`: makes a collector forget a bot that is gone.
enum ForgetVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside forget", summary: "Has the collector forget a bot that is gone: its series leave.",
        details: """
            The bot's series, objectives and alerts leave the collector's memory, its exports and its state; the \
            history keeps its data by its own retention. A running bot is refused. Rings stay where they are: when a \
            forgotten bot comes back, its ring is read from where reading ended. The collector itself forgets a bot \
            whose rings were removed after a day, and any other bot that is gone after 30 days (forget_removed_after \
            and forget_after of its configuration).
            The exit status is 1 where the bot is unknown or runs.
            """,
        defaults: ForgetOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers"),
        operands: [.one("BOT", \.bot, ForgetOptions.botReader, help: "The bot, without a lane")],
        examples: [Example("A run that is over", "ringside forget backtest-0817")],
        conflict: \.collector.conflict)

    private static func run(_ options: ForgetOptions) throws -> Int32 {
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside forget"))
        do {
            let answer = try client.post("/-/forget?bot=\(options.bot)")
            try Terminal.output(String(decoding: answer, as: UTF8.self))
        } catch let error as CollectorError {
            guard error.isAboutNothing else { throw error }
            // If the collector knows the bot, it refused for another reason.
            guard let bots = try? client.latest().bots.map(\.bot), !bots.contains(options.bot) else { throw error }
            throw NoSuchName.bot([options.bot], at: client.address, among: bots)
        }
        return 0
    }
}
