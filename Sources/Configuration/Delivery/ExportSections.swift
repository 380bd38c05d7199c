internal import Rules
internal import Series

/// The exports of a file, by kind. A further kind is one more list here and one more case of `ExportDefinition.Kind`.
struct ExportSections {
    private let section: Section?

    init(_ root: Section) {
        section = root.node("exports").map { Section($0, path: "exports", problems: root.problems) }
    }

    /// Those that are on.
    ///
    /// - Parameter isFree: Notes a name that stands twice.
    func exports(_ isFree: (ExportDefinition, Section) -> Bool) -> [ExportDefinition] {
        guard let section else { return [] }
        let areOn = section.bool("enabled") ?? true
        let exports =
            read(section, "influxdb", isFree) { ExportDefinition(influxDB: $0).map { [$0] } ?? [] }
            + read(section, "otlp", isFree) { ExportDefinition.otlp($0) }
            + read(section, "remote_write", isFree) { ExportDefinition(remoteWrite: $0).map { [$0] } ?? [] }
        section.finish()
        return areOn ? exports : []
    }

    private func read(
        _ section: Section, _ key: String, _ isFree: (ExportDefinition, Section) -> Bool,
        _ make: (Section) -> [ExportDefinition]
    ) -> [ExportDefinition] {
        section.sections(key).flatMap { entry -> [ExportDefinition] in
            let isOn = entry.bool("enabled") ?? true
            var exports = make(entry)
            for place in exports.indices { exports[place].readCommon(entry) }
            entry.finish()
            exports.removeAll { !isFree($0, entry) }
            return isOn ? exports : []
        }
    }
}

extension ExportDefinition {
    /// What the exports of all kinds have.
    fileprivate mutating func readCommon(_ section: Section) {
        intervalNanoseconds =
            section.duration("interval", expected: "\(DurationText.form) from 100ms to 1h") {
                (100_000_000...3_600_000_000_000).contains($0)
            } ?? intervalNanoseconds
        // Remote write knows snappy alone.
        if case .remoteWrite = kind {} else { compresses = section.bool("gzip") ?? true }
        labels = section.labels("labels") ?? []
        route.takeMetrics = section.globs("metrics") ?? route.takeMetrics
        route.leaveMetrics = section.globs("leave_metrics") ?? route.leaveMetrics
        route.takeBots = section.globs("bots") ?? route.takeBots
        route.leaveBots = section.globs("leave_bots") ?? route.leaveBots
        route.takeLabels = section.labelPatterns("match_labels")
        route.leaveLabels = section.labelPatterns("leave_labels")
        route.sendsCollector = section.bool("collector") ?? true
    }

    fileprivate init?(influxDB section: Section) {
        var destination = Destination(section, kind: "influxdb", ownsAuthorization: true)
        let database = section.text("database", expected: "a database's name")
        let policy = section.text("retention_policy", expected: "a retention policy's name")
        let bucket = section.text("bucket", expected: "a bucket's name")
        let organization = section.text("org", expected: "an organization's name or id")
        let token = section.secret("token")
        let authorization = section.authorization()
        destination?.authorization = token.map { .token($0) } ?? authorization
        if token != nil, authorization != .none {
            section.note("token", "stands beside basic_auth or bearer_token; expected one of them")
        }
        let lines = section.number("batch_lines", expected: "a whole number from 1 to 100000") {
            (1...100_000).contains($0) && $0 == $0.rounded()
        }
        let target: InfluxDBOptions.Target
        if let database {
            if bucket != nil || organization != nil {
                section.note(
                    "database", "stands beside bucket or org; expected database (1.x), or bucket and org (2.x)")
            }
            target = .database(database, retentionPolicy: policy)
        } else if let bucket, let organization {
            if policy != nil { section.note("retention_policy", "is for database alone; expected no such key") }
            target = .bucket(bucket, organization: organization)
        } else {
            if !section.has("database") {
                section.require("bucket", "database (1.x), or bucket and org (2.x)")
                section.require("org", "an organization's name or id beside the bucket")
            }
            return nil
        }
        guard let destination else { return nil }
        var options = InfluxDBOptions(target: target)
        options.batchLines = lines.map { Int($0) } ?? options.batchLines
        self.init(destination: destination, kind: .influxDB(options))
    }
}
