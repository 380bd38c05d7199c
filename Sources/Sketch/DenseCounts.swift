/// Counts of the buckets of one sign, an array over the range in use.
///
/// A count is kept as its low 16 bits and, from the first bucket on that needs more, an array of the bits above. So a
/// quiet series pays 2 bytes a bucket, and a count never overflows. The type is a bare view of its storage: copying it
/// copies no counts, and its owner calls `deallocate()`.
package struct DenseCounts {
    package var low: UnsafeMutablePointer<UInt16>?
    package var high: UnsafeMutablePointer<UInt64>?
    /// The bucket of the first count.
    package var base: Int32 = 0
    package var length: Int32 = 0

    init() {}

    /// Memory in use, in bytes, without the allocator's own.
    var allocatedBytes: Int { Int(length) * (high == nil ? 2 : 10) }

    var indices: Range<Int> { Int(base)..<Int(base) + Int(length) }

    /// Adds to a bucket's count, making room for it if need be.
    @inlinable
    package mutating func add(_ count: UInt64, at index: Int) {
        var offset = index &- Int(base)
        if UInt(bitPattern: offset) >= UInt(bitPattern: Int(length)) {
            grow(toHold: index)
            offset = index &- Int(base)
        }
        let slot = low.unsafelyUnwrapped + offset
        let sum = UInt64(slot.pointee) &+ (count & 0xFFFF)
        slot.pointee = UInt16(truncatingIfNeeded: sum)
        let carry = (count >> 16) &+ (sum >> 16)
        if carry != 0 { addHigh(carry, at: offset) }
    }

    @inline(never)
    package mutating func addHigh(_ carry: UInt64, at offset: Int) {
        if high == nil {
            let fresh = UnsafeMutablePointer<UInt64>.allocate(capacity: Int(length))
            fresh.initialize(repeating: 0, count: Int(length))
            high = fresh
        }
        high.unsafelyUnwrapped[offset] &+= carry
    }

    /// Takes from a bucket's count what was added to it before.
    ///
    /// - Precondition: the bucket holds at least `count`.
    mutating func subtract(_ count: UInt64, at index: Int) {
        let held = self[index]
        precondition(held >= count, "a sketch can only give back what was merged into it")
        guard count > 0 else { return }
        let rest = held - count
        let offset = index - Int(base)
        low.unsafelyUnwrapped[offset] = UInt16(truncatingIfNeeded: rest)
        high?[offset] = rest >> 16
    }

    subscript(index: Int) -> UInt64 {
        guard indices.contains(index) else { return 0 }
        return count(atOffset: index - Int(base))
    }

    @inline(__always)
    func count(atOffset offset: Int) -> UInt64 {
        let lowBits = UInt64(low.unsafelyUnwrapped[offset])
        guard let high else { return lowBits }
        return lowBits | high[offset] << 16
    }

    /// Forgets the counts; keeps the memory unless it is more than a quiet series should hold on to.
    mutating func removeAll() {
        if length > Self.lengthKept {
            deallocate()
        } else if let low {
            low.update(repeating: 0, count: Int(length))
            high?.deallocate()
            high = nil
        }
    }

    private static let lengthKept: Int32 = 8192

    mutating func deallocate() {
        low?.deallocate()
        high?.deallocate()
        self = DenseCounts()
    }
}

extension DenseCounts {
    // Room is made in whole lines of 32 buckets, and an eighth more than asked for, so that a range that widens bucket
    // by bucket is copied a logarithmic number of times.
    @inline(never)
    package mutating func grow(toHold index: Int) {
        let slack = Int(length) / 8
        var first = Int(base)
        var end = first + Int(length)
        if length == 0 {
            (first, end) = (index, index + 1)
        } else if index < first {
            first = index - slack
        } else {
            end = index + 1 + slack
        }
        reallocate(first & ~31..<(end + 31) & ~31)
    }

    private mutating func reallocate(_ range: Range<Int>) {
        var wider = DenseCounts()
        wider.base = Int32(range.lowerBound)
        wider.length = Int32(range.count)
        wider.low = Self.moved(low, Int(length), to: Int(base) - range.lowerBound, of: range.count)
        if high != nil {
            wider.high = Self.moved(high, Int(length), to: Int(base) - range.lowerBound, of: range.count)
        }
        deallocate()
        self = wider
    }

    private static func moved<T: FixedWidthInteger>(
        _ old: UnsafeMutablePointer<T>?, _ oldLength: Int, to offset: Int, of length: Int
    ) -> UnsafeMutablePointer<T> {
        let fresh = UnsafeMutablePointer<T>.allocate(capacity: length)
        fresh.initialize(repeating: 0, count: length)
        if let old { (fresh + offset).update(from: old, count: oldLength) }
        return fresh
    }

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
                let four = UnsafeRawPointer(low + offset).loadUnaligned(as: UInt64.self)
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
}
