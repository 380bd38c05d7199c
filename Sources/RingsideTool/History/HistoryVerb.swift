internal import Arguments
internal import FoundationEssentials
internal import Glibc
internal import History

/// `ringside history`: what the collector kept of every minute.
enum HistoryVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside history", summary: "Shows, compares, backs up and exports what the collector kept of every minute.",
        details: """
            Without --metric the series are listed. Each step of a metric is the exact merge of its minutes, and LOST says what its \
            bot's rings lost meanwhile; a step that the collector did not watch whole, or in which something was lost, is not \
            COMPLETE.
            A time is Unix seconds, RFC 3339 (2026-01-31T12:00:00Z), now, or before now: -15m, -1h, -7d.
            A collector's own file, history.db in its state directory, can be read while it runs; without --file and --state-dir the \
            collector is asked, and its open minute is then there too. --backup, --openmetrics, --compare, --by and the list need the file.
            --compare shows for each histogram the counts, p50, p99 and p99.9 of both times, the difference with its 95 % confidence \
            interval (order statistics for each quantile, combined by MOVER; for values that are independent), and what it was \
            worth: the fall of the mean times the later count. An asterisk marks a difference whose interval leaves out 0.
            """,
        defaults: HistoryOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "The collector to ask") + [
            .value("state-dir", "DIR", \.stateDirectory, .text, help: "The state directory whose history is read"),
            .value("file", "FILE", \.file, .text, help: "The history file, or a backup of one"),
            .value("metric", letter: "m", "NAME", \.metric, .text, help: "The metric to show or to compare"),
            .value("bot", "NAME", \.bot, .text, help: "Only this bot's series"),
            .values(
                "label", "NAME=VALUE", \.labels, LabelOperand.reader,
                help: "Only series with this label, the bot's constant ones included"),
            .value("from", "TIME", \.from, .text, help: "Where the range begins (default -1h; for --openmetrics all)"),
            .value("to", "TIME", \.to, .text, help: "Where it ends (default now)"),
            .value(
                "step", "DURATION", \.step, .text, help: "Whole minutes (default a sixtieth of the range, 1m at least)"),
            .flag("merge", \.isMerged, help: "Make one of all series found"),
            .value("format", "FORMAT", \.format, .choice, help: "How it is written"),
            .value(
                "backup", "FILE", \.backup, .text,
                help: "Copy the history into a new file, while it is written too, and have SQLite check the copy"),
            .flag(
                "openmetrics", \.isOpenMetrics,
                help: "Write the range as OpenMetrics, for 'promtool tsdb create-blocks-from openmetrics'"),
            .value(
                "compare", "FROM..TO", \.compared, TimeRanges.reader,
                help:
                    "Compare this time with the operand's, or, both in one argument with a blank between, the first with the second"
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
                "What yesterday's change was worth",
                "ringside history --state-dir ~/.local/state/ringside/8000 --compare '-2d..-1d -1d..now'"),
            Example("Two releases of a bot", "ringside history --state-dir DIR --bot alpha --by version"),
            Example("A copy of the live file", "ringside history --state-dir DIR --backup /backup/history.db"),
            Example(
                "Into Prometheus",
                "ringside history --state-dir DIR --openmetrics > h.om && promtool tsdb create-blocks-from openmetrics h.om data/"
            ),
        ])

    private static func run(_ options: HistoryOptions) throws -> Int32 {
        let path = try options.path()
        if let copy = options.backup { return try backUp(try opened(path), to: copy) }
        if options.isOpenMetrics { return try export(try opened(path), options) }
        if options.compared != nil || options.label != nil {
            return try HistoryComparing(try opened(path), options).run()
        }
        guard let metric = options.metric else { return try HistoryList.show(try opened(path), options) }
        guard path == nil else { return try HistoryReading(try opened(path), options, metric).run() }
        let answer = try ask(options, metric)
        switch options.format {
        case .json: try Terminal.output(json: answer)
        case .table: try Terminal.output(HistoryTable(try HistoryView(json: answer)).rendered())
        case .csv: try Terminal.output(HistoryTable.csvHead + HistoryTable(try HistoryView(json: answer)).csv())
        }
        return 0
    }

    private static func opened(_ path: String?) throws -> HistoryReader {
        guard let path else { throw HistoryUsageError("this needs the file: give --state-dir or --file") }
        guard access(path, F_OK) == 0 else { throw FileError("read the history", path, errno: errno) }
        do {
            return try HistoryReader(path: path)
        } catch {
            throw HistoryUsageError("cannot read the history \(path): \(error)")
        }
    }

    private static func ask(_ options: HistoryOptions, _ metric: String) throws -> [UInt8] {
        var arguments = [("metric", metric), ("from", options.from ?? "-1h"), ("to", options.to ?? "now")]
        if let bot = options.bot { arguments.append(("bot", bot)) }
        if let step = options.step { arguments.append(("step", step)) }
        if options.isMerged { arguments.append(("merge", "1")) }
        arguments += options.labels.map { ("label.\($0.name)", $0.value) }
        let query = arguments.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside history"))
        return try client.answer("/stats/history?\(query)")
    }

    /// Percent-encoding of RFC 3986: what is not unreserved is escaped.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-._~".unicodeScalars.contains(scalar))
            if isPlain { return String(scalar) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    private static func backUp(_ reader: HistoryReader, to copy: String) throws -> Int32 {
        guard access(copy, F_OK) != 0 else { throw HistoryUsageError("\(copy) is there already; name a new file") }
        let temporary = "\(copy).part"
        unlink(temporary)
        do {
            try reader.backUp(to: temporary)
        } catch {
            unlink(temporary)
            throw HistoryUsageError("no backup in \(copy): \(error)")
        }
        guard rename(temporary, copy) == 0 else { throw FileError("write", copy, errno: errno) }
        let range = try reader.minutes().map {
            "from \(HistoryTable.time($0.lowerBound * 60)) to \(HistoryTable.time(($0.upperBound + 1) * 60))"
        }
        Terminal.report("ringside history: \(copy) is sound and holds the history \(range ?? "of no minute yet")")
        return 0
    }

    private static func export(_ reader: HistoryReader, _ options: HistoryOptions) throws -> Int32 {
        let minutes = try options.minutes(default: try reader.minutes())
        var export = HistoryOpenMetrics(reader, minutes: minutes) { try Terminal.output(bytes: $0) }
        try export.run()
        if export.leftOut > 0 {
            Terminal.report("ringside history: \(export.leftOut) series left out: OpenMetrics has no such names")
        }
        return 0
    }
}
