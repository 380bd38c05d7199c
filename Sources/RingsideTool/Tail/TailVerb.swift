internal import Arguments
internal import Glibc
internal import RingReader

struct TailOptions: Sendable {
    var ring: RingOperand?
    var ringDirectory: String?
    var start: TailStart?
    var count: UInt64?
    var trace: TraceQuery?
    var lingerNanoseconds: Int64 = 1_000_000_000
    var format = OutputFormat.text

    /// The contradiction between the options; nil for none.
    var conflict: String? {
        ring == nil && trace == nil ? "NAME|FILE is missing, and no --trace is given" : nil
    }
}

/// The record that a tail begins with.
enum TailStart: String, CaseIterable, Sendable {
    /// The oldest that the ring still holds.
    case oldest
    /// The next that is written.
    case now
}

/// `ringside tail`: shows records as they are written.
enum TailVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside tail", summary: "Shows records as they are written, or those that one order left behind.",
        details: """
            NAME without a dot means a bot: its lanes, including those that appear later, are merged by the records' \
            times. A record is shown 10 ms after its time, so that slower lanes fall into order. A record without a \
            time follows the one before it in its ring. With --trace the tail begins with the oldest record held, \
            and without NAME it searches all rings. --count ends it early.
            It ends when every ring has been closed or its bot has died, and all their records are shown; a new ring \
            under the same name is followed too. A file is read from its oldest record to its end. The bot is not \
            disturbed; a reader too slow for it loses the oldest records, and is told how many.
            JSON has one object a line: bot, lane, sequence, time (RFC 3339 in UTC, or null), metric, labels, value \
            (durations in seconds), weight (the calls that the record stands for), failed, trace_id (32 hexadecimal \
            digits, or null), span_id and parent_span_id (16, or null), and trace_lost if the ring has lost where the \
            trace came from (context) or the span's place in it (parent). Where records were lost it has bot, lane, lost \
            and reason: lapped, corrupt or unknown_metric. In text, times are local and losses are reported on standard \
            error. The exit status is 1 where a ring was truncated or overwritten meanwhile.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: TailOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the rings lie"),
            .value(
                "from", "WHERE", \.start, .choice,
                help:
                    "The first record shown: the oldest held, or the next written (default now; with --trace or a file oldest)"
            ),
            .value("count", letter: "n", "N", \.count, .integer(in: 1...), help: "End after so many records"),
            .value(
                "trace", "ID", \.trace, TraceQuery.reader,
                help:
                    "Only records of this trace: 32 hexadecimal digits as they are shown, a traceparent, or the bot's number (decimal, 0x and hexadecimal, or 16 hexadecimal digits)"
            ),
            .value(
                "linger", "DURATION", \.lingerNanoseconds, .duration(in: 0...86_400_000_000_000),
                help: "How long to wait for a bot that ended, for example while it restarts"),
            .value("format", "FORMAT", \.format, .choice, help: "How records are written"),
        ],
        operands: [.optional("NAME|FILE", \.ring, RingOperand.reader, help: RingOperand.help)],
        examples: [
            Example("What a bot does now", "ringside tail alpha"),
            Example("One order's way through all lanes", "ringside tail alpha --trace 42"),
            Example(
                "Slow decisions, for a script",
                """
                ringside tail alpha --format json |
                      jq -c 'select(.metric == "decide_seconds" and .value > 1e-3)'
                """),
        ], conflict: \.conflict)

    private static func run(_ options: TailOptions) throws -> Int32 {
        // With SIGPIPE ignored, write(2) reports that the reader has gone, and the tail ends like any other.
        signal(SIGPIPE, SIG_IGN)
        let writer: any TailWriter = options.format == .json ? TailJSON() : TailText()
        let rings = try TailRings(options)
        if rings.startsInSilence {
            Terminal.report("ringside tail: no bot writes there; --from oldest shows the records held")
        }
        var tail = Tail(rings, writer, options)
        try tail.run()
        return tail.isWhole ? 0 : 1
    }
}
