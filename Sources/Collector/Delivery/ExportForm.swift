internal import Configuration
internal import Series

/// What a kind of export comes to: where it posts, what it posts, and what an answer means.
struct ExportForm {
    let url: String
    let policy: ResponsePolicy
    let encoder: any SnapshotEncoder

    /// - Parameter host: This machine's name.
    init(_ definition: ExportDefinition, host: String) {
        let labels =
            definition.labels.contains { $0.name == "host" }
            ? definition.labels : definition.labels + [Label("host", host)]
        switch definition.kind {
        case .influxDB(let options):
            url = options.url(base: definition.destination.url)
            policy = .influxDB
            encoder = LineProtocolEncoder(
                labels: labels.filter { !$0.value.isEmpty }, batchLines: options.batchLines,
                compresses: definition.compresses, sendsCollector: definition.route.sendsCollector)
        }
    }
}

extension InfluxDBOptions {
    fileprivate func url(base: String) -> String {
        let base = String(base.reversed().drop { $0 == "/" }.reversed())
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
    /// All but the unreserved characters of RFC 3986 as %XX.
    fileprivate var urlEncoded: String {
        utf8.reduce(into: "") { text, byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            text += isPlain ? String(character) : "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
