/// The report of a run, as JSON: the values that this run emitted into each ring.
///
/// A number that JSON cannot express, such as the infinity that a wild value could have become, is null.
struct Report: Sendable {
    let rings: [EmittedRing]

    func write(to path: String) throws(FileError) {
        var file = try OutputFile(path)
        try file.append { $0 += json.utf8 }
        try file.commit()
    }

    var json: String {
        "{\"rings\":[" + rings.map(Self.json).joined(separator: ",") + "]}\n"
    }

    private static func json(_ ring: EmittedRing) -> String {
        let metrics = ring.metrics.map(json).joined(separator: ",\n")
        return "{\"bot\":\(quoted(ring.bot)),\"lane\":\(quoted(ring.lane)),\"records\":\(ring.records),"
            + "\"metrics\":[\n\(metrics)]}"
    }

    private static func json(_ metric: EmittedMetric) -> String {
        let labels = metric.labels.sorted { $0.name < $1.name }
            .map { "\(quoted($0.name)):\(quoted($0.value))" }.joined(separator: ",")
        let (kind, count, sum, value) = fields(metric.value)
        return "{\"name\":\(quoted(metric.name)),\"kind\":\"\(kind)\",\"labels\":{\(labels)},"
            + "\"count\":\(count),\"sum\":\(sum),\"value\":\(value)}"
    }

    private static func fields(_ value: EmittedMetric.Value) -> (
        kind: String, count: String, sum: String, value: String
    ) {
        switch value {
        case .counter(let total): ("counter", "null", "null", "\(total)")
        case .fractionalCounter(let total): ("counter", "null", "null", number(total))
        case .upDownCounter(let count): ("up_down_counter", "null", "null", "\(count)")
        case .gauge(let level): ("gauge", "null", "null", number(level))
        case .histogram(let histogram): ("histogram", "\(histogram.count)", number(histogram.sum), "null")
        }
    }

    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
