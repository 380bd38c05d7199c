/// A label of a bot or of a metric. Two are the same where their bytes are.
package struct Label: Hashable, Sendable, Comparable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func == (a: Label, b: Label) -> Bool {
        a.value.hasSameBytes(as: b.value) && a.name.hasSameBytes(as: b.name)
    }

    package func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        value.hashBytes(into: &hasher)
    }

    package static func < (a: Label, b: Label) -> Bool {
        a.name.hasSameBytes(as: b.name) ? a.value.precedesInBytes(b.value) : a.name.precedesInBytes(b.name)
    }
}

/// The unit of a metric's exported values, which is also the suffix of its name.
package enum MetricUnit: String, CaseIterable, Sendable {
    case none = ""
    case seconds
    case bytes
    case ratio
    case usd
    case bps
}

/// A value as its bot wrote it: integers stay exact.
package enum Number: Hashable, Sendable {
    case unsigned(UInt64)
    case signed(Int64)
    case real(Double)

    package var double: Double {
        switch self {
        case .unsigned(let value): Double(value)
        case .signed(let value): Double(value)
        case .real(let value): value
        }
    }
}

package enum MetricKind: String, Sendable {
    case counter
    case upDownCounter
    case gauge
    case histogram
}

/// A metric as a lane registers it.
package struct MetricDescriptor: Equatable, Sendable {
    package var name: String
    package var help: String
    package var kind: MetricKind
    package var unit: MetricUnit
    package var labels: [Label]

    package init(name: String, help: String, kind: MetricKind, unit: MetricUnit, labels: [Label]) {
        self.name = name
        self.help = help
        self.kind = kind
        self.unit = unit
        self.labels = labels.sorted()
    }
}

/// What tells one series of a bot from another: the bytes of its name and labels.
package struct SeriesKey: Hashable, Comparable, Sendable {
    package let name: String
    /// Sorted by name.
    package let labels: [Label]

    package init(name: String, labels: [Label]) {
        self.name = name
        self.labels = labels
    }

    package static func == (a: SeriesKey, b: SeriesKey) -> Bool {
        a.name.hasSameBytes(as: b.name) && a.labels == b.labels
    }

    package func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        hasher.combine(labels)
    }

    package static func < (a: SeriesKey, b: SeriesKey) -> Bool {
        a.name.hasSameBytes(as: b.name)
            ? a.labels.lexicographicallyPrecedes(b.labels) : a.name.precedesInBytes(b.name)
    }
}
