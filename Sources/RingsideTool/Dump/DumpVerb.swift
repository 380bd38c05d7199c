internal import Arguments
internal import Glibc
internal import RingReader

struct DumpOptions: Sendable {
    var ring = RingOperand.file("")
    var ringDirectory: String?
    var records: UInt64?
    var format = DumpFormat.text
    var colour = Terminal.ColourUse.auto
}

enum DumpFormat: String, CaseIterable, Sendable {
    case text
    case json
    /// Only the records.
    case csv
}

/// `ringside dump`: shows everything that one ring holds, also the ring of a bot that is down, or a copied file.
enum DumpVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside dump", summary: "Shows everything that a ring holds, whether its bot is up, closed or down.",
        details: """
            Values are shown in the metric's unit and times in UTC, through the anchor of the life that wrote the \
            record. Where a life's clock is unknown, its ticks are shown as ticks.
            The whole ring is checked, not only the records shown. Damage is listed at the end, and the exit status \
            is 0 all the same; it is 1 where the header cannot be read.
            A bot's name, where the bot only has lanes, shows all of its lanes, one after the other.
            A capture is shown as the ring was when it was captured, the same on every machine.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: DumpOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the ring lies"),
            .value(
                "records", letter: "n", "N", \.records, .integer(in: 0...67_108_864),
                help: "How many of the last records are shown (default 10; in csv all that the ring holds)"),
            .value("format", "FORMAT", \.format, .choice, help: "How the ring is written; csv is its records alone"),
            .color(\.colour),
        ],
        operands: [
            .one("NAME|FILE", \.ring, RingOperand.reader, help: RingOperand.help)
        ],
        examples: [
            Example("What a bot that died wrote last", "ringside dump alpha --records 50"),
            Example("What was captured elsewhere", "ringside dump alpha.capture"),
            Example("All records that a ring holds, for a spreadsheet", "ringside dump alpha --format csv > alpha.csv"),
            Example("Whether a ring is damaged, for a script", "ringside dump alpha --format json | jq .damage"),
        ])

    private static func run(_ options: DumpOptions) throws -> Int32 {
        let directory = RingDirectory(path: options.ringDirectory)
        for ring in try rings(options.ring, in: directory) {
            try dump(try ring.open(in: directory, isSalvaging: true), options)
        }
        return 0
    }

    /// Returns the rings to dump: the named one, or all lanes of a bot that has no ring of its plain name.
    private static func rings(_ operand: RingOperand, in directory: RingDirectory) throws -> [RingOperand] {
        guard case .name(let name) = operand, name.lane.isEmpty, access(directory.path(of: name), F_OK) != 0 else {
            return [operand]
        }
        let lanes = ((try? directory.ringNames()) ?? []).filter { $0.bot == name.bot }
        return lanes.isEmpty ? [operand] : lanes.sorted { $0.lane < $1.lane }.map { .name($0) }
    }

    private static func dump(_ segment: Segment, _ options: DumpOptions) throws {
        let records = options.records ?? (options.format == .csv ? .max : 10)
        if options.format == .csv {
            try writeTable(segment, lastRecords: records)
            return
        }
        let dump = RingDump(segment, lastRecords: records)
        try DamagedMeanwhile.check(segment)
        switch options.format {
        case .json: try Terminal.output(json: DumpJSON.render(dump))
        case .text, .csv: try Terminal.output(DumpText(dump, hasColour: options.colour.hasColour).render())
        }
    }

    private static func writeTable(_ segment: Segment, lastRecords: UInt64) throws {
        var table = DumpCSV(segment)
        let undecodable = try table.write(last: lastRecords)
        try DamagedMeanwhile.check(segment)
        if undecodable > 0 {
            Terminal.report(
                "ringside dump: \(undecodable) records could not be decoded; without --format csv it says why")
        }
    }
}
