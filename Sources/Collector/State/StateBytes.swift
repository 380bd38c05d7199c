/// Writes values one after the other, small numbers in few bytes.
struct StateEncoder {
    private(set) var bytes: [UInt8] = []

    /// Seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
    mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The sign goes into the lowest bit, so that small negative numbers are short too.
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

/// Reads what a `StateEncoder` wrote, and believes none of it.
struct StateDecoder {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    private mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw StateDamage("an entry ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func unsigned() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw StateDamage("a number of an entry is longer than any")
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

    /// A time in nanoseconds, brought within 2^62 of 0 so that its distance from another never overflows.
    mutating func time() throws -> Int64 { max(-(1 << 62), min((1 << 62) - 1, try signed())) }

    /// Seconds since the Unix epoch; 0, which is unknown, where they are no time of the next 250 years.
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
        defer { place += length }
        guard let text = String(validating: bytes[place..<place + length], as: UTF8.self) else {
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
        // The count is believed only as far as it costs nothing.
        elements.reserveCapacity(min(count, 4096))
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// How many bytes or elements follow: each element takes a byte at least.
    private mutating func count() throws -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - place) else { throw StateDamage("an entry ends too early") }
        return Int(count)
    }
}

/// Why a state file cannot be believed.
package struct StateDamage: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
