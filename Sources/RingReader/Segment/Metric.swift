internal import CRingside

/// One metric as its producer registered it, copied out of the segment and checked.
package struct Metric: Equatable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case counter = 1
        case upDownCounter = 2
        case gauge = 3
        case histogram = 4

        /// The kind in the spelling of `/latest` and of the demo bot's report.
        package var name: String {
            switch self {
            case .counter: "counter"
            case .upDownCounter: "up_down_counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package enum NumberType: UInt8, Sendable, CaseIterable {
        case unsigned = 1
        case signed = 2
        case real = 3
    }

    package enum Unit: UInt8, Sendable, CaseIterable {
        case none = 0
        case seconds = 1
        case bytes = 2
        case ratio = 3
        case usd = 4
        case bps = 5

        package var name: String {
            switch self {
            case .none: ""
            case .seconds: "seconds"
            case .bytes: "bytes"
            case .ratio: "ratio"
            case .usd: "usd"
            case .bps: "bps"
            }
        }
    }

    package struct Label: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    package let name: String
    package let help: String
    package let labels: [Label]
    package let kind: Kind
    package let numberType: NumberType
    package let unit: Unit
    /// Whether a histogram's records are by default durations in ticks, measured by two clock reads.
    package let isInTicks: Bool
    /// Whether a gauge writes a record each time it is set.
    package let recordsEveryChange: Bool
    /// The life in which it was last registered, from 1; 0 is a life of the ring that this one replaced.
    package let life: UInt64
}

extension Segment {
    /// Decodes slot `index`, which is below ``metricCount``; nil if the slot contains no valid metric.
    package func metric(_ index: Int) -> Metric? {
        let slot = copyMetric(index)
        guard let kind = Metric.Kind(rawValue: slot.kind), let number = Metric.NumberType(rawValue: slot.number),
            let unit = Metric.Unit(rawValue: slot.unit), Self.goTogether(kind, number),
            let name = metricName(slot.name), let help = string(slot.help, limit: Int(RINGSIDE_HELP_BYTES)),
            let labels = labels(slot.labels)
        else { return nil }
        return Metric(
            name: name, help: help, labels: labels, kind: kind, numberType: number, unit: unit,
            isInTicks: UInt32(slot.encoding) == RINGSIDE_ENCODING_TICKS.rawValue,
            recordsEveryChange: UInt32(slot.options) & RINGSIDE_METRIC_EVERY_CHANGE.rawValue != 0,
            life: metricLife(index))
    }

    private static func goTogether(_ kind: Metric.Kind, _ number: Metric.NumberType) -> Bool {
        switch kind {
        case .counter: number != .signed
        case .upDownCounter: number != .unsigned
        case .gauge: true
        case .histogram: true
        }
    }

    private func string(_ text: ringside_text, limit: Int) -> String? {
        guard let bytes = textBytes(text), bytes.count <= limit else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private func metricName(_ text: ringside_text) -> String? {
        let name = string(text, limit: Int(RINGSIDE_METRIC_NAME_BYTES))
        return name.flatMap { Self.isIdentifier($0) ? $0 : nil }
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// Decodes labels of the arena: u8 name bytes, u8 value bytes, name, value; repeated. Returns nil if the bytes have
    /// another form.
    func labels(_ text: ringside_text) -> [Metric.Label]? {
        guard var bytes = textBytes(text)?[...] else { return nil }
        let count = Int(ringside_text_count(text))
        var labels: [Metric.Label] = []
        guard count <= Int(RINGSIDE_LABELS) else { return nil }
        for _ in 0..<count {
            guard bytes.count >= 2 else { return nil }
            let nameBytes = Int(bytes.removeFirst())
            let valueBytes = Int(bytes.removeFirst())
            guard bytes.count >= nameBytes + valueBytes,
                let name = String(validating: bytes.prefix(nameBytes), as: UTF8.self), Self.isIdentifier(name),
                let value = String(validating: bytes.dropFirst(nameBytes).prefix(valueBytes), as: UTF8.self)
            else { return nil }
            bytes = bytes.dropFirst(nameBytes + valueBytes)
            labels.append(Metric.Label(name: name, value: value))
        }
        return bytes.isEmpty ? labels : nil
    }
}
