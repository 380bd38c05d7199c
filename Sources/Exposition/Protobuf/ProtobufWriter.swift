internal import JSON

/// Writes protobuf's wire format, field by field, into one growing block of memory.
/// (https://protobuf.dev/programming-guides/encoding/)
///
/// Nested messages are written in place. The length before a message gets as many bytes as the last message of the same
/// field needed, and the body is moved only if that guess was wrong. The writer omits nothing by itself: a caller skips
/// fields that proto3 omits.
///
/// ```swift
/// var writer = ProtobufWriter()
/// writer.message(4) {
///     $0.string(1, "bot")
///     $0.packed(3) { for count in counts { $0.element(varint: count) } }
/// }
/// let bytes = writer.finish()
/// ```
///
/// Field numbers are between 1 and 536,870,911. Thread rule: one owner at a time.
package struct ProtobufWriter: ~Copyable {
    private var block: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written so far.
    package private(set) var count = 0
    /// The number of bytes that the length of the last message needed, by field number.
    private var lengthWidths = SIMD32<UInt8>(repeating: 1)

    /// - Parameter capacity: The number of bytes to reserve at once, at least 16. More are reserved as needed.
    package init(capacity: Int = 4096) {
        self.capacity = max(capacity, 16)
        block = .allocate(capacity: self.capacity)
    }

    deinit { block.deallocate() }

    /// Returns everything written.
    package consuming func finish() -> [UInt8] {
        Array(UnsafeBufferPointer(start: block, count: count))
    }

    /// Appends everything written to a page, and begins again in the same memory.
    package mutating func move(to page: inout [UInt8]) {
        page.append(contentsOf: UnsafeBufferPointer(start: block, count: count))
        count = 0
    }

    /// Calls `body` with the bytes that were written from an index on.
    func withBytes(from start: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        body(UnsafeBufferPointer(start: block + start, count: count - start))
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        capacity = max(2 * capacity, count + more)
        let wider = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        wider.update(from: block, count: count)
        block.deallocate()
        block = wider
    }

    /// The greatest number of bytes that a 64-bit varint needs.
    private static let longestVarint = 10

    @inline(__always)
    fileprivate mutating func writeVarint(_ value: UInt64) {
        reserve(Self.longestVarint)
        var rest = value
        while rest >= 0x80 {
            block[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count &+= 1
            rest >>= 7
        }
        block[count] = UInt8(truncatingIfNeeded: rest)
        count &+= 1
    }

    @inline(__always)
    fileprivate mutating func writeFixed64(_ value: UInt64) {
        reserve(8)
        UnsafeMutableRawPointer(block + count).storeBytes(of: value.littleEndian, as: UInt64.self)
        count &+= 8
    }

    fileprivate mutating func writeFixed32(_ value: UInt32) {
        reserve(4)
        UnsafeMutableRawPointer(block + count).storeBytes(of: value.littleEndian, as: UInt32.self)
        count &+= 4
    }

    fileprivate mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        reserve(bytes.count)
        (block + count).update(from: first, count: bytes.count)
        count &+= bytes.count
    }

    /// Writes a body with its length before it.
    ///
    /// - Parameter place: The index at which the width of the length is stored.
    fileprivate mutating func writeCounted(_ place: Int, _ body: (inout ProtobufWriter) -> Void) {
        let guess = Int(lengthWidths[place])
        reserve(guess)
        let start = count
        count += guess
        body(&self)
        let length = count - start - guess
        let width = UInt64(length).varintWidth
        if width != guess { moveBody(from: start + guess, to: start + width, length: length) }
        count = start
        writeVarint(UInt64(length))
        count += length
        lengthWidths[place] = UInt8(width)
    }

    private mutating func moveBody(from: Int, to: Int, length: Int) {
        reserve(max(0, to - from))
        (block + to).update(from: block + from, count: length)
    }
}

extension ProtobufWriter {
    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case counted = 2
        case fixed32 = 5
    }

    @inline(__always)
    private mutating func tag(_ field: Int, _ type: WireType) { writeVarint(UInt64(field) << 3 | type.rawValue) }

    /// Writes a field of type uint32 or uint64, or an enum's number.
    package mutating func varint(_ field: Int, _ value: UInt64) {
        tag(field, .varint)
        writeVarint(value)
    }

    /// Writes a field of type int32 or int64. A negative number takes ten bytes.
    package mutating func int64(_ field: Int, _ value: Int64) {
        varint(field, UInt64(bitPattern: value))
    }

    package mutating func bool(_ field: Int, _ value: Bool) { varint(field, value ? 1 : 0) }

    /// Writes a field of type sint32 or sint64.
    package mutating func zigzag(_ field: Int, _ value: Int64) { varint(field, value.zigzag) }

    /// Writes a field of type fixed64 or, by its bit pattern, sfixed64.
    package mutating func fixed64(_ field: Int, _ value: UInt64) {
        tag(field, .fixed64)
        writeFixed64(value)
    }

    /// Writes a field of type fixed32.
    package mutating func fixed32(_ field: Int, _ value: UInt32) {
        tag(field, .fixed32)
        writeFixed32(value)
    }

    package mutating func double(_ field: Int, _ value: Double) { fixed64(field, value.bitPattern) }

    /// Writes a text, which is valid UTF-8 whatever it was made of.
    package mutating func string(_ field: Int, _ text: String) {
        var text = text
        tag(field, .counted)
        text.withUTF8 {
            writeVarint(UInt64($0.count))
            write($0)
        }
    }

    package mutating func bytes(_ field: Int, _ bytes: [UInt8]) {
        tag(field, .counted)
        writeVarint(UInt64(bytes.count))
        append(encoded: bytes)
    }

    /// Writes a field of a message type. `body` writes its fields.
    package mutating func message(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        tag(field, .counted)
        writeCounted(field % 31 + 1, body)
    }

    /// Writes a packed repeated field. `body` writes its elements with `element`, and nothing else.
    package mutating func packed(_ field: Int, _ body: (inout ProtobufWriter) -> Void) { message(field, body) }

    /// Writes a message with its length before it and no field around it, as in a stream of messages.
    package mutating func delimited(_ body: (inout ProtobufWriter) -> Void) { writeCounted(0, body) }

    /// Appends fields that are already encoded.
    package mutating func append(encoded bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0) } }

    mutating func append(encoded bytes: UnsafeBufferPointer<UInt8>) { write(bytes) }
}

/// Elements of packed repeated fields, which have no tags.
extension ProtobufWriter {
    package mutating func element(varint value: UInt64) { writeVarint(value) }

    package mutating func element(zigzag value: Int64) { writeVarint(value.zigzag) }

    package mutating func element(fixed64 value: UInt64) { writeFixed64(value) }

    package mutating func element(double value: Double) { writeFixed64(value.bitPattern) }
}

extension Int64 {
    /// Maps 0, -1, 1, -2 … to 0, 1, 2, 3 …
    fileprivate var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }
}

extension UInt64 {
    /// The number of bytes that it needs as a varint.
    fileprivate var varintWidth: Int { (70 - (self | 1).leadingZeroBitCount) / 7 }
}
