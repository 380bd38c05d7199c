/// An exact sum of totals: whole numbers of any type are added as 128-bit integers, real numbers as doubles. It is
/// converted only when it is shown.
package struct ExactTotal: Equatable, Sendable {
    private(set) var whole: Int128 = 0
    private(set) var real: Double = 0
    private var hasReal = false
    private var hasSigned = false

    init(whole: Int128, real: Double) {
        (self.whole, self.real) = (whole, real)
        (hasReal, hasSigned) = (real != 0, whole < 0)
    }

    package static let zero = ExactTotal(whole: 0, real: 0)

    package init(_ number: Number) {
        switch number {
        case .unsigned(let value): whole = Int128(value)
        case .signed(let value): (whole, hasSigned) = (Int128(value), true)
        case .real(let value): (real, hasReal) = (value, true)
        }
    }

    package static func + (a: ExactTotal, b: ExactTotal) -> ExactTotal {
        var sum = a
        sum.whole &+= b.whole
        sum.real += b.real
        sum.hasReal = a.hasReal || b.hasReal
        sum.hasSigned = a.hasSigned || b.hasSigned
        return sum
    }

    /// Returns the increase since an earlier total; NaN if both are infinite.
    package static func - (a: ExactTotal, b: ExactTotal) -> ExactTotal {
        var difference = a
        difference.whole &-= b.whole
        difference.real -= b.real
        difference.hasReal = a.hasReal || b.hasReal
        difference.hasSigned = true
        return difference
    }

    /// The nearest double.
    package var double: Double { hasReal ? Double(whole) + real : Double(whole) }

    /// An integer of the parts' own type if the sum fits, otherwise the nearest double. A sum of counters does not wrap
    /// around.
    package var number: Number {
        if hasReal { return .real(double) }
        if hasSigned, let whole = Int64(exactly: whole) { return .signed(whole) }
        return UInt64(exactly: whole).map { .unsigned($0) } ?? .real(Double(whole))
    }
}
