internal import Exposition

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
