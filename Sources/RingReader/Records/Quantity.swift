internal import CRingside

/// A number in a metric's own type: 64 bits, exact.
package enum Quantity: Equatable, Sendable {
    case unsigned(UInt64)
    case signed(Int64)
    case real(Double)

    package init(bits: UInt64, type: Metric.NumberType) {
        switch type {
        case .unsigned: self = .unsigned(bits)
        case .signed: self = .signed(Int64(bitPattern: bits))
        case .real: self = .real(Double(bitPattern: bits))
        }
    }
}

/// The value of a metric's two cell words.
package enum CellValue: Equatable, Sendable {
    case counter(Quantity)
    /// The value, and the highest value of the life.
    case upDownCounter(Quantity, highest: Quantity)
    /// The value and the highest value of the life; nil if the gauge was not set in this life.
    case gauge(Quantity?, highest: Quantity?)
    case histogram(calls: UInt64, abandoned: UInt64)

    package init(_ words: (first: UInt64, second: UInt64), of metric: Metric) {
        func quantity(_ bits: UInt64) -> Quantity { Quantity(bits: bits, type: metric.numberType) }
        func unlessUnset(_ bits: UInt64) -> Quantity? { bits == RINGSIDE_UNSET ? nil : quantity(bits) }
        self =
            switch metric.kind {
            case .counter: .counter(quantity(words.first))
            case .upDownCounter: .upDownCounter(quantity(words.first), highest: quantity(words.second))
            case .gauge: .gauge(unlessUnset(words.first), highest: unlessUnset(words.second))
            case .histogram: .histogram(calls: words.first, abandoned: words.second)
            }
    }
}
