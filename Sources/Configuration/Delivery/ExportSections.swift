internal import Rules
internal import Series

/// Reads the exports of a file, by kind. A further kind needs one more list here and one more case of
/// `ExportDefinition.Kind`.
struct ExportSections {
    private let root: Section

    init(_ root: Section) { self.root = root }

    /// Returns the enabled exports.
    ///
    /// - Parameter isFree: Returns whether a name is unused. Records a problem if it is used.
    func exports(_ isFree: (ExportDefinition, Section) -> Bool) -> [ExportDefinition] {
        root.expect(["influxdb", "otlp", "remote_write"], elsewhere: "it is a key of `exports`")
        return root.object("exports") { section in
            let areOn = section.bool("enabled") ?? true
            let exports =
                read(section, "influxdb", isFree) { ExportDefinition(influxDB: $0).map { [$0] } ?? [] }
                + read(section, "otlp", isFree) { ExportDefinition.otlp($0) }
                + read(section, "remote_write", isFree) { ExportDefinition(remoteWrite: $0).map { [$0] } ?? [] }
            return areOn ? exports : []
        } ?? []
    }

    private func read(
        _ section: Section, _ key: String, _ isFree: (ExportDefinition, Section) -> Bool,
        _ make: (Section) -> [ExportDefinition]
    ) -> [ExportDefinition] {
        section.objects(key) { entry -> [ExportDefinition] in
            let isOn = entry.bool("enabled") ?? true
            // Remote write supports only snappy.
            let common = CommonPart(entry, choosesCompression: key != "remote_write")
            var exports = make(entry)
            for place in exports.indices { common.apply(to: &exports[place]) }
            exports.removeAll { !isFree($0, entry) }
            return isOn ? exports : []
        }.flatMap { $0 }
    }
}

/// The keys that exports of all kinds have. They are read even if the rest of an export is wrong.
private struct CommonPart {
    private let intervalNanoseconds: Int64?
    private let compresses: Bool?
    private let labels: [Label]
    private var route = ExportRoute()

    init(_ section: Section, choosesCompression: Bool) {
        intervalNanoseconds = section.duration("interval", DurationText.Bounds(from: "100ms", to: "1h"))
        compresses = choosesCompression ? section.bool("gzip") : nil
        labels = section.labels("labels") ?? []
        route.takeMetrics = section.globs("metrics") ?? route.takeMetrics
        route.leaveMetrics = section.globs("leave_metrics") ?? route.leaveMetrics
        route.takeBots = section.globs("bots") ?? route.takeBots
        route.leaveBots = section.globs("leave_bots") ?? route.leaveBots
        route.takeLabels = section.labelPatterns("match_labels")
        route.leaveLabels = section.labelPatterns("leave_labels")
        route.sendsCollector = section.bool("collector") ?? true
    }

    func apply(to export: inout ExportDefinition) {
        export.intervalNanoseconds = intervalNanoseconds ?? export.intervalNanoseconds
        export.compresses = compresses ?? export.compresses
        export.labels = labels
        export.route = route
    }
}

extension ExportDefinition {
    fileprivate init?(influxDB section: Section) {
        var destination = Destination(section, kind: "influxdb", ownsAuthorization: true)
        let database = section.text("database", expected: "a database's name in quotes")
        let policy = section.text("retention_policy", expected: "a retention policy's name in quotes")
        let bucket = section.text("bucket", expected: "a bucket's name in quotes")
        let organization = section.text("org", expected: "an organization's name or id in quotes")
        let token = section.secret("token")
        let authorization = section.authorization()
        destination?.authorization = token.map { .token($0) } ?? authorization
        if token != nil, authorization != .none {
            section.note("token", "basic_auth or a bearer token is given too; remove one of the two")
        }
        let lines = section.whole("batch_lines", 1...100_000)
        let target: InfluxDBOptions.Target
        if let database {
            if bucket != nil || organization != nil {
                section.note(
                    "database",
                    "InfluxDB 1.x has a database, 2.x a bucket and an org; remove database, or bucket and org"
                )
            }
            target = .database(database, retentionPolicy: policy)
        } else if let bucket, let organization {
            if policy != nil { section.note("retention_policy", "a bucket has no retention policy; remove the key") }
            target = .bucket(bucket, organization: organization)
        } else {
            section.requireTarget()
            return nil
        }
        guard let destination else { return nil }
        var options = InfluxDBOptions(target: target)
        options.batchLines = lines ?? options.batchLines
        self.init(destination: destination, kind: .influxDB(options))
    }
}

extension Section {
    /// Records the missing keys for the target in InfluxDB.
    fileprivate func requireTarget() {
        if isInDoubt("database") { return }
        if has("bucket") || has("org") || isInDoubt("bucket") || isInDoubt("org") {
            require("bucket", "a bucket's name beside the org")
            require("org", "an organization's name or id beside the bucket")
        } else {
            require("database", "a database's name (InfluxDB 1.x), or bucket and org instead (2.x)")
        }
    }
}
