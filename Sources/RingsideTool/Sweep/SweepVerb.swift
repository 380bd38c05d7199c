internal import Arguments
internal import Exposition
internal import JSON
internal import RingReader

struct SweepOptions: Sendable {
    var ringDirectory: String?
    var isDryRun = false
    var isClosedOnly = false
    var olderThanNanoseconds: Int64 = 0
    var format = OutputFormat.text
}

/// `ringside sweep`: removes rings that no bot holds.
enum SweepVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside sweep", summary: "Removes the rings that no bot holds any more.",
        details: """
            Every bot that ends, whether it closed its ring or is down, leaves its ring for inspection and for its own \
            return, when its totals go on. Sweeping frees the memory; the collector keeps what it has drained, and drains the rest of a swept ring. A \
            ring that a bot holds is never removed, even if the bot attaches at that moment.
            The ring of a bot that is down holds the last records before it ended. Keep it by --closed-only, or copy it \
            first by 'ringside capture NAME'.
            A collector that runs keeps the state of the bot, and bot_down goes on firing: 'ringside forget NAME' ends that.
            The age of a ring is the time since its bot was last active: its attach, or its last record with a time. \
            Unfinished rings (.ringside-new-*) are removed after a minute. Files that are not a ring of \
            this version are left alone and named on standard error.
            The exit status is 1 where a ring without an owner could not be removed, such as another user's.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: SweepOptions(),
        options: [
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the rings lie"),
            .value(
                "older-than", "DURATION", \.olderThanNanoseconds,
                .duration(in: 0...Int64.max, bareNumberIsSeconds: true),
                help: "Remove only rings whose bots were inactive for this long"),
            .flag("dry-run", letter: "n", \.isDryRun, help: "Remove nothing; show what would be removed"),
            .flag(
                "closed-only", \.isClosedOnly,
                help: "Keep the rings of bots that are down; remove those that were closed"),
            .value("format", "FORMAT", \.format, .choice, help: "How the list of removed rings is written"),
        ],
        examples: [
            Example("What would go", "ringside sweep --dry-run"),
            Example("Every night, what was left a day ago", "ringside sweep --older-than 24h"),
            Example("All but the evidence of crashes", "ringside sweep --closed-only"),
        ])

    private static func run(_ options: SweepOptions) throws -> Int32 {
        let directory = RingDirectory(path: options.ringDirectory)
        let sweep = RingSweep(
            directory: directory, olderThanSeconds: Double(options.olderThanNanoseconds) / 1e9,
            isDryRun: options.isDryRun, isClosedOnly: options.isClosedOnly)
        let report = SweepReport(try sweep.run(), directory: directory, isDryRun: options.isDryRun)
        switch options.format {
        case .json: try Terminal.output(json: report.json)
        case .text where !report.swept.isEmpty: try Terminal.output(report.table)
        case .text: break
        }
        for message in report.messages { Terminal.report("ringside sweep: \(message)") }
        return report.failed.isEmpty ? 0 : 1
    }
}

/// The result of a sweep.
private struct SweepReport {
    let directory: RingDirectory
    let isDryRun: Bool
    private(set) var swept: [(file: String, what: RingSweep.Swept)] = []
    private(set) var left: [(file: String, reason: String)] = []
    private(set) var failed: [(file: String, reason: String)] = []
    private var live = 0
    private var young = 0
    private var evidence = 0

    init(_ outcomes: [(file: String, outcome: RingSweep.Outcome)], directory: RingDirectory, isDryRun: Bool) {
        self.directory = directory
        self.isDryRun = isDryRun
        for (file, outcome) in outcomes {
            switch outcome {
            case .swept(let what): swept.append((file, what))
            case .foreign(let reason): left.append((file, reason))
            case .failed(let reason): failed.append((file, reason))
            case .live: live += 1
            case .young: young += 1
            case .evidence: evidence += 1
            case .vanished: break
            }
        }
    }

    private var bytes: Int { swept.reduce(0) { $0 + $1.what.bytes } }

    var table: String {
        var table = Table([.text("FILE"), .text("STATE"), .number("AGE"), .number("BYTES")])
        for (file, what) in swept {
            table.append([file.printable, what.kind.rawValue, Figures.age(seconds: what.ageSeconds), "\(what.bytes)"])
        }
        return table.rendered()
    }

    /// Failures and oddities, then the totals.
    var messages: [String] {
        let verb = isDryRun ? "would remove" : "removed"
        let files = swept.count == 1 ? "1 file" : "\(swept.count) files"
        return failed.map { "\($0.file.printable) \($0.reason)" }
            + left.map { "left \($0.file.printable) alone: \($0.reason.printable)" }
            + [
                "\(verb) \(files) of \(bytes) bytes in \(directory.path.printable); kept \(live) live, \(young) too young"
                    + (evidence > 0 ? ", \(evidence) of bots that are down" : "")
            ] + captureAdvice
    }

    /// Advice on the rings of bots that are down, which can still be saved after a dry run.
    private var captureAdvice: [String] {
        let names =
            isDryRun
            ? swept.filter { $0.what.kind == .down }.compactMap { RingDirectory.ringName(ofFile: $0.file) } : []
        return names.map {
            "the bot of \($0) is down: 'ringside capture \($0)' saves its ring first, --closed-only keeps it"
        }
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("dry_run", isDryRun)
            $0.member("bytes", bytes)
            $0.member("live", live)
            $0.member("too_young", young)
            $0.member("down", evidence)
            $0.member("removed", array: { for entry in swept { $0.swept(entry.file, entry.what) } })
            $0.member("left_alone", array: { for entry in left { $0.reason(entry.file, entry.reason) } })
            $0.member("failed", array: { for entry in failed { $0.reason(entry.file, entry.reason) } })
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func swept(_ file: String, _ what: RingSweep.Swept) {
        object {
            $0.member("file", file)
            $0.member("ring", RingDirectory.ringName(ofFile: file).map { "\($0)" })
            $0.member("state", what.kind.rawValue)
            $0.member("age_seconds", what.ageSeconds)
            $0.member("bytes", what.bytes)
        }
    }

    fileprivate mutating func reason(_ file: String, _ reason: String) {
        object {
            $0.member("file", file)
            $0.member("reason", reason)
        }
    }
}
