internal import Arguments
internal import Glibc
internal import RingReader

struct TailOptions: Sendable {
    var ring: RingOperand?
    var ringDirectory: String?
    var start: TailStart?
    var count: UInt64?
    var trace: UInt64?
    var lingerNanoseconds: Int64 = 1_000_000_000
    var format = OutputFormat.text
}

/// Which record a tail begins with.
enum TailStart: String, CaseIterable, Sendable {
    /// The oldest that the ring still holds.
    case oldest
    /// The next that is written.
    case now
}

/// `ringside tail`: records as they are written.
enum TailVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside tail", summary: "Shows records as they are written, or those that one order left behind.",
        details: """
            NAME without a dot means a bot: its lanes, those that appear later too, are merged by the records' times, and a \
            record is shown 10 ms after it was written, so that a slower lane finds its place. A record without a time \
            stands after the one before it in its ring. With --trace and no NAME all rings are searched.
            It ends when every ring has been closed or its bot has died, and all that they held is shown; a new ring under \
            the same name is gone on with. A file is read from its oldest record to its end. The bot notices nothing; a \
            reader too slow for it loses the oldest records, and is told how many.
            JSON has one object a line: bot, lane, sequence, time (RFC 3339 in UTC, or null), metric, labels, value (durations \
            in seconds), weight (the calls it stands for), failed, trace_id (16 hexadecimal digits, or null); and where \
            records were lost bot, lane, lost and reason: lapped, corrupt or unknown_metric. In text, times are local and \
            losses are told on standard error. The exit status is 1 where a ring was truncated or overwritten meanwhile.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: TailOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .text, help: "Where the rings lie"),
            .value(
                "from", "WHERE", \.start, .choice,
                help: "The first record shown: the oldest held, or the next written (default now, for a file oldest)"),
            .value("count", letter: "n", "N", \.count, .integer(in: 1...), help: "End after so many records"),
            .value(
                "trace", "ID", \.trace, traceID,
                help:
                    "Only records of this trace: decimal, 0x and hexadecimal, or 16 hexadecimal digits as they are shown"
            ),
            .value(
                "linger", "DURATION", \.lingerNanoseconds, .duration(in: 0...86_400_000_000_000),
                help: "How long a bot that ended is waited for, as while it restarts"),
            .value("format", "FORMAT", \.format, .choice, help: "How records are written"),
        ],
        operands: [.optional("NAME|FILE", \.ring, RingOperand.reader, help: RingOperand.help)],
        examples: [
            Example("What a bot does now", "ringside tail alpha"),
            Example("One order's way through all lanes", "ringside tail alpha --trace 42 --from oldest"),
            Example(
                "Slow decisions, for a script",
                "ringside tail alpha --format json | jq -c 'select(.metric == \"decide_seconds\" and .value > 1e-3)'"),
        ])

    private static let traceID = ValueReader<UInt64>(
        expecting: "a trace id: decimal, 0x and hexadecimal digits, or 16 hexadecimal digits; not 0"
    ) { text in
        let id =
            text.hasPrefix("0x")
            ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text, radix: text.utf8.count == 16 ? 16 : 10)
        return id == 0 || text.contains("+") ? nil : id
    }

    private static func run(_ options: TailOptions) throws -> Int32 {
        guard options.ring != nil || options.trace != nil else {
            Terminal.report("ringside tail: NAME is missing, and no --trace is given; see 'ringside tail --help'")
            return 2
        }
        // A reader that went away is told by write(2), and ends the tail like any other end.
        signal(SIGPIPE, SIG_IGN)
        let writer: any TailWriter = options.format == .json ? TailJSON() : TailText()
        let rings = try TailRings(options)
        if rings.startsInSilence {
            Terminal.report("ringside tail: nobody writes there; --from oldest shows what is held")
        }
        var tail = Tail(rings, writer, options)
        try tail.run()
        return tail.isWhole ? 0 : 1
    }
}
