internal import JSON

/// Snappy's block format, which remote write requires.
/// (https://github.com/google/snappy/blob/main/format_description.txt)
package enum Snappy {
    /// Compresses a block of up to 4 GiB.
    ///
    /// Repetitions of four bytes and more are found by a hash table over fragments of 64 KiB. If nothing repeats, the
    /// search takes ever larger steps, so that noise costs little more than its copy. Cost: some 2-5 ns a byte of
    /// input.
    package static func compress(_ input: [UInt8]) -> [UInt8] {
        precondition(input.count <= Int(UInt32.max))
        var writer = SnappyWriter(inputCount: input.count)
        input.withUnsafeBufferPointer { input in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: SnappyFragment.tableSize) { table in
                for start in stride(from: 0, to: input.count, by: SnappyFragment.longest) {
                    let end = min(start + SnappyFragment.longest, input.count)
                    SnappyFragment(bytes: UnsafeBufferPointer(rebasing: input[start..<end])).compress(
                        into: &writer, table)
                }
            }
        }
        return writer.bytes
    }
}

/// A piece of the input in which repetitions are searched. Offsets in it fit 16 bits.
private struct SnappyFragment {
    let bytes: UnsafeBufferPointer<UInt8>

    static let longest = 1 << 16
    static let tableSize = 1 << 14
    /// An end shorter than this is a literal, because four bytes are read at once.
    private static let margin = 15

    /// - Parameter table: The memory for the hash table. Its content is overwritten.
    func compress(into writer: inout SnappyWriter, _ table: UnsafeMutableBufferPointer<UInt16>) {
        table.initialize(repeating: 0)
        var literalStart = 0
        var place = 1
        // After 32 bytes without a repetition, every second byte is tried, after 64 more bytes every third, and so on.
        var skip = 32
        let limit = bytes.count - Self.margin
        while place < limit {
            let word = word(at: place)
            let slot = Int(truncatingIfNeeded: (word &* 0x1E35_A7BD) >> 18)
            let candidate = Int(table[slot])
            table[slot] = UInt16(truncatingIfNeeded: place)
            guard candidate < place, self.word(at: candidate) == word else {
                place += skip >> 5
                skip += 1
                continue
            }
            let length = commonLength(candidate + 4, place + 4) + 4
            writer.literal(bytes[literalStart..<place])
            writer.copy(offset: place - candidate, length: length)
            place += length
            literalStart = place
            skip = 32
        }
        writer.literal(bytes[literalStart...])
    }

    private func word(at place: Int) -> UInt32 {
        UnsafeRawPointer(bytes.baseAddress! + place).loadUnaligned(as: UInt32.self)
    }

    private func commonLength(_ earlier: Int, _ later: Int) -> Int {
        var length = 0
        while later + length < bytes.count, bytes[earlier + length] == bytes[later + length] { length += 1 }
        return length
    }
}

/// Writes the elements of a compressed block.
private struct SnappyWriter {
    private(set) var bytes: [UInt8] = []

    private enum Tag {
        static let literal: UInt8 = 0
        static let shortCopy: UInt8 = 1
        static let copy: UInt8 = 2
    }

    init(inputCount: Int) {
        bytes.reserveCapacity(32 + inputCount / 2)
        var rest = UInt32(inputCount)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes bytes that repeat nothing, at most 64 KiB.
    mutating func literal(_ literal: Slice<UnsafeBufferPointer<UInt8>>) {
        guard !literal.isEmpty else { return }
        let last = literal.count - 1
        if last < 60 {
            bytes.append(UInt8(last) << 2 | Tag.literal)
        } else if last < 256 {
            bytes.append(60 << 2 | Tag.literal)
            bytes.append(UInt8(last))
        } else {
            bytes.append(61 << 2 | Tag.literal)
            append(last)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: literal))
    }

    /// Repeats `length` bytes, four or more, from `offset` bytes before the end of the output.
    mutating func copy(offset: Int, length: Int) {
        var rest = length
        // A remainder of fewer than four bytes does not fit the short form.
        while rest >= 68 {
            longCopy(offset: offset, length: 64)
            rest -= 64
        }
        if rest > 64 {
            longCopy(offset: offset, length: 60)
            rest -= 60
        }
        if rest < 12, offset < 2048 {
            bytes.append(UInt8(offset >> 8) << 5 | UInt8(rest - 4) << 2 | Tag.shortCopy)
            bytes.append(UInt8(truncatingIfNeeded: offset))
        } else {
            longCopy(offset: offset, length: rest)
        }
    }

    private mutating func longCopy(offset: Int, length: Int) {
        bytes.append(UInt8(length - 1) << 2 | Tag.copy)
        append(offset)
    }

    /// Appends a number as two bytes, little-endian.
    private mutating func append(_ number: Int) {
        bytes.append(UInt8(truncatingIfNeeded: number))
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
    }
}
