internal import Configuration
internal import Drain
internal import Exposition
internal import Series

/// The data that all exports share.
struct ExportContext {
    /// This machine's name.
    let host: String
    let traces: TraceExchange
    let accounts: ExportAccounts
}

/// The form of an export: its URL, its encoder, and the meaning of an answer.
struct ExportEndpoint {
    let url: String
    let policy: ResponsePolicy
    let encoder: any SnapshotEncoder

    init(_ definition: ExportDefinition, _ surroundings: ExportContext) {
        let host = [Label("host", surroundings.host)]
        let labels = definition.labels + (definition.labels.contains { $0.name == "host" } ? [] : host)
        let base = definition.destination.url.withoutEndingSlash
        let sendsCollector = definition.route.sendsCollector
        switch definition.kind {
        case .influxDB(let options):
            url = options.url(base: definition.destination.url)
            policy = .influxDB
            encoder = LineProtocolEncoder(
                labels: labels.filter { !$0.value.isEmpty }, batchLines: options.batchLines,
                compresses: definition.compresses, sendsCollector: sendsCollector)
        case .otlpMetrics(let options):
            url = base.appending(OTLPMetrics.path)
            policy = .otlp
            encoder = OTLPMetricsEncoder(
                labels: labels, options: options, compresses: definition.compresses, sendsCollector: sendsCollector)
        case .otlpTraces(let options):
            url = base.appending(OTLPTraces.path)
            policy = .otlp
            encoder = OTLPTracesEncoder(
                name: definition.destination.name, labels: labels, options: options,
                compresses: definition.compresses, route: definition.route, traces: surroundings.traces,
                accounts: surroundings.accounts)
        case .remoteWrite(let options):
            url = definition.destination.url
            policy = .remoteWrite
            encoder = RemoteWriteEncoder(labels: labels, options: options, sendsCollector: sendsCollector)
        }
    }
}

extension InfluxDBOptions {
    fileprivate func url(base: String) -> String {
        let base = base.withoutEndingSlash
        switch target {
        case .database(let database, let policy):
            let retention = policy.map { "&rp=\($0.urlEncoded)" } ?? ""
            return "\(base)/write?db=\(database.urlEncoded)&precision=ns\(retention)"
        case .bucket(let bucket, let organization):
            return
                "\(base)/api/v2/write?org=\(organization.urlEncoded)&bucket=\(bucket.urlEncoded)&precision=ns"
        }
    }
}

extension String {
    fileprivate var withoutEndingSlash: String { String(reversed().drop { $0 == "/" }.reversed()) }

    /// Appends a path unless the text already ends with it.
    fileprivate func appending(_ path: String) -> String { hasSuffix(path) ? self : self + path }

    /// The text with all but the unreserved characters of RFC 3986 written as %XX.
    fileprivate var urlEncoded: String {
        utf8.reduce(into: "") { text, byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            text += isPlain ? String(character) : "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
