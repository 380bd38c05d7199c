/// A server's answer to a request that it accepted, in protobuf. Metrics and traces have the same form.
package struct OTLPAnswer: Equatable, Sendable {
    /// The number of data points or spans that the server refused for good.
    package private(set) var rejected: Int64 = 0
    /// The reason, or a warning if nothing was refused.
    package private(set) var message = ""

    /// Reads a body. A body that is invalid or cut off counts as an answer without content.
    package init(_ body: [UInt8]) {
        var reader = ProtobufFields(body[...])
        while let field = reader.next() {
            guard case (1, .bytes(let partial)) = field else { continue }
            var reader = ProtobufFields(partial)
            while let field = reader.next() {
                switch field {
                case (1, .number(let count)): rejected = Int64(bitPattern: count)
                case (2, .bytes(let text)): message = String(decoding: text.prefix(300), as: UTF8.self)
                default: break
                }
            }
        }
    }
}

/// The fields of a message that a foreign server wrote. Reading them ends, whatever the bytes are.
private struct ProtobufFields {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        case other
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field; nil at the end, or if the bytes are no field.
    mutating func next() -> (field: UInt64, value: Value)? {
        guard let tag = varint() else { return nil }
        let field = tag >> 3
        switch tag & 7 {
        case 0: return varint().map { (field, .number($0)) }
        case 1: return take(8).map { _ in (field, .other) }
        case 2: return varint().flatMap { take($0) }.map { (field, .bytes($0)) }
        case 5: return take(4).map { _ in (field, .other) }
        default: return nil
        }
    }

    private mutating func varint() -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst(), shift < 64 {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
