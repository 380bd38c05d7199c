internal import Arguments
internal import Glibc
internal import RingReader

struct DumpOptions: Sendable {
    var ring = ""
    var ringDirectory: String?
    var records = 10
    var format = OutputFormat.text
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
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: DumpOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .text, help: "Where the ring lies"),
            .value(
                "records", letter: "n", "N", \.records, .integer(in: 0...1_000_000),
                help: "How many of the last records are shown"),
            .value("format", "FORMAT", \.format, .choice, help: "How the ring is written"),
        ],
        operands: [
            .one(
                "NAME|FILE", \.ring, ringOrFile,
                help: "A ring such as alpha or alpha.md, or a ring's file: a path with a /")
        ],
        examples: [
            Example("What a bot that died wrote last", "ringside dump alpha --records 50"),
            Example("A copied ring", "cp /dev/shm/ringside.alpha . && ringside dump ./ringside.alpha"),
            Example("Whether a ring is damaged, for a script", "ringside dump alpha --format json | jq .damage"),
        ])

    private static let ringOrFile = ValueReader<String>(
        expecting: "a ring name such as alpha or alpha.md, or a file's path with a / in it"
    ) { $0.contains("/") || RingName($0) != nil ? $0 : nil }

    private static func run(_ options: DumpOptions) throws -> Int32 {
        let dump = RingDump(try open(options), lastRecords: options.records)
        switch options.format {
        case .text: try Terminal.output(DumpText(dump).render())
        case .json: try Terminal.output(json: DumpJSON.render(dump))
        }
        return 0
    }

    private static func open(_ options: DumpOptions) throws -> Segment {
        if let name = RingName(options.ring) {
            let directory = RingDirectory(path: options.ringDirectory)
            do throws(RingError) {
                return try Segment(name: name, path: directory.path(of: name), isSalvaging: true)
            } catch {
                if case .open(let path, ENOENT) = error { throw NoSuchRing(path: path) }
                throw error
            }
        }
        // A copy may be called anything; its name is not asked for.
        let file = options.ring.split(separator: "/").last.map(String.init) ?? ""
        let name = RingDirectory.ringName(ofFile: file) ?? RingName("copy")!
        return try Segment(name: name, path: options.ring, isSalvaging: true)
    }
}

/// A name that no ring has, which is more often a slip of the hand than a fault of the machine.
private struct NoSuchRing: Error, CustomStringConvertible {
    let path: String

    var description: String { "there is no ring \(path); 'ringside list' shows those that there are" }
}
