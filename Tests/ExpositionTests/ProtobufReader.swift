/// Reads protobuf's wire format back, for tests. Bytes that are not protobuf trap.
struct ProtobufReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    private init(_ rest: ArraySlice<UInt8>) { self.rest = rest }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func varint() -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = rest.removeFirst()
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// Reads the field number and the wire type.
    mutating func tag() -> (field: Int, type: Int) {
        let tag = varint()
        return (Int(tag >> 3), Int(tag & 7))
    }

    /// Reads a field with its length before it.
    mutating func counted() -> ProtobufReader {
        let length = Int(varint())
        defer { rest = rest.dropFirst(length) }
        precondition(rest.count >= length)
        return ProtobufReader(rest.prefix(length))
    }
}
