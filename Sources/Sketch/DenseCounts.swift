/// The counts of the buckets of one sign, as an array over the range in use.
///
/// A count is stored as its low 16 bits. The bits above are in a second array, which is allocated when the first bucket
/// needs it. So a quiet series takes 2 bytes a bucket, and a count never overflows. The type is a plain view of its
/// storage: a copy of it shares the counts, and its owner calls `deallocate()`.
struct DenseCounts {
    private(set) var low: UnsafeMutablePointer<UInt16>?
    private(set) var high: UnsafeMutablePointer<UInt64>?
    /// The bucket of the first count.
    private(set) var base: Int32 = 0
    private(set) var length: Int32 = 0

    init() {}

    /// Memory in use in bytes, without the allocator's overhead.
    var allocatedBytes: Int { Int(length) * (high == nil ? 2 : 10) }

    var indices: Range<Int> { Int(base)..<Int(base) + Int(length) }

    /// Adds to a bucket's count, and allocates memory for the bucket if necessary.
    @inline(__always)
    mutating func add(_ count: UInt64, at index: Int) {
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

    /// Adds to a bucket that has memory and whose low 16 bits do not overflow. Otherwise returns false and changes
    /// nothing.
    ///
    /// - Parameter count: At most 65,535.
    @inline(__always)
    mutating func addQuickly(_ count: UInt32, at index: Int) -> Bool {
        let offset = index &- Int(base)
        guard UInt(bitPattern: offset) < UInt(bitPattern: Int(length)) else { return false }
        let slot = low.unsafelyUnwrapped + offset
        let sum = UInt32(slot.pointee) &+ count
        guard sum <= 0xFFFF else { return false }
        slot.pointee = UInt16(truncatingIfNeeded: sum)
        return true
    }

    /// Adds to the counts of ascending buckets. In the usual case, in which the bucket has room and its count does not
    /// carry, it touches nothing else of this structure: some 1 ns each.
    ///
    /// - Parameters:
    ///   - distances: The distance of each bucket from the one before.
    ///   - first: The bucket from which the first distance counts.
    /// - Returns: The sum of the counts.
    mutating func add(
        _ counts: UnsafeBufferPointer<UInt32>, _ distances: UnsafePointer<UInt16>, from first: Int
    ) -> UInt64 {
        var (sum, index, entry) = (UInt64(0), first, 0)
        while entry < counts.count {
            let (base, length, low) = (Int(base), UInt(length), low)
            while entry < counts.count {
                let next = index &+ Int(distances[entry])
                let offset = next &- base
                guard UInt(bitPattern: offset) < length, let low else { break }
                let raised = UInt64(low[offset]) &+ UInt64(counts[entry])
                guard raised <= 0xFFFF else { break }
                low[offset] = UInt16(truncatingIfNeeded: raised)
                sum &+= UInt64(counts[entry])
                index = next
                entry &+= 1
            }
            guard entry < counts.count else { break }
            index &+= Int(distances[entry])
            // A count of zero is a step of a longer distance.
            if counts[entry] > 0 { add(UInt64(counts[entry]), at: index) }
            sum &+= UInt64(counts[entry])
            entry &+= 1
        }
        return sum
    }

    @inline(never)
    mutating func addHigh(_ carry: UInt64, at offset: Int) {
        if high == nil {
            let fresh = UnsafeMutablePointer<UInt64>.allocate(capacity: Int(length))
            fresh.initialize(repeating: 0, count: Int(length))
            high = fresh
        }
        high.unsafelyUnwrapped[offset] &+= carry
    }

    /// Subtracts from a bucket's count.
    ///
    /// - Precondition: The bucket's count is at least `count`.
    mutating func subtract(_ count: UInt64, at index: Int) {
        let held = self[index]
        precondition(held >= count, "a sketch can subtract only what was merged")
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

    /// Sets all counts to zero. Keeps the memory unless it is more than a quiet series should have.
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
    // Memory grows in whole lines of 32 buckets, and by an eighth more than needed. A range that widens bucket by
    // bucket is then copied a logarithmic number of times.
    @inline(never)
    private mutating func grow(toHold index: Int) {
        let slack = Int(length) / 8
        var first = Int(base)
        var end = first + Int(length)
        if length == 0 {
            (first, end) = (index, index + 1)
        } else if index < first {
            first = Swift.max(index - slack, Swift.min(index, BucketLayout.all.lowerBound))
        } else {
            end = Swift.min(index + slack, Swift.max(index, BucketLayout.all.upperBound)) + 1
        }
        reallocate(first..<end)
    }

    /// Allocates memory for a range of buckets.
    mutating func hold(_ range: ClosedRange<Int>) {
        if range.lowerBound >= Int(base) && range.upperBound < Int(base) + Int(length) { return }
        guard length > 0 else { return reallocate(range.lowerBound..<range.upperBound + 1) }
        reallocate(
            Swift.min(range.lowerBound, Int(base))..<Swift.max(range.upperBound + 1, Int(base) + Int(length)))
    }

    private mutating func reallocate(_ wanted: Range<Int>) {
        let range = wanted.lowerBound & ~31..<(wanted.upperBound + 31) & ~31
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
}
