package import JSON
package import Series

extension JSONWriter {
    package mutating func number(_ value: Number) {
        switch value {
        case .unsigned(let value): integer(value)
        case .signed(let value): integer(value)
        case .real(let value): number(value)
        }
    }
}
