extension DenseCounts {
    /// The first bucket at or above `index` that holds a count.
    func nextOccupied(from index: Int) -> Int? {
        guard let low else { return nil }
        var offset = Swift.max(index - Int(base), 0)
        if high == nil {
            offset = Self.skipZeros(low, offset, Int(length))
        } else {
            while offset < Int(length) && count(atOffset: offset) == 0 { offset += 1 }
        }
        return offset < Int(length) ? offset + Int(base) : nil
    }

    // Four counts at a time: most of a quiet series' range is empty. Lengths are multiples of 32.
    private static func skipZeros(_ low: UnsafeMutablePointer<UInt16>, _ start: Int, _ length: Int) -> Int {
        var offset = start
        while offset < length {
            if offset & 3 == 0 {
                let four = UnsafeRawPointer(low + offset).load(as: UInt64.self)
                if four == 0 {
                    offset += 4
                    continue
                }
            }
            if low[offset] != 0 { return offset }
            offset += 1
        }
        return length
    }

    /// The last bucket at or below `index` that holds a count.
    func previousOccupied(from index: Int) -> Int? {
        var offset = Swift.min(index - Int(base), Int(length) - 1)
        while offset >= 0 && count(atOffset: offset) == 0 { offset -= 1 }
        return offset >= 0 ? offset + Int(base) : nil
    }

    /// Calls `body` with each bucket that holds a count, ascending.
    @inline(__always)
    func forEach(_ body: (_ index: Int, _ count: UInt64) -> Void) {
        var next = nextOccupied(from: Int(base))
        while let index = next {
            body(index, count(atOffset: index - Int(base)))
            next = nextOccupied(from: index + 1)
        }
    }

    /// Buckets are held in lines of this many, aligned to multiples of it.
    static let lineLength = 32

    /// The sum of the counts of the line that begins at `offset`.
    @inline(__always)
    func lineSum(atOffset offset: Int) -> UInt64 {
        // Pairs of 16-bit lanes of eight words; no 32-bit lane can overflow.
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
