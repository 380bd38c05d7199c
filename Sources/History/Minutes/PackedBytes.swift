internal import CZlib

/// The reason why bytes of a history are refused.
package struct HistoryDamage: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// Encodes numbers one after another, small ones in few bytes.
struct PackedWriter {
    var bytes: [UInt8] = []

    /// Writes seven bits a byte, lowest first (LEB128).
    mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a signed number with its sign in the lowest bit (zigzag).
    mutating func write(_ value: Int64) { write(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func write(_ value: Double) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }

    /// Writes doubles by planes: all first bytes, then all second bytes, and so on. So equal signs and exponents are
    /// adjacent.
    mutating func write(planes values: [Double]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            for value in values { bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift)) }
        }
    }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Decodes the output of a ``PackedWriter``, and trusts none of it.
struct PackedReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    var isAtEnd: Bool { place == bytes.endIndex }

    private static let early = HistoryDamage("an entry ends too early")

    mutating func byte() throws(HistoryDamage) -> UInt8 {
        guard place < bytes.endIndex else { throw Self.early }
        defer { place += 1 }
        return bytes[place]
    }

    @inline(__always)
    mutating func unsigned() throws(HistoryDamage) -> UInt64 {
        // Nearly all numbers take one byte.
        if place < bytes.endIndex, bytes[place] < 0x80 {
            defer { place += 1 }
            return UInt64(bytes[place])
        }
        return try longUnsigned()
    }

    private mutating func longUnsigned() throws(HistoryDamage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        throw HistoryDamage("a number has more than 64 bits")
    }

    mutating func signed() throws(HistoryDamage) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func double() throws(HistoryDamage) -> Double {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try byte()) << shift }
        return Double(bitPattern: bits)
    }

    mutating func planes(count: Int) throws(HistoryDamage) -> [Double] {
        let planes = try slice(count: count * 8)
        return (0..<count).map { value in
            var bits: UInt64 = 0
            for plane in 0..<8 { bits = bits << 8 | UInt64(planes[planes.startIndex + plane * count + value]) }
            return Double(bitPattern: bits)
        }
    }

    mutating func slice(count: Int) throws(HistoryDamage) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.endIndex - place else { throw Self.early }
        defer { place += count }
        return bytes[place..<place + count]
    }

    mutating func rest() -> ArraySlice<UInt8> {
        defer { place = bytes.endIndex }
        return bytes[place...]
    }

    /// Reads the number of bytes or elements that follow. Each takes at least one byte, so a greater number is refused.
    mutating func count() throws(HistoryDamage) -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.endIndex - place) else { throw Self.early }
        return Int(count)
    }

    mutating func text() throws(HistoryDamage) -> String {
        let slice = try slice(count: try count())
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw HistoryDamage("a text is not UTF-8")
        }
        return text
    }
}

/// Bytes preceded by a checksum, and compressed if that makes them shorter.
enum SealedBytes {
    private static let level: Int32 = 6
    /// The greatest valid length. An hour of the widest sketches takes some 3 MB.
    private static let longest: UInt64 = 256 << 20

    static func seal(_ bytes: [UInt8], compressing: Bool) -> [UInt8] {
        var writer = PackedWriter()
        if compressing, let short = deflated(bytes), short.count + 4 < bytes.count {
            writer.write(UInt64(bytes.count) << 1 | 1)
            writer.bytes += short
        } else {
            writer.write(UInt64(bytes.count) << 1)
            writer.bytes += bytes
        }
        let checksum = self.checksum(writer.bytes[...])
        return (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) } + writer.bytes
    }

    static func open(_ sealed: [UInt8]) throws(HistoryDamage) -> [UInt8] {
        guard sealed.count > 4 else { throw HistoryDamage("an entry ends too early") }
        let expected = sealed[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard checksum(sealed[4...]) == expected else { throw HistoryDamage("a checksum does not match") }
        var reader = PackedReader(sealed[4...])
        let head = try reader.unsigned()
        guard head >> 1 <= longest else { throw HistoryDamage("an entry is longer than 256 MiB") }
        let length = Int(head >> 1)
        let rest = reader.rest()
        guard head & 1 == 1 else {
            guard rest.count == length else { throw HistoryDamage("an entry has another length than its header says") }
            return Array(rest)
        }
        return try inflated(rest, length: length)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
        var length = compressBound(uLong(bytes.count))
        var short = [UInt8](repeating: 0, count: Int(length))
        guard compress2(&short, &length, bytes, uLong(bytes.count), level) == Z_OK else { return nil }
        return Array(short.prefix(Int(length)))
    }

    private static func inflated(_ bytes: ArraySlice<UInt8>, length: Int) throws(HistoryDamage) -> [UInt8] {
        var whole = [UInt8](repeating: 0, count: max(length, 1))
        var got = uLong(length)
        let code = bytes.withUnsafeBufferPointer { uncompress(&whole, &got, $0.baseAddress, uLong($0.count)) }
        guard code == Z_OK, Int(got) == length else { throw HistoryDamage("an entry cannot be unpacked") }
        if whole.count != length { whole.removeLast(whole.count - length) }
        return whole
    }
}
