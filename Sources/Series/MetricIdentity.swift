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
