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

    mutating func member(_ name: String, _ value: Double?) {
        key(name)
        number(value)
    }

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

/// What rings hold.
extension JSONWriter {
    mutating func labels(_ labels: [Metric.Label]) {
        member("labels", object: { $0.labelMembers(labels) })
    }

    /// A name that a damaged ring gives twice is written once.
    mutating func labelMembers(_ labels: [Metric.Label]) {
        var written: Set<String> = []
        for label in labels where written.insert(label.name).inserted { member(label.name, label.value) }
    }

    mutating func member(_ name: String, _ value: Quantity?) {
        key(name)
        if let value { quantity(value) } else { null() }
    }

    /// Durations in seconds; null where they cannot be told.
    mutating func member(_ name: String, _ value: RecordValue?) {
        key(name)
        switch value {
        case .seconds(let seconds): number(seconds)
        case .quantity(let quantity): self.quantity(quantity)
        case .ticks, nil: null()
        }
    }

    private mutating func quantity(_ quantity: Quantity) {
        switch quantity {
        case .unsigned(let value): integer(value)
        case .signed(let value): integer(value)
        case .real(let value): number(value)
        }
    }
}
