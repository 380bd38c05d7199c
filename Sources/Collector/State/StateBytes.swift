/// Encodes values one after another, small numbers in few bytes.
struct StateEncoder {
    private(set) var bytes: [UInt8] = []

    /// Writes seven bits a byte, lowest first. The highest bit of a byte says that more follow (LEB128).
    mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a number with its sign in the lowest bit (zigzag), so that small negative numbers are short too.
    mutating func write(_ value: Int64) { write(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func write(_ value: Double) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func write<Value>(_ value: Value?, _ body: (inout StateEncoder, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    mutating func write<Element>(_ array: [Element], _ body: (inout StateEncoder, Element) -> Void) {
        write(UInt64(array.count))
        for element in array { body(&self, element) }
    }
}

/// Decodes the output of a `StateEncoder`, and trusts none of it.
struct StateDecoder {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    private mutating func byte() throws -> UInt8 {
        guard index < bytes.count else { throw StateDamage("an entry ends too early") }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func unsigned() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw StateDamage("a number of an entry has more than 64 bits")
    }

    mutating func signed() throws -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func double() throws -> Double {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try byte()) << shift }
        return Double(bitPattern: bits)
    }

    /// Reads a time in nanoseconds, clamped to 2^62 on either side of 0 so that a difference of two never overflows.
    mutating func time() throws -> Int64 { max(-(1 << 62), min((1 << 62) - 1, try signed())) }

    /// Reads seconds since the Unix epoch. Returns 0, which means unknown, if they are outside the years 1970 to 2255.
    mutating func unixSeconds() throws -> Double {
        let seconds = try double()
        return seconds >= 0 && seconds < 9e9 ? seconds : 0
    }

    mutating func notNaN() throws -> Double {
        let value = try double()
        guard !value.isNaN else { throw StateDamage("a value of an entry is not a number") }
        return value
    }

    mutating func bool() throws -> Bool { try byte() != 0 }

    mutating func text() throws -> String {
        let length = try count()
        defer { index += length }
        guard let text = String(validating: bytes[index..<index + length], as: UTF8.self) else {
            throw StateDamage("a text of an entry is not UTF-8")
        }
        return text
    }

    mutating func optional<Value>(
        _ body: (inout StateDecoder) throws -> Value
    ) throws -> Value? {
        try bool() ? try body(&self) : nil
    }

    mutating func array<Element>(
        _ body: (inout StateDecoder) throws -> Element
    ) throws -> [Element] {
        let count = try count()
        var elements: [Element] = []
        // The input may be damaged, so its count reserves no more than this.
        elements.reserveCapacity(min(count, 4096))
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// Reads the number of bytes or elements that follow. Each takes at least one byte, so a greater number is refused.
    private mutating func count() throws -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - index) else { throw StateDamage("an entry ends too early") }
        return Int(count)
    }
}

/// The reason why a state file, or an entry of it, cannot be trusted.
package struct StateDamage: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
