internal import Arguments
internal import Glibc
internal import History
internal import Platform

/// `ringside history`: shows what the collector kept of every minute.
enum HistoryVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside history", summary: "Shows, compares, backs up and exports what the collector kept of every minute.",
        details: """
            Without --metric the series are listed, each with the first and the last minute in which it has a value. \
            Each step of a metric is the exact merge of its minutes, and LOST is what its bot's rings lost \
            meanwhile. A step is not COMPLETE where the collector did not watch all of it, or something was lost.
            A time is Unix seconds, RFC 3339 (2026-01-31T12:00:00Z), now, or before now: -15m, -1h, -7d.
            A collector's own file, history.db in its state directory, can be read while it runs. Without --file and \
            --state-dir the collector is asked, and its answer includes the open minute. --backup, --openmetrics, \
            --compare and --by need the file.
            --compare shows for each histogram p50, p99 and p99.9 of both times, the difference with its 95 % \
            confidence interval (order statistics for each quantile, combined by MOVER; for independent values), the \
            time or amount saved (the fall of the mean times the later count), and how many values each time has. An \
            asterisk marks a difference whose interval leaves out 0.
            """,
        defaults: HistoryOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "The collector to ask") + [
            .value("state-dir", "DIR", \.stateDirectory, .folder, help: "The state directory whose history is read"),
            .value("file", "FILE", \.file, .file, help: "The history file, or a backup of one"),
            .value(
                "metric", letter: "m", "NAME", \.metric, .text.naming(.metrics),
                help: "The metric to show or to compare"),
            .value("bot", "NAME", \.bot, .text.naming(.bots), help: "Only this bot's series"),
            .values(
                "label", "NAME=VALUE", \.labels, LabelOperand.reader,
                help: "Only series with this label, the bot's constant ones included"),
            .value(
                "from", "TIME", \.from, HistoryOptions.timeReader,
                help: "Where the range begins (default -1h; for --openmetrics all)"),
            .value("to", "TIME", \.to, HistoryOptions.timeReader, help: "Where it ends (default now)"),
            .value(
                "step", "DURATION", \.step, HistoryOptions.stepReader,
                help: "Whole minutes (default a sixtieth of the range, 1m at least)"),
            .flag("mean", \.hasMean, help: "Show the means in --compare and --by too; json always has them"),
            .flag("merge", \.isMerged, help: "Merge all series found into one"),
            .value("format", "FORMAT", \.format, .choice, help: "How the result is written"),
            .value(
                "backup", "FILE", \.backup, .file,
                help: "Copy the history into a new file, even while it is written, and have SQLite check the copy"),
            .flag(
                "openmetrics", \.isOpenMetrics,
                help: "Write the range as OpenMetrics, for 'promtool tsdb create-blocks-from openmetrics'"),
            .value(
                "compare", "FROM..TO", \.compared, TimeRanges.reader,
                help:
                    "Compare this time with the operand's; or give both times in one argument, separated by a blank"
            ),
            .value(
                "by", "LABEL", \.label, .text,
                help:
                    "Compare the two values of this label that were seen last, such as version; with --label they are two anyway"
            ),
        ],
        operands: [
            .optional("FROM..TO", \.comparedWith, TimeRange.reader, help: "The later time of --compare")
        ],
        examples: [
            Example(
                "The order path over the last day, hour by hour",
                "ringside history --metric execution_order_submission_latency_seconds --from -1d --step 1h"),
            Example(
                "The effect of yesterday's change",
                "ringside history --state-dir ~/.local/state/ringside/8000 --compare '-2d..-1d -1d..now'"),
            Example("Two releases of a bot", "ringside history --state-dir DIR --bot alpha --by version"),
            Example("A copy of the live file", "ringside history --state-dir DIR --backup /backup/history.db"),
            Example(
                "Into Prometheus",
                """
                ringside history --state-dir DIR --openmetrics > h.om &&
                      promtool tsdb create-blocks-from openmetrics h.om data/
                """),
        ], conflict: \.conflict)

    private static func run(_ options: HistoryOptions) throws -> Int32 {
        guard let path = options.path else { return try ask(options) }
        let reader = try opened(path)
        if let copy = options.backup { return try backUp(reader, to: copy) }
        if options.isOpenMetrics { return try export(reader, options) }
        if let bot = options.bot, case let bots = try reader.bots(), !bots.contains(bot) {
            throw NoSuchName.bot([bot], at: "the history \(path)", among: bots)
        }
        if options.compared != nil || options.label != nil { return try HistoryCompareCommand(reader, options).run() }
        if let metric = options.metric {
            try refuse(metric, options, in: "the history \(path)") { try listing(of: reader, options) }
            return try HistoryMetricCommand(reader, options, metric).run()
        }
        try show(listing(of: reader, options), options)
        return 0
    }

    private static func listing(of reader: HistoryReader, _ options: HistoryOptions) throws -> [UInt8] {
        HistoryListJSON.render(try reader.atOneMoment { try reader.listing(options.listQuery) })
    }

    private static func opened(_ path: String) throws -> HistoryReader {
        guard access(path, F_OK) == 0 else {
            if errno == ENOENT {
                throw FileError(
                    "there is no history \(path); name the folder that a ringsided has as its --state-dir")
            }
            throw FileError("read the history", path, errno: errno)
        }
        do {
            return try HistoryReader(path: path)
        } catch {
            throw FileError("cannot read the history \(path): \(error)")
        }
    }

    /// Throws an error if a person asks for a metric that has no series. A program gets an empty answer, because a
    /// metric that its bot has registered and never used is not in a history either.
    private static func refuse(
        _ metric: String, _ options: HistoryOptions, in place: String, listing: () throws -> [UInt8]
    ) throws {
        guard options.format == .table else { return }
        let metrics = try HistoryListView(json: listing()).metrics
        if !metrics.contains(metric) { throw NoSuchName.metric(metric, in: place, among: metrics) }
    }

    /// Asks a collector, and shows its answer.
    private static func ask(_ options: HistoryOptions) throws -> Int32 {
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside history"))
        do {
            let answer = try client.answer("/stats/history" + arguments(options))
            if let metric = options.metric, try HistoryView(json: answer).series.isEmpty {
                try refuse(metric, options, in: "the history of \(client.address)") {
                    try client.answer("/stats/history")
                }
            }
            try show(answer, options)
        } catch let error as CollectorError {
            guard error.isAboutNothing, let bot = options.bot,
                let list = try? HistoryListView(json: client.answer("/stats/history"))
            else { throw error }
            throw NoSuchName.bot([bot], at: "the history of \(client.address)", among: list.bots)
        }
        return 0
    }

    /// Shows the answer for a metric, or the list if no metric was named.
    private static func show(_ answer: [UInt8], _ options: HistoryOptions) throws {
        switch options.format {
        case .json: try Terminal.output(json: answer)
        case .table where options.metric == nil: try Terminal.output(HistoryListView(json: answer).rendered())
        case .table: try Terminal.output(HistoryTable(try HistoryView(json: answer)).rendered())
        case .csv: try Terminal.output(HistoryTable.csvHead + HistoryTable(try HistoryView(json: answer)).csv())
        }
    }

    private static func arguments(_ options: HistoryOptions) -> String {
        var arguments: [(String, String)] = []
        if let metric = options.metric {
            arguments = [("metric", metric), ("from", options.from ?? "-1h"), ("to", options.to ?? "now")]
            if let step = options.step { arguments.append(("step", step)) }
            if options.isMerged { arguments.append(("merge", "1")) }
        }
        if let bot = options.bot { arguments.append(("bot", bot)) }
        arguments += options.labels.map { ("label.\($0.name)", $0.value) }
        return arguments.isEmpty ? "" : "?" + CollectorClient.query(arguments)
    }

    private static func backUp(_ reader: HistoryReader, to copy: String) throws -> Int32 {
        guard access(copy, F_OK) != 0 else { throw FileError("\(copy) is there already; name a new file") }
        let temporary = "\(copy).part"
        unlink(temporary)
        do {
            try reader.backUp(to: temporary)
        } catch {
            unlink(temporary)
            throw FileError("no backup in \(copy): \(error)")
        }
        guard rename(temporary, copy) == 0 else {
            let code = errno
            unlink(temporary)
            throw FileError("write", copy, errno: code)
        }
        let range = try reader.minutes().map {
            "from \(HistoryTable.time($0.lowerBound * 60)) to \(HistoryTable.time(($0.upperBound + 1) * 60))"
        }
        Terminal.report("ringside history: \(copy) is sound and holds the history \(range ?? "of no minute yet")")
        return 0
    }

    private static func export(_ reader: HistoryReader, _ options: HistoryOptions) throws -> Int32 {
        let minutes = try options.minutes(default: try reader.minutes())
        var export = HistoryOpenMetrics(reader, minutes: minutes) { try Terminal.output(bytes: $0) }
        let line = ProgressLine("ringside history", .things("metrics"))
        try export.run { line.show(UInt64($0), of: UInt64($1)) }
        if export.leftOut > 0 {
            Terminal.report("ringside history: \(export.leftOut) series left out: OpenMetrics has no such names")
        }
        return 0
    }
}
