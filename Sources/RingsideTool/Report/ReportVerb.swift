internal import Arguments
internal import FoundationEssentials
internal import Glibc

struct ReportOptions: Sendable {
    var collector = CollectorChoice()
    var format = ReportFormat.table
    var file: String?
}

enum ReportFormat: String, CaseIterable, Sendable {
    case table
    case json
    case markdown
}

/// `ringside report`: a summary of all bots.
enum ReportVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside report", summary: "Summarises every bot: instruments, percentiles, objectives, losses, alerts.",
        details: """
            Numbers are of all that was recorded since the rings began. Without FILE the collector is asked; FILE is a dump that \
            'ringsided --export.json-dir' wrote, or what /latest answered. LOST are records that are in no number beside it.
            """,
        defaults: ReportOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "The collector to ask") + [
            .value("format", "FORMAT", \.format, .choice, help: "How the report is written")
        ],
        operands: [.optional("FILE", \.file, .text, help: "A JSON dump to report on, in place of a collector")],
        examples: [
            Example("All bots of this machine", "ringside report"),
            Example("The state of an hour ago, for an incident's notes", "ringside report DUMP.json --format markdown"),
        ])

    private static func run(_ options: ReportOptions) throws -> Int32 {
        let view = try self.view(options)
        let sections = ReportSections(view).all
        let time = Figures.time(unixNanoseconds: Int64(max(0, min(view.time, 9e9)) * 1e9)).prefix(19) + "Z"
        switch options.format {
        case .json: try Terminal.output(json: ReportJSON.render(view))
        case .markdown:
            try Terminal.output("# Ringside report, \(time)\n\n" + sections.map(\.markdown).joined(separator: "\n"))
        case .table:
            try Terminal.output("Ringside report, \(time)\n\n" + sections.map(\.text).joined(separator: "\n"))
        }
        return 0
    }

    private static func view(_ options: ReportOptions) throws -> ReportView {
        let source: String
        let bytes: [UInt8]
        if let file = options.file {
            (source, bytes) = (file, try contents(file))
        } else {
            let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside report"))
            (source, bytes) = (client.address, try client.answer("/latest"))
        }
        do {
            return try JSONDecoder().decode(ReportView.self, from: Data(bytes))
        } catch {
            throw FileError("\(source) gave no snapshot: is it a dump, or a ringsided?")
        }
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path, errno: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
