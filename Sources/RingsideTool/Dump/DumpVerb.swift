internal import Arguments
internal import RingReader

struct DumpOptions: Sendable {
    var ring = RingOperand.file("")
    var ringDirectory: String?
    var records: UInt64?
    var format = DumpFormat.text
}

enum DumpFormat: String, CaseIterable, Sendable {
    case text
    case json
    /// The records alone.
    case csv
}

/// `ringside dump`: everything that one ring holds, a dead bot's or a copied file's too.
enum DumpVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside dump", summary: "Shows everything that a ring holds, whether its bot is alive or dead.",
        details: """
            Values are shown in the metric's unit and times in UTC, through the anchor of the life that wrote the record. \
            Ticks of a life whose clock nothing is known about are shown as ticks.
            The whole ring is checked, not only the records shown. What is found damaged is listed at the end, and the exit \
            status is 0 all the same; it is 1 where the header cannot be read.
            A capture is shown as the ring was when it was captured, the same on every machine.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: DumpOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .text, help: "Where the ring lies"),
            .value(
                "records", letter: "n", "N", \.records, .integer(in: 0...67_108_864),
                help: "How many of the last records are shown (default 10; in csv all that the ring holds)"),
            .value("format", "FORMAT", \.format, .choice, help: "How the ring is written; csv is its records alone"),
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
        let segment = try options.ring.open(in: RingDirectory(path: options.ringDirectory), isSalvaging: true)
        let records = options.records ?? (options.format == .csv ? .max : 10)
        if options.format == .csv {
            try writeTable(segment, lastRecords: records)
            return 0
        }
        let dump = RingDump(segment, lastRecords: records)
        try DamagedMeanwhile.check(segment)
        switch options.format {
        case .json: try Terminal.output(json: DumpJSON.render(dump))
        case .text, .csv: try Terminal.output(DumpText(dump).render())
        }
        return 0
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
