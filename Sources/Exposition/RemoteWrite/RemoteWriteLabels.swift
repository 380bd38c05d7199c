internal import JSON
import Series

/// Encodes the labels of series: sorted by name, without empty values, as the specification requires.
///
/// Labels that series share are sorted and encoded once. The name and the label that a sample adds are inserted between
/// them.
struct RemoteWriteLabels {
    /// A label that a sample adds.
    enum More: Hashable {
        case quantile(Double)
        case upperBound(Double)

        var name: String {
            switch self {
            case .quantile: "quantile"
            case .upperBound: "le"
            }
        }

        var value: String {
            switch self {
            case .quantile(let quantile): return quantile.description
            case .upperBound(.infinity): return "+Inf"
            case .upperBound(let bound):
                var text: [UInt8] = []
                text.append(edge: bound)
                return String(decoding: text, as: UTF8.self)
            }
        }
    }

    /// The parts that the labels of one sample are made of.
    struct Sample {
        let name: String
        let suffix: StaticString
        let labels: ExportedLabels
        let more: More?

        init(_ name: String, _ suffix: StaticString, _ labels: ExportedLabels, _ more: More?) {
            (self.name, self.suffix, self.labels, self.more) = (name, suffix, labels, more)
        }
    }

    private struct Key: Hashable {
        let labels: ObjectIdentifier
        /// The name of a common label that a label of the sample replaces; nil for almost all samples.
        let without: String?
    }

    private struct Encoded {
        // Retains the object, because its identity is the key.
        let labels: ExportedLabels
        var bytes: [UInt8] = []
        /// The offsets of labels that are not among the bytes.
        var nameOffset = 0
        var quantileOffset = 0
        var upperBoundOffset = 0
    }

    private static let name = "__name__"

    private let common: [Label]
    private var known: [Key: Encoded] = [:]
    private var knownMore: [More: [UInt8]] = [:]

    /// - Parameter common: Added to every series without a label of the same name.
    init(common: [Label]) { self.common = common }

    /// Appends the encoded labels of a sample.
    mutating func write(_ sample: Sample, to bytes: inout [UInt8]) {
        let without = sample.more.flatMap { more in common.contains { $0.name == more.name } ? more.name : nil }
        let key = Key(labels: ObjectIdentifier(sample.labels), without: without)
        let encoded = known[key] ?? encode(sample.labels, under: key)
        bytes.append(contentsOf: encoded.bytes[..<encoded.nameOffset])
        Self.write(name: sample.name, sample.suffix, to: &bytes)
        // Both labels that a sample may add come after the name.
        guard let more = sample.more else { return bytes.append(contentsOf: encoded.bytes[encoded.nameOffset...]) }
        let offset = if case .quantile = more { encoded.quantileOffset } else { encoded.upperBoundOffset }
        bytes.append(contentsOf: encoded.bytes[encoded.nameOffset..<offset])
        bytes.append(contentsOf: knownMore[more] ?? encode(more))
        bytes.append(contentsOf: encoded.bytes[offset...])
    }

    private mutating func encode(_ labels: ExportedLabels, under key: Key) -> Encoded {
        var all = labels.all.filter { !$0.value.isEmpty }
        for label in common where label.name != key.without && !labels.all.contains(where: { $0.name == label.name }) {
            all.append(label)
        }
        // Swift orders texts by Unicode scalars, and Prometheus by bytes. For names, which are ASCII, both are the
        // same.
        all.sort { $0.name < $1.name }
        var encoded = Encoded(labels: labels)
        for label in all {
            encoded.bytes += Self.encode(label)
            let end = encoded.bytes.count
            if label.name < Self.name { encoded.nameOffset = end }
            if label.name < More.quantile(0).name { encoded.quantileOffset = end }
            if label.name < More.upperBound(0).name { encoded.upperBoundOffset = end }
        }
        known[key] = encoded
        return encoded
    }

    private mutating func encode(_ more: More) -> [UInt8] {
        let encoded = Self.encode(Label(more.name, more.value))
        knownMore[more] = encoded
        return encoded
    }

    /// Returns a Label, encoded as a field of TimeSeries.
    private static func encode(_ label: Label) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 128)
        writer.message(1) {
            $0.string(1, label.name)
            $0.string(2, label.value)
        }
        return writer.finish()
    }

    /// Appends the encoded label that contains the name of the metric.
    private static func write(name: String, _ suffix: StaticString, to bytes: inout [UInt8]) {
        let length = name.utf8.count + suffix.utf8CodeUnitCount
        // The label has two text fields, each with a byte for its tag. The shorter text has one byte for its length.
        bytes.append(0x0A)
        append(varint: 3 + Self.name.utf8.count + varintWidth(length) + length, to: &bytes)
        bytes.append(0x0A)
        append(varint: Self.name.utf8.count, to: &bytes)
        bytes.append(contentsOf: Self.name.utf8)
        bytes.append(0x12)
        append(varint: length, to: &bytes)
        bytes.append(contentsOf: name.utf8)
        bytes.append(literal: suffix)
    }

    private static func append(varint value: Int, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func varintWidth(_ value: Int) -> Int {
        (70 - (UInt64(value) | 1).leadingZeroBitCount) / 7
    }
}
