import Arguments

/// The options of a run.
struct DemoOptions: Sendable {
    var botCount = 1
    var namePrefix = "demo"
    var isResumed = false
    var hasPauseMeter = false
    /// For each bot; 0 means as fast as it can.
    var eventsPerSecond = 1_000.0
    /// nil: until the feed ends or a signal comes.
    var durationNanoseconds: Int64?
    var seed: UInt64 = 1
    var ringDirectory: String?
    var feedPath: String?
    var isLooped = false
    var lingerNanoseconds: Int64 = 0
    var reportPath: String?
    var exactPath: String?
    var faults: [Fault] = []
    /// Whether the lively schedule is added to the faults.
    var isLively = false
    /// Whether commands are read from standard input.
    var takesCommands = false
    /// Where the page with buttons is served; nil: there is none.
    var page: LoopbackAddress?
    /// The collector whose page the buttons' page links to.
    var collectorURL = "http://127.0.0.1:8000"

    var noteTaking: NoteTaking {
        if exactPath != nil { return .everyValue }
        return reportPath == nil ? .none : .totals
    }
}

extension DemoOptions {
    static let command = Command(
        "ringside-demo", summary: "Runs market-making bots that measure themselves into rings.",
        details: """
            A bot plays a feed of order messages, generated from a seed or recorded in the LOBSTER message format, keeps \
            the order book, quotes at a simulated venue over a local socket, and records what its stages take. Where no \
            ring can be made it says so once and trades on without telemetry.

            KIND of a fault is disconnect (the feed is lost), bad-feed (one message in fifty is damaged), clock-skew \
            (the bot's clock is a second off, and it refuses the feed), burst (the feed sends as fast as the bot can take \
            it), model-failure (the signal's model fails), deadlock (its thread waits for a lock), slow-risk (a check \
            before each order takes 5 ms), loss-limit (the daily loss is above its limit), kill-switch, api-down (the \
            venue refuses connections), rate-limit (it takes ten orders a second) or slow-venue (it answers after 10 \
            ms). BOT is the number of the only bot that has the fault; without it all have it. START counts from the \
            beginning of the run. The fault lasts SECONDS, or to the end; with PERIOD it begins again after so many \
            seconds, each time.

            --lively is --fault 1:slow-venue@15+15/60 and, for the last bot, a burst of half a second at 80 s. With --lively and \
            with --ui the ring of the last bot is small, 16,384 records, so that a burst overwrites records that the \
            collector has not read.

            --ui serves a page with buttons: buy, sell, a slow risk check, a venue that is away, a burst, a stop for two seconds, a crash. \
            The bots run in a process of their own then, which it can stop, kill and start again. A command of \
            --commands is a line: buy BOT, sell BOT, or fault with a fault whose START counts from its arrival.

            Each bot trades a symbol of its own; a recording's is the start of its file's name.

            SIGTERM and SIGINT end a run early and cleanly: the report is written, and nothing lingers.
            """,
        defaults: DemoOptions(),
        options: tradingOptions + ringOptions + controlOptions + outputOptions,
        examples: [
            Example("One bot at 1,000 messages a second until Ctrl-C", "ringside-demo"),
            Example("Four bots for 20 seconds", "ringside-demo --bots 4 --rate 20000 --duration 20 --report demo.json"),
            Example("A recording, as fast as it goes", "ringside-demo --feed messages.csv --rate 0"),
            Example("An alert that fires and resolves", "ringside-demo --fault api-down@10+15 --duration 60"),
            Example(
                "The second of three bots has a slow venue, for 10 s of every minute",
                "ringside-demo --bots 3 --fault 2:slow-venue@20+10/60"),
            Example("Three bots and a page with buttons", "ringside-demo --bots 3 --ui 127.0.0.1:8010"),
        ])

