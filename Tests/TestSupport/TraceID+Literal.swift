package import Series

/// In tests a trace of a ring of version 1.0 is its number.
extension TraceID: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt64) { self.init(high: 0, low: value) }
    package init(_ number: some BinaryInteger) { self.init(high: 0, low: UInt64(number)) }
}
