internal import Exposition
internal import JSON
internal import RingReader

/// Members of an object, null for nil.
extension JSONWriter {
    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: (some FixedWidthInteger)?) {
        key(name)
        if let value { integer(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Double?) { number(name, value) }

    mutating func member(_ name: String, _ value: Bool?) {
        key(name)
        if let value { bool(value) } else { null() }
    }

    mutating func member(_ name: String, array body: (inout JSONWriter) -> Void) {
        key(name)
        array(body)
    }

    mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }
}

/// Values and labels of rings.
extension JSONWriter {
    mutating func labels(_ labels: [Metric.Label]) {
        member("labels", object: { $0.labelMembers(labels) })
    }

    /// Writes the labels. A label name that a damaged ring gave twice is written once.
    mutating func labelMembers(_ labels: [Metric.Label]) {
        var written: Set<String> = []
        for label in labels where written.insert(label.name).inserted { member(label.name, label.value) }
    }

    mutating func member(_ name: String, _ value: Quantity?) {
        switch value {
        case .unsigned(let value): member(name, value)
        case .signed(let value): member(name, value)
        case .real(let value): number(name, value)
        case nil: number(name, nil)
        }
    }

    /// Writes a record's value. Durations are in seconds, and null if they are unknown.
    mutating func member(_ name: String, _ value: RecordValue?) {
        switch value {
        case .seconds(let seconds): number(name, seconds)
        case .quantity(let quantity): member(name, quantity)
        case .ticks, nil: number(name, nil)
        }
    }
}
