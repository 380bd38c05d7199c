extension DenseCounts {
    // Tests four counts at a time, because most of a quiet series' range is empty. Offsets and lengths are multiples of
    // a line.
    @inline(__always)
    func isEmptyWord(atOffset offset: Int) -> Bool {
        let word = UnsafeRawPointer(low.unsafelyUnwrapped + offset).load(as: UInt64.self)
        guard let high else { return word == 0 }
        return word | high[offset] | high[offset + 1] | high[offset + 2] | high[offset + 3] == 0
    }

    /// Returns whether all counts of a line of 32 buckets are zero.
    @inline(__always)
    func isEmptyLine(atOffset offset: Int) -> Bool {
        let words = UnsafeRawPointer(low.unsafelyUnwrapped + offset)
        var union: UInt64 = 0
        for word in 0..<8 { union |= words.load(fromByteOffset: 8 * word, as: UInt64.self) }
        guard let high else { return union == 0 }
        return (0..<Self.lineLength).reduce(union) { $0 | high[offset + $1] } == 0
    }

    /// The first bucket with a count above zero.
    var firstOccupied: Int? {
        var offset = 0
        while offset < Int(length) && isEmptyLine(atOffset: offset) { offset += Self.lineLength }
        return nextOccupied(from: Int(base) + offset)
    }

    /// The last bucket with a count above zero.
    var lastOccupied: Int? {
        var offset = Int(length) - Self.lineLength
        while offset >= 0 && isEmptyLine(atOffset: offset) { offset -= Self.lineLength }
        return previousOccupied(from: Int(base) + offset + Self.lineLength - 1)
    }

    /// Returns the first bucket at or above `index` with a count above zero.
    func nextOccupied(from index: Int) -> Int? {
        var offset = Swift.max(index - Int(base), 0)
        while offset < Int(length) {
            if offset % 4 == 0 && isEmptyWord(atOffset: offset) {
                offset += 4
            } else if count(atOffset: offset) == 0 {
                offset += 1
            } else {
                return offset + Int(base)
            }
        }
        return nil
    }

    /// Returns the last bucket at or below `index` with a count above zero.
    func previousOccupied(from index: Int) -> Int? {
        var offset = Swift.min(index - Int(base), Int(length) - 1)
        while offset >= 0 && count(atOffset: offset) == 0 { offset -= 1 }
        return offset >= 0 ? offset + Int(base) : nil
    }

    /// Calls `body` with each bucket whose count is above zero, ascending.
    @inline(__always)
    func forEach(_ body: (_ index: Int, _ count: UInt64) -> Void) {
        for word in stride(from: 0, to: Int(length), by: 4) where !isEmptyWord(atOffset: word) {
            for offset in word..<word + 4 {
                let count = count(atOffset: offset)
                if count > 0 { body(offset + Int(base), count) }
            }
        }
    }

    /// Buckets are stored in lines of this many. A line begins at a multiple of it.
    static let lineLength = 32

    /// Returns the sum of the counts of the line that begins at `offset`.
    @inline(__always)
    func lineSum(atOffset offset: Int) -> UInt64 {
        // Sums the 16-bit counts of 64 bytes in pairs. No 32-bit sum can overflow.
        let words = UnsafeRawPointer(low.unsafelyUnwrapped + offset)
        var pairs: UInt64 = 0
        for word in 0..<8 {
            let lanes = words.load(fromByteOffset: 8 * word, as: UInt64.self)
            pairs += (lanes & 0x0000_FFFF_0000_FFFF) + (lanes >> 16 & 0x0000_FFFF_0000_FFFF)
        }
        let sum = pairs & 0xFFFF_FFFF + pairs >> 32
        guard let high else { return sum }
        return (0..<Self.lineLength).reduce(sum) { $0 &+ high[offset + $1] << 16 }
    }
}