    private static var tradingOptions: [Option<DemoOptions>] {
        [
            .value("bots", letter: "b", "N", \.botCount, .integer(in: 1...64), help: "Bots, a thread and a ring each"),
            .value(
                "rate", letter: "r", "EVENTS_PER_SECOND", \.eventsPerSecond, .number(in: 0...10_000_000),
                help: "Messages of each bot's feed, in an open loop; 0 is as fast as it can"),
            .value(
                "duration", letter: "d", "SECONDS", \.durationNanoseconds, .seconds,
                help: "How long to trade; without it until the feed ends or a signal comes"),
            .value("seed", "N", \.seed, .integer(in: 0...), help: "Seed of the generated feed"),
            .value("feed", "FILE", \.feedPath, .text, help: "LOBSTER message file to play instead"),
            .flag("loop", \.isLooped, help: "Begin the file anew at its end"),
            .values(
                "fault", Fault.form, \.faults, .fault,
                help: "Make something go wrong, at START seconds"),
            .flag("lively", \.isLively, help: "Make something go wrong once a minute; see below"),
        ]
    }

    private static var ringOptions: [Option<DemoOptions>] {
        [
            .value(
                "name", "PREFIX", \.namePrefix, .ringNamePrefix,
                help: "Rings are PREFIX1, PREFIX2 and so on"),
            .value(
                "ring-dir", "DIR", \.ringDirectory, .text,
                help: "Where the rings are made; default $RINGSIDE_DIR, else /dev/shm"),
            .flag(
                "pause-meter", \.hasPauseMeter,
                help: "Measure how long the process is kept from running, into the ring PREFIX1.pause"),
            .flag("resume", \.isResumed, help: "Go on with the rings of an earlier run instead of fresh ones"),
        ]
    }

    private static var controlOptions: [Option<DemoOptions>] {
        [
            .value(
                "ui", "ADDRESS:PORT", \.page, .loopbackAddress,
                help: "Serve a page with buttons for the bots, to this machine only; port 0 takes a free one"),
            .value(
                "collector", "URL", \.collectorURL, .collectorURL, help: "The collector whose page that page links to"),
            .flag("commands", \.takesCommands, help: "Take commands on standard input, whose end ends the run"),
        ]
    }

    private static var outputOptions: [Option<DemoOptions>] {
        [
            .value(
                "linger", "SECONDS", \.lingerNanoseconds, .seconds,
                help: "Stay attached and silent at the end, so that others can read the final state"),
            .value("report", "FILE", \.reportPath, .text, help: "Write what was emitted as JSON, before lingering"),
            .value(
                "exact", "FILE", \.exactPath, .text,
                help: "Write every histogram value as a line, before lingering; 8 bytes of memory each until then"),
        ]
    }
}

extension ValueReader where Value == Int64 {
    /// Reads seconds with or without decimals, kept in nanoseconds.
    fileprivate static var seconds: ValueReader {
        ValueReader(
            expecting: "seconds from 0 to 1000000000, such as 20 or 0.5", limits: "0 or more",
            show: { $0 % 1_000_000_000 == 0 ? "\($0 / 1_000_000_000)" : "\(Double($0) / 1e9)" }
        ) { text in
            guard let seconds = Double(text), (0...1e9).contains(seconds) else { return nil }
            return Int64(seconds * 1e9)
        }
    }
}

extension ValueReader where Value == String {
    /// Reads the start of a ring's name, which a number completes: a letter or digit, then also `_` and `-`.
    fileprivate static var ringNamePrefix: ValueReader {
        ValueReader(expecting: "up to 60 letters, digits, '_' and '-', the first a letter or digit") { text in
            let isNameByte = { (byte: UInt8) in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            guard let first = text.utf8.first, isNameByte(first), text.utf8.count <= 60 else { return nil }
            return text.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
                ? text : nil
        }
    }
}

extension ValueReader where Value == Fault {
    fileprivate static var fault: ValueReader {
        let kinds = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
        return ValueReader(
            expecting: "\(Fault.form) such as api-down@5+2.5 or 2:slow-venue@15+15/60, KIND being one of \(kinds)"
        ) {
            Fault($0)
        }
    }
}

extension ValueReader where Value == LoopbackAddress {
    fileprivate static var loopbackAddress: ValueReader {
        ValueReader(expecting: "an address of this machine alone and a port, such as 127.0.0.1:8010 or [::1]:8010") {
            LoopbackAddress($0)
        }
    }
}

extension ValueReader where Value == String {
    /// Reads a URL of printable ASCII, without the slash at its end.
    fileprivate static var collectorURL: ValueReader {
        ValueReader(expecting: "a URL such as http://127.0.0.1:8000") { text in
            let isWeb = ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
            guard isWeb, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}
