package import Arguments
internal import Glibc
internal import Platform
internal import RingReader

struct ImportOptions: Sendable {
    enum Time: String, CaseIterable, Sendable {
        case now, original
    }

    var file: String?
    var ring: RingName?
    var ringDirectory: String?
    var follows = false
    var isComplete = false
    var producer: String?
    var consumer: String?
    var time = Time.now
    var mapping: String?
    var state: String?
    var writesOpenMetrics = false
    var generatedRows: UInt64?
    var seed: UInt64 = 1

    /// The contradiction between the options; nil if there is none.
    var conflict: String? {
        if generatedRows != nil { return nil }
        return file == nil ? "CSV_FILE is missing" : ring == nil ? "--ring is missing" : nil
    }
}

/// `ringside import`: writes telemetry in CSV files into a ring.
package enum ImportVerb {
    package static let verb = Verb(command, run)

    private static let command = Command(
        "ringside import",
        summary: "Reads a telemetry log in CSV, as it grows and is rotated, and emits it into a ring.",
        details: """
            Without --mapping the file has the columns \(ImportMapping.telemetryLogHeader.joined(separator: ", ")), in any order and among others. Totals continue over \
            restarts of their source (a fall) and of the import: the state file records what was read, and nothing \
            counts twice, also not after a kill. A line without its end is left until it has one.
            --time original writes gauges and the values of histograms as records with the source's time. The \
            collector's history has them in the minutes of that time, and no live window shows them. Counters are \
            left out: a counter's cell has no time. --openmetrics exports everything but histograms, for 'promtool \
            tsdb create-blocks-from openmetrics'.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: ImportOptions(),
        options: [
            .value(
                "ring", "NAME", \.ring,
                ValueReader(expecting: "a ring name such as alpha or alpha.csv") { RingName($0) }.naming(.rings),
                help: "The ring to write; a bot holds its own ring, so import into a lane beside it, such as alpha.csv"),
            .flag("follow", \.follows, help: "Follow the file as it grows, is rotated, removed and made anew"),
            .flag("complete", \.isComplete, help: "The file is finished: take its last line even without a line end"),
            .value(
                "producer-id", "ID", \.producer, .text,
                help: "Label of orders produced and dropped (default the bot's name)"),
            .value("consumer-id", "ID", \.consumer, .text, help: "Label of orders consumed (default the bot's name)"),
            .value("time", "TIME", \.time, .choice, help: "Which time records get"),
            .value(
                "mapping", "FILE", \.mapping, .file,
                help: "What other columns mean, in JSON5: see the page ImportCSV.md"),
            .value(
                "state", "FILE", \.state, .file,
                help: "The file that stores how far the import has come (default CSV_FILE.ringside-import)"),
            .flag(
                "openmetrics", \.writesOpenMetrics,
                help:
                    "Write the whole file to standard output in OpenMetrics with its own times, and nothing into a ring"
            ),
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the ring lies"),
            .value(
                "generate", "ROWS", \.generatedRows, .integer(in: 0...),
                help: "Write so many rows of sample data to standard output, and do nothing else"),
            .value(
                "seed", "N", \.seed, .integer(in: 0...),
                help: "The seed of the sample data: the same number gives the same rows"
            ),
        ],
        operands: [.optional("CSV_FILE", \.file, .file, help: "The telemetry log, a regular file")],
        examples: [
            Example("A log that grows", "ringside import telemetry.csv --ring legacy --follow"),
            Example(
                "A log of last week, into a Prometheus' past",
                "ringside import old.csv --ring legacy --openmetrics > old.om"),
            Example("Something to try it with", "ringside import --generate 1000 > telemetry.csv"),
        ], conflict: \.conflict)

    private static func run(_ options: ImportOptions) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        if let rows = options.generatedRows { return try generate(rows, seed: options.seed) }
        // `ImportOptions.conflict` has refused a command line without them.
        guard let file = options.file, let ring = options.ring else { return 2 }
        let mapping =
            try options.mapping.map { try MappingFile.read($0) }
            ?? .telemetryLog(producer: options.producer ?? ring.bot, consumer: options.consumer ?? ring.bot)
        if options.time == .original || options.writesOpenMetrics, mapping.time == nil {
            throw FileError("the mapping names no time column, and so no row has a time of its own")
        }
        return options.writesOpenMetrics
            ? try writeOpenMetrics(file, ring, mapping) : try importFile(file, ring, mapping, options)
    }

    private static func generate(_ rows: UInt64, seed: UInt64) throws -> Int32 {
        var sample = SampleCSV(seed: seed)
        var bytes = Array(SampleCSV.header.utf8)
        let line = ProgressLine("ringside import", .things("rows"))
        for row in 0..<rows {
            sample.appendRow(to: &bytes)
            if bytes.count >= 1 << 16 {
                try write(bytes)
                line.show(row + 1, of: rows)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try write(bytes)
        return 0
    }

    private static func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try WholeFile.write([$0], to: STDOUT_FILENO, "standard output") }
    }

    private static func writeOpenMetrics(_ path: String, _ ring: RingName, _ mapping: ImportMapping) throws -> Int32 {
        guard let file = try SourceFile(path: path) else { throw FileError("open", path, errno: ENOENT) }
        let leftOut = mapping.rules.filter { $0.form == .samples }.map(\.series)
        if !leftOut.isEmpty {
            Importer.report(
                "left out, as OpenMetrics has no form for single values: \(leftOut.joined(separator: ", "))")
        }
        let (line, size) = (ProgressLine("ringside import", .bytes), file.bytes)
        let summary = try OpenMetricsExport(file: file, mapping: mapping, ring: ring).write {
            line.show($0, of: size)
        } to: {
            try write($0)
        }
        Importer.report(
            "\(path.printable): \(summary.rows) lines, \(summary.badLines) bad, \(summary.rowsOutOfOrder) left out for "
                + "not being later than the one before")
        return 0
    }

    private static func importFile(
        _ path: String, _ ring: RingName, _ mapping: ImportMapping, _ options: ImportOptions
    ) throws -> Int32 {
        guard options.follows || access(path, F_OK) == 0 else { throw FileError("open", path, errno: ENOENT) }
        var mapping = mapping
        if options.time == .original { leaveOutCounters(&mapping) }
        let signals = StopSignals.block()
        let stateFile = ImportStateFile(path: options.state ?? ImportStateFile.path(besides: path))
        var state = try stateFile.load(for: ring)
        let check = HeaderCheck(path: path, mapping: mapping)
        if let state { try check.check(state) }
        // The header is checked before anything is made, so that a file that cannot be imported leaves nothing behind.
        while state == nil, try !check.checkHeader(), options.follows, !signals.areRaised { usleep(100_000) }
        if signals.areRaised { return 0 }
        let importer = try begin(path, ring, mapping, options, &state, stateFile)
        do {
            try read(importer, path, signals, follows: options.follows)
            if options.isComplete { try importer.takeUnendedLine() }
        } catch {
            // Saves the place at which it stopped, so that the next import continues there.
            if state == nil, importer.isEmpty { importer.discard() } else { try? importer.finish() }
            throw error
        }
        try importer.finish()
        let awaited =
            importer.hasUnendedLine ? ", the last has no line end yet and was not taken (--complete takes it)" : ""
        Importer.report("\(path.printable): \(importer.takenLines) lines, \(importer.badLines) bad\(awaited)")
        return 0
    }

    private static func begin(
        _ path: String, _ ring: RingName, _ mapping: ImportMapping, _ options: ImportOptions,
        _ state: inout ImportState?,
        _ stateFile: ImportStateFile
    ) throws -> Importer {
        let directory = RingDirectory(path: options.ringDirectory)
        let remains = RingRemains(ring, in: directory)
        if state != nil { try stateFile.noteAttach(&state!, remains) }
        let sink = try ImportRing(
            ring, directory: directory, remains: remains, rules: mapping.rules,
            isOriginalTime: options.time == .original, hasTime: mapping.time != nil)
        do {
            return try Importer(path: path, mapping: mapping, ring: sink, state: state, stateFile: stateFile)
        } catch {
            sink.discard()
            throw error
        }
    }

    private static func read(
        _ importer: Importer, _ path: String, _ signals: StopSignals, follows: Bool
    ) throws {
        let watch = FolderWatch(folderOf: path)
        // A file that is followed has no end.
        let line = follows ? nil : ProgressLine("ringside import", .bytes, from: importer.readBytes)
        while !signals.areRaised {
            if try importer.step() {
                line?.show(importer.readBytes, of: importer.fileBytes)
                continue
            }
            if !follows { return }
            try importer.saveInTime()
            watch.wait(milliseconds: 100)
        }
    }

    private static func leaveOutCounters(_ mapping: inout ImportMapping) {
        let counters = mapping.rules.filter(\.isCounter).map(\.series)
        mapping.rules.removeAll(where: \.isCounter)
        guard !counters.isEmpty else { return }
        Importer.report(
            "left out, as a counter's cell has no time: \(counters.joined(separator: ", ")); --openmetrics has them with theirs"
        )
    }
}
