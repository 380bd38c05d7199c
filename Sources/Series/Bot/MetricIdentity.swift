/// A label of a bot or of a metric.
package struct Label: Hashable, Sendable, Comparable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func < (a: Label, b: Label) -> Bool {
        (a.name, a.value) < (b.name, b.value)
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

extension Number {
    /// Integers wrap; a real number on either side makes a real one.
    package static func &+ (a: Number, b: Number) -> Number {
        switch (a, b) {
        case (.unsigned(let a), .unsigned(let b)): .unsigned(a &+ b)
        case (.signed(let a), .signed(let b)): .signed(a &+ b)
        default: .real(a.double + b.double)
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

/// What tells one series of a bot from another.
package struct SeriesKey: Hashable, Comparable, Sendable {
    package let name: String
    /// Sorted by name.
    package let labels: [Label]

    package init(name: String, labels: [Label]) {
        self.name = name
        self.labels = labels
    }

    package static func < (a: SeriesKey, b: SeriesKey) -> Bool {
        a.name != b.name ? a.name < b.name : a.labels.lexicographicallyPrecedes(b.labels)
    }
}
