internal import Arguments
internal import Platform
internal import RingReader

struct TopOptions: Sendable {
    var collector = CollectorChoice()
    var ringDirectory: String?
    var window = TopWindow.fiveSeconds
    var bots: [String] = []
    var metric = ""
    /// Empty: no ranking by a label.
    var label = ""
    /// nil: the order of registration, or p99 if a label is ranked by.
    var sort: RankingFigure?
    var intervalNanoseconds: Int64 = 1_000_000_000
    var durationNanoseconds: Int64?
    var isOnce = false

    var conflict: String? {
        isOnce && durationNanoseconds != nil ? "--once and --duration exclude each other" : collector.conflict
    }
}

enum TopWindow: String, CaseIterable, Sendable {
    case oneSecond = "1s"
    case fiveSeconds = "5s"
    case oneMinute = "1m"
}

/// `ringside top`: shows the collector's view of every bot, repeatedly.
enum TopVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside top", summary: "Shows the percentiles of every bot as they change.",
        details: """
            On a terminal it is a screen that obeys keys: ? shows them, q quits, / filters by name, s ranks by another \
            figure, w takes another window, space pauses, arrows scroll. Where it is narrow, columns go in this order: \
            MAX, LOST, PER S, BOT; the percentiles stay. UNIT is one for all instruments of a kind, so that the \
            slowest stands out. A mark behind the percentiles says that records of the window were lost (!), or that it \
            is not complete yet (+). Elsewhere, and with --once, one table follows the other; LOST counts the records \
            that are missing from the window, with a + where it is not complete.
            Instruments without a record in the window are left out.
            Where no collector answers at the beginning, the rings themselves are read: a line says so, the figures \
            begin with the records that the rings hold, and those of a collector come as soon as one answers. The rings \
            do not stand in for a collector of another machine, unless --ring-dir names them.
            While a collector that answered before does not, as during its restart, the last tables stay, with a line \
            that says how old they are, and it is asked again at each interval.
            The exit status is 1 where neither a collector nor a ring gives figures at the beginning, where the \
            collector does not answer at the end of --duration, where there is no bot of --bot, and where there is no \
            histogram with the text of --metric or the label of --by.
            """,
        defaults: TopOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "Where the collector answers") + [
            .value(
                "ring-dir", "DIR", \.ringDirectory, .folder,
                help: """
                    Where the rings lie that are read if no collector answers (default $RINGSIDE_DIR, else /dev/shm)
                    """),
            .value("window", "WINDOW", \.window, .choice, help: "The sliding window shown"),
            .values("bot", "NAME", \.bots, .text.naming(.bots), help: "A bot to show; without it all"),
            .value(
                "metric", "TEXT", \.metric, .text.naming(.metrics),
                help: "Show instruments whose names hold this text"),
            .value(
                "by", "LABEL", \.label, .text,
                help: "Show the instruments that have this label, each with its slowest value first"),
            .value(
                "sort", "FIGURE", \.sort, .choice,
                help: "The figure that ranks, highest first; p99 with --by, else the order of registration"),
            .value(
                "interval", "DURATION", \.intervalNanoseconds, .duration(in: 100_000_000...3_600_000_000_000),
                help: "Time between two tables"),
            .value(
                "duration", "SECONDS", \.durationNanoseconds, .duration(bareNumberIsSeconds: true),
                help: "End after this time; without it at Ctrl-C"),
            .flag("once", \.isOnce, help: "Print one table, not cut to the terminal, and end"),
        ],
        examples: [
            Example("All bots of this machine", "ringside top"),
            Example("The order path of one bot over a minute", "ringside top --bot alpha --metric orders_ --window 1m"),
            Example("The slowest symbol", "ringside top --by symbol"),
            Example("The figures of now, for a message", "ringside top --once"),
        ], conflict: \.conflict)

    private static func run(_ options: TopOptions) throws -> Int32 {
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside top"))
        let started = monotonicNow()
        let source = TopSource(
            client, bots: options.bots, directory: RingDirectory(path: options.ringDirectory),
            mayReadRings: client.access.isOfThisMachine || options.ringDirectory != nil)
        let first = try source.latest()
        let choice = TopChoice(bots: options.bots, metric: options.metric, place: source.place)
        if !options.isOnce, TerminalScreen.isPossible, choice.missing(in: first).isEmpty {
            _ = try choice.bots(of: first)
            if let screen = TerminalScreen() {
                let feed = try TopFeed(source, first: first, intervalNanoseconds: options.intervalNanoseconds)
                return TopSession(feed: feed, options: options, choice: choice).run(screen)
            }
        }
        return try runTables(options, choice, source, first: first, started: started)
    }

    /// Prints one table after the other, until the end of `--duration`.
    private static func runTables(
        _ options: TopOptions, _ choice: TopChoice, _ source: TopSource, first: CollectorView, started: Int64
    ) throws -> Int32 {
        let end = options.durationNanoseconds.map { started + $0 }
        let tables = TopTables(options, choice)
        let missing = choice.missing(in: first)
        try tables.show(first, since: nil, remark: source.remark)
        for bot in missing { Terminal.report("ringside top: \(source.place) knows no bot '\(bot.printable)'") }
        if options.isOnce { return 0 }
        var next = started
        var previous = first
        var silence: CollectorError?
        while true {
            // Intervals that passed while a collector did not answer are left out.
            next = max(next + options.intervalNanoseconds, monotonicNow())
            let wake = min(next, end ?? next)
            if let end, wake >= end, wake <= monotonicNow() { break }
            sleep(untilMonotonic: wake)
            do {
                let place = source.place
                let view = try source.latest()
                try tables.show(view, since: source.place == place ? previous : nil, remark: source.remark)
                (previous, silence) = (view, nil)
            } catch let error as CollectorError {
                try tables.show(previous, isNewlySilent: silence == nil, because: error)
                silence = error
            }
            if let end, monotonicNow() >= end { break }
        }
        if let silence { throw silence }
        return 0
    }
}
