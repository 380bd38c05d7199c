internal import Arguments
internal import Configuration
internal import Drain
internal import Exposition
internal import Glibc
internal import Platform
internal import RingReader

struct ReplayOptions: Sendable {
    var captures: [RingOperand] = []
    var configurationPath: String?
    var end = ReplayEnd.lastRecord
    var intervalNanoseconds: Int64?
    var logLevel = LogLevel.info
}

/// The end of a replay.
enum ReplayEnd: Sendable {
    case lastRecord
    case after(nanoseconds: Int64)

    var limit: Int64? {
        if case .after(let nanoseconds) = self { nanoseconds } else { nil }
    }
}

/// `ringside replay`: runs captured rings through the collector's drain, windows, objectives and alerts again.
enum ReplayVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside replay",
        summary: "Runs captures once more through windows, objectives and alerts, by their own time.",
        details: """
            Shows, as one JSON document, what /latest would have answered at the captures' last record. Time is the \
            records' own, and a record without one has the time of the record before it. The output depends on the \
            captures and the configuration alone: every replay gives the same bytes, on any machine. Captures of \
            several rings, such as a bot's lanes, are replayed together.
            Objectives and alerts are those of the configuration, else the ready-made ones. Their changes are \
            reported on standard error, each with its time. So is every loss: records that the bot had overwritten \
            before the capture are lost as before_attach.
            A capture has only the last value of counters and gauges: their rates and windows are null, and rules on \
            them are evaluated at the end only. A bot that had ended when it was captured goes down after its last \
            record. 'rings' of the configuration is ignored.
            """,
        defaults: ReplayOptions(),
        options: [
            .value(
                "config", "FILE", \.configurationPath, .file,
                help: "A configuration of ringsided: its windows, quantiles, metric rules, objectives and alerts"),
            .value(
                "at", "WHEN", \.end, end,
                help: "Where to stop: end, or a time after the first record, such as 90s"),
            .value(
                "every", "DURATION", \.intervalNanoseconds, .duration(in: 10_000_000...86_400_000_000_000),
                help: "Also show a document, one a line, at this interval of the records' time"),
            .value("log.level", "LEVEL", \.logLevel, .choice, help: "The least severe message that is logged"),
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
                """
                ringside replay incident.capture --every 1s |
                      jq -c '[.time, (.bots[0].metrics[] | select(.name == "decide_seconds").windows["1s"].p99)]'
                """),
            Example(
                "Whether other thresholds would have fired", "ringside replay alpha.capture --config tighter.json5"),
        ])

    private static let end = ValueReader<ReplayEnd>(
        expecting: "end, or a duration such as 90s",
        words: ["end"],
        show: { if case .after(let nanoseconds) = $0 { durationText(nanoseconds) } else { "end" } },
        read: { text in
            if text == "end" { return .lastRecord }
            return ValueReader<Int64>.duration().value(of: text).map { .after(nanoseconds: $0) }
        })

    private static func run(_ options: ReplayOptions) throws -> Int32 {
        let configuration =
            try options.configurationPath.map { try ConfigurationFile.read($0) } ?? CollectorConfiguration()
        let replay = try Replay(
            try options.captures.map { try open($0) }, configuration: configuration, version: Release.version,
            logLevel: options.logLevel)
        let line = ProgressLine("ringside replay", .time)
        try replay.run(until: options.end.limit, every: options.intervalNanoseconds) { done, all in
            line.show(done, of: all)
        } show: { snapshot in
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
        case .file(let path): return try RingOperand.openCapture(path)
        case .name(let name):
            try RingOperand.refuseFile(named: name)
            throw refusal(of: name, in: RingDirectory())
        }
    }

    /// Returns the error for a name. A ring cannot be replayed while it is written, and a name that no ring has is most
    /// often a typing error.
    private static func refusal(of name: RingName, in directory: RingDirectory) -> any Error {
        let rings = ((try? directory.ringNames()) ?? []).filter {
            $0 == name || name.lane.isEmpty && $0.bot == name.bot
        }
        guard let ring = rings.first else { return NoSuchName.captureOrRing(name, in: directory) }
        let what = ring == name ? "is a ring" : "has the rings \(rings.map { "\($0)" }.joined(separator: ", "))"
        return FileError("\(name) \(what); 'ringside capture \(ring)' makes a capture of it, which can be replayed")
    }
}
