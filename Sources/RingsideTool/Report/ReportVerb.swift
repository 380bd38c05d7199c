internal import Arguments
internal import Platform

struct ReportOptions: Sendable {
    var collector = CollectorChoice()
    var format = ReportFormat.table
    var hasMean = false
    /// Empty: no ranking by a label.
    var label = ""
    var file: String?

    /// The contradiction between the options; nil for none.
    var conflict: String? {
        if file != nil, collector.isGiven {
            return "FILE and --collector exclude each other: a report is of a dump or of a collector"
        }
        if !label.isEmpty, format == .json {
            return "--by ranks tables; --format json has every label for a program to rank by"
        }
        return collector.conflict
    }
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
            Numbers cover everything recorded since the rings began, each with its unit; the counts of a ring are of \
            records. Percentiles and extremes come first: a mean hides what the slowest calls cost. Without FILE the \
            collector is asked; FILE is a dump that 'ringsided --export.json-dir' wrote, or an answer of /latest. \
            LOST counts records that are missing from the numbers beside it.
            """,
        defaults: ReportOptions(),
        options: Option.collector(\.collector.address, \.collector.file, help: "The collector to ask") + [
            .value("format", "FORMAT", \.format, .choice, help: "How the report is written"),
            .value(
                "by", "LABEL", \.label, .text,
                help: "Begin with the histograms that have this label, each instrument's slowest p99 first"),
            .flag("mean", \.hasMean, help: "Show the mean of each histogram too; json has the sum and the count"),
        ],
        operands: [.optional("FILE", \.file, .file, help: "A JSON dump to report on, in place of a collector")],
        examples: [
            Example("All bots of this machine", "ringside report"),
            Example("The slowest symbols since the rings began", "ringside report --by symbol"),
            Example("The state of an hour ago, for an incident's notes", "ringside report DUMP.json --format markdown"),
        ], conflict: \.conflict)

    private static func run(_ options: ReportOptions) throws -> Int32 {
        let view = try self.view(options)
        let sections = try ReportSections(view, hasMean: options.hasMean, label: options.label).all()
        let time = Figures.time(unixSeconds: view.time)
        switch options.format {
        case .json: try Terminal.output(json: ReportJSON.render(view))
        case .markdown:
            try Terminal.output("# Ringside report, \(time)\n\n" + sections.map(\.markdown).joined(separator: "\n"))
        case .table:
            try Terminal.output("Ringside report, \(time)\n\n" + sections.map(\.text).joined(separator: "\n"))
        }
        return 0
    }

    private static func view(_ options: ReportOptions) throws -> CollectorView {
        if let file = options.file {
            return try CollectorView(json: try SmallFile.read(file, byteLimit: .max), source: file)
        }
        let client = CollectorClient(access: try CollectorAccess(options.collector, verb: "ringside report"))
        return try client.latest(isPatient: true)
    }
}
