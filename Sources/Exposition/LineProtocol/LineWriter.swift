internal import JSON
import Series

/// Writes lines of InfluxDB's protocol, in batches.
struct LineWriter {
    private let labels: [Label]
    private let unixNanoseconds: Int64
    private let batchLines: Int
    private var batches: [[UInt8]] = []
    private var bytes: [UInt8] = []
    private var lines = 0

    init(labels: [Label], unixNanoseconds: Int64, batchLines: Int) {
        self.labels = labels
        self.unixNanoseconds = unixNanoseconds
        self.batchLines = max(1, batchLines)
    }

    /// All batches. Must be read last.
    var finished: [[UInt8]] { bytes.isEmpty ? batches : batches + [bytes] }

    /// Writes a line, unless it has no field.
    mutating func line(_ measurement: String, _ labels: [Label], _ write: (inout LineFields) -> Void) {
        var fields = LineFields()
        write(&fields)
        guard !fields.bytes.isEmpty, !measurement.isEmpty else { return }
        bytes.append(escaped: measurement, LineWriter.inMeasurement)
        let own = Set(labels.map(\.name))
        let all = labels + self.labels.filter { !own.contains($0.name) }
        for label in all.sorted(by: { $0.name < $1.name }) {
            let (name, value) = (label.name.asTag, label.value.asTag)
            guard !name.isEmpty, !value.isEmpty else { continue }
            bytes.append(UInt8(ascii: ","))
            bytes.append(escaped: name, LineWriter.inTag)
            bytes.append(UInt8(ascii: "="))
            bytes.append(escaped: value, LineWriter.inTag)
        }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: fields.bytes)
        bytes.append(UInt8(ascii: " "))
        bytes.append(decimal: unixNanoseconds)
        bytes.append(UInt8(ascii: "\n"))
        lines += 1
        guard lines == batchLines else { return }
        batches.append(bytes)
        (bytes, lines) = ([], 0)
    }

    private static let inMeasurement = Array(", ".utf8)
    private static let inTag = Array(",= ".utf8)
}

/// The fields of one line. Their names come from this program and need no escape.
struct LineFields {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        begin(name)
        bytes.append(finite: value)
    }

    mutating func add(_ name: String, _ value: Bool) {
        begin(name)
        bytes.append(value ? "true" : "false")
    }

    mutating func add(_ name: String, _ value: Number) {
        switch value {
        case .real(let value): add(name, value)
        case .signed(let value): add(name, integer: value)
        case .unsigned(let value):
            // InfluxDB 1.x has no unsigned integers.
            if let value = Int64(exactly: value) { add(name, integer: value) } else { add(name, Double(value)) }
        }
    }

    private mutating func add(_ name: String, integer value: Int64) {
        begin(name)
        bytes.append(decimal: value)
        bytes.append(UInt8(ascii: "i"))
    }

    private mutating func begin(_ name: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(name)
        bytes.append(UInt8(ascii: "="))
    }
}

extension String {
    /// The text of a tag without control characters, such as line ends, and without a backslash at its end, which would
    /// escape the next character.
    fileprivate var asTag: String {
        guard utf8.contains(where: { $0 < 0x20 }) || utf8.last == UInt8(ascii: "\\") else { return self }
        let line = String(unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) })
        return String(line.reversed().drop { $0 == "\\" }.reversed())
    }
}

extension [UInt8] {
    fileprivate mutating func append(escaped text: String, _ special: [UInt8]) {
        for byte in text.utf8 {
            if special.contains(byte) { append(UInt8(ascii: "\\")) }
            append(byte)
        }
    }
}
