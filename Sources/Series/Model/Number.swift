/// A value in the type in which its bot wrote it, so that integers stay exact.
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
