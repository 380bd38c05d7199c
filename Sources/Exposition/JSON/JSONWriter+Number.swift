package import JSON
package import Series

extension JSONWriter {
    /// Writes a member with a number in the type in which its bot wrote it; see ``number(_:_:)``.
    package mutating func number(_ name: String, _ value: Number) {
        if case .real(let value) = value { return number(name, value) }
        key(name)
        number(value)
    }

    package mutating func number(_ value: Number) {
        switch value {
        case .unsigned(let value): integer(value)
        case .signed(let value): integer(value)
        case .real(let value): number(value)
        }
    }
}
