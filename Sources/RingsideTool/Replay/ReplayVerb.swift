internal import Arguments
internal import Configuration
internal import Drain
internal import Exposition
internal import Platform
internal import RingReader

struct ReplayOptions: Sendable {
    var captures: [RingOperand] = []
    var configurationPath: String?
    var end = ReplayEnd.lastRecord
    var intervalNanoseconds: Int64?
    var logLevel = LogLevel.info
}

/// Where a replay stops.
enum ReplayEnd: Sendable {
    case lastRecord
    case after(nanoseconds: Int64)

    var limit: Int64? {
        if case .after(let nanoseconds) = self { nanoseconds } else { nil }
    }
}

/// `ringside replay`: captured rings once more through the collector's drain, windows, objectives and alerts.
enum ReplayVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside replay",
        summary: "Runs captures once more through windows, objectives and alerts, by their own time.",
        details: """
            Shows, as one JSON document, what /latest would have answered at the captures' last record. Time is the records' \
            own: a record without one has that of the record before it, and nothing of this machine or of now is in the \
            output: twice, here or elsewhere, it is the same to the byte. Captures of several rings, as of a bot's lanes, \
            are replayed together.
            Objectives and alerts go by the configuration, else the ready-made ones hold; their changes are told on standard \
            error, with the time at which they fell. So is every loss: what the bot had overwritten before the capture was \
            taken is lost as before_attach.
            Counters and gauges are cells of which a capture has the last value alone: their rates and windows are null, and \
            rules on them find something at the end only. A bot that had ended when it was captured goes down after its last \
            record. 'rings' of the configuration has no say.
            """,
        defaults: ReplayOptions(),
        options: [
            .value(
                "config", "FILE", \.configurationPath, .text,
                help: "Windows, quantiles, metric rules, objectives and alerts, as ringsided takes them"),
            .value(
                "at", "WHEN", \.end, end,
                help: "When it stops: end, or so long after the first record, as in 90s"),
            .value(
                "every", "DURATION", \.intervalNanoseconds, .duration(in: 10_000_000...86_400_000_000_000),
                help: "Also show every so much of the records' time: one document a line"),
            .value("log.level", "LEVEL", \.logLevel, .choice, help: "The least severe message that is told"),
        ],
        operands: [
            .rest(
                "CAPTURE", \.captures, RingOperand.reader, isRequired: true, help: "A file that 'ringside capture' made"
            )
        ],
        examples: [
            Example("What a bot's figures were when it was captured", "ringside replay incident.capture"),
            Example(
                "When the p99 of a stage rose, second by second",
                "ringside replay incident.capture --every 1s | jq '[.time, (.bots[0].metrics[] | select(.name == "
                    + "\"decide_seconds\").windows[\"1s\"].p99)]'"),
            Example(
                "Whether other thresholds would have fired", "ringside replay alpha.capture --config tighter.json5"),
        ])

    private static let end = ValueReader<ReplayEnd>(
        expecting: "end, or a duration such as 90s",
        show: { if case .after(let nanoseconds) = $0 { durationText(nanoseconds) } else { "end" } },
        read: { text in
            if text == "end" { return .lastRecord }
            return ValueReader<Int64>.duration().value(of: text).map { .after(nanoseconds: $0) }
        })

    private static func run(_ options: ReplayOptions) throws -> Int32 {
        let configuration = try options.configurationPath.map { try ConfigurationFile.read($0) } ?? Configuration()
        let replay = try Replay(
            try options.captures.map { try open($0) }, configuration: configuration, version: Release.version,
            logLevel: options.logLevel)
        try replay.run(until: options.end.limit, every: options.intervalNanoseconds) { snapshot in
            try Terminal.output(json: LatestJSON.render(snapshot, quantiles: configuration.quantiles))
        }
        for refusal in replay.refusals { Terminal.report("ringside replay: \(refusal.ring): \(refusal.reason)") }
        for loss in replay.losses {
            Terminal.report("ringside replay: \(loss.ring): \(loss.records) records lost: \(loss.reason.rawValue)")
        }
        return 0
    }

    private static func open(_ operand: RingOperand) throws -> Capture {
        switch operand {
        case .file(let path): try Capture(path: path)
        case .name(let name):
            throw FileError(
                "\(name) is a ring; 'ringside capture \(name)' makes a capture of it, which can be replayed")
        }
    }
}
