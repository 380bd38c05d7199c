/// A bucket's position on the axis of values: negative buckets, zero, positive buckets, ascending.
struct SignedBucketKey {
    let rawValue: Int

    private static let offset = 1 - BucketIndexer.lowestIndex

    init(rawValue: Int) { self.rawValue = rawValue }
    init(positive index: Int) { rawValue = index + Self.offset }
    init(negative index: Int) { rawValue = -index - Self.offset }
    static let zero = SignedBucketKey(rawValue: 0)

    /// Makes the key of a value that is not NaN.
    @inline(__always)
    init(value: Double, _ indexer: BucketIndexer) {
        let bits = value.bitPattern
        self =
            BucketLayout.isFine(normalBits: bits)
            ? SignedBucketKey(positive: indexer.index(normalBits: bits)) : SignedBucketKey(unusual: value, indexer)
    }

    @inline(never)
    private init(unusual value: Double, _ indexer: BucketIndexer) {
        guard value != 0 else {
            self = .zero
            return
        }
        let place = BucketLayout.place(ofBucket: indexer.index(of: value.magnitude))
        self = value < 0 ? SignedBucketKey(negative: place) : SignedBucketKey(positive: place)
    }

    /// The place of a positive bucket.
    @inline(__always)
    var positivePlace: Int { rawValue - Self.offset }

    var isNegative: Bool { rawValue < 0 }
    /// The bucket's index; nil for the zero bucket.
    var index: Int? { rawValue == 0 ? nil : abs(rawValue) - Self.offset }
}

/// The counts of a slice in 6 bytes a bucket: the 16-bit distance of each bucket from the previous one, and a 32-bit
/// count. A distance of more than 16 bits is split by entries with a count of zero.
package struct SparseCounts: ~Copyable {
    // One block: the counts, then the distances.
    private var block: UnsafeMutableRawPointer?
    private var firstKey: Int32 = 0
    private var length: Int32 = 0

    init() {}

    deinit { block?.deallocate() }

    /// The number of entries, including those that only split a distance.
    var entryCount: Int { Int(length) }

    static let bytesPerEntry = 6
    private static let longestStep = Int(UInt16.max)

    /// Calls `body` with each bucket, ascending by value.
    @inline(__always)
    func forEach(_ body: (_ key: SignedBucketKey, _ count: UInt64) -> Void) {
        guard let block else { return }
        let counts = block.assumingMemoryBound(to: UInt32.self)
        let steps = (block + 4 * Int(length)).assumingMemoryBound(to: UInt16.self)
        var key = Int(firstKey)
        for entry in 0..<Int(length) {
            key += Int(steps[entry])
            if counts[entry] > 0 { body(SignedBucketKey(rawValue: key), UInt64(counts[entry])) }
        }
    }

    /// The place of the lowest bucket if all buckets are positive; nil if one is not, or there is none.
    var lowestPositivePlace: Int? {
        length > 0 && firstKey > 0 ? SignedBucketKey(rawValue: Int(firstKey)).positivePlace : nil
    }

    /// Calls `body` with the counts, and the distance of each bucket from the previous one. The first distance is 0.
    func withEntries<Result>(
        _ body: (_ counts: UnsafeBufferPointer<UInt32>, _ distances: UnsafePointer<UInt16>) -> Result
    ) -> Result {
        let block = block.unsafelyUnwrapped
        let distances = (block + 4 * Int(length)).assumingMemoryBound(to: UInt16.self)
        return body(
            UnsafeBufferPointer(start: block.assumingMemoryBound(to: UInt32.self), count: Int(length)), distances)
    }

    /// Calls `body` with the buckets, which are valid during the call.
    func withBuckets<Result>(_ body: (OccupiedBuckets) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: OccupiedBuckets.Entry.self, capacity: entryCount) { buffer in
            var used = 0
            forEach { key, count in
                buffer[used] = (key.rawValue, count)
                used += 1
            }
            return body(OccupiedBuckets(entries: UnsafeBufferPointer(rebasing: buffer[..<used])))
        }
    }

    /// Whether arrays over the ranges of both signs would take less memory. Cost: one pass.
    var isLargerThanDense: Bool {
        var ranges: [(first: Int, last: Int)?] = [nil, nil]
        forEach { key, _ in
            let sign = key.isNegative ? 0 : 1
            if key.index != nil { ranges[sign] = (ranges[sign]?.first ?? key.rawValue, key.rawValue) }
        }
        let buckets = ranges.reduce(0) { $0 + ($1.map { $0.last - $0.first + DenseCounts.lineLength } ?? 0) }
        return entryCount * Self.bytesPerEntry > buckets * MemoryLayout<UInt16>.size
    }

    /// Adds buckets.
    ///
    /// - Parameter buckets: Ascending.
    /// - Returns: False, and changes nothing, if a count would need more than 32 bits.
    mutating func merge(_ buckets: OccupiedBuckets) -> Bool {
        guard !buckets.entries.isEmpty else { return true }
        guard length > 0 else { return encodeIfNarrow(buckets.entries) }
        let capacity = entryCount + buckets.entries.count
        return withUnsafeTemporaryAllocation(of: OccupiedBuckets.Entry.self, capacity: capacity) { merged in
            let used = unite(with: buckets.entries, in: merged.baseAddress!)
            return encodeIfNarrow(UnsafeBufferPointer(start: merged.baseAddress, count: used))
        }
    }

    /// Writes the union of these counts and others, ascending, and returns the number of its entries. The loops use
    /// pointers, because a variable that a closure shares is checked for exclusive access at each use.
    private func unite(
        with others: UnsafeBufferPointer<OccupiedBuckets.Entry>, in merged: UnsafeMutablePointer<OccupiedBuckets.Entry>
    ) -> Int {
        let counts = block.unsafelyUnwrapped.assumingMemoryBound(to: UInt32.self)
        let steps = (block.unsafelyUnwrapped + 4 * Int(length)).assumingMemoryBound(to: UInt16.self)
        var (used, other, key) = (0, 0, Int(firstKey))
        for entry in 0..<Int(length) {
            key += Int(steps[entry])
            var count = UInt64(counts[entry])
            if count == 0 { continue }
            while other < others.count, others[other].key < key {
                merged[used] = others[other]
                (used, other) = (used + 1, other + 1)
            }
            if other < others.count, others[other].key == key {
                count += others[other].count
                other += 1
            }
            merged[used] = (key, count)
            used += 1
        }
        while other < others.count {
            merged[used] = others[other]
            (used, other) = (used + 1, other + 1)
        }
        return used
    }

    private mutating func encodeIfNarrow(_ entries: UnsafeBufferPointer<OccupiedBuckets.Entry>) -> Bool {
        for entry in entries where entry.count > UInt64(UInt32.max) { return false }
        encode(entries)
        return true
    }

    private mutating func encode(_ entries: UnsafeBufferPointer<OccupiedBuckets.Entry>) {
        let first = entries[0].key
        var (total, previous) = (0, first)
        for entry in entries {
            total += Swift.max((entry.key - previous + Self.longestStep - 1) / Self.longestStep, 1)
            previous = entry.key
        }
        if block == nil || Self.blockBytes(total) != Self.blockBytes(Int(length)) {
            block?.deallocate()
            block = .allocate(byteCount: Self.blockBytes(total), alignment: 4)
        }
        Self.write(entries, to: block.unsafelyUnwrapped, length: total)
        (firstKey, length) = (Int32(first), Int32(total))
    }

    /// Returns the size of a block with room for a number of entries. Sizes are multiples of 64, so that most additions
    /// keep their block, and freed blocks have a size that is requested again.
    static func blockBytes(_ entryCount: Int) -> Int { (entryCount * bytesPerEntry + 63) & ~63 }

    private static func write(
        _ entries: UnsafeBufferPointer<OccupiedBuckets.Entry>, to block: UnsafeMutableRawPointer, length: Int
    ) {
        let counts = block.bindMemory(to: UInt32.self, capacity: length)
        let steps = (block + 4 * length).bindMemory(to: UInt16.self, capacity: length)
        var (place, previous) = (0, entries[0].key)
        for entry in entries {
            while entry.key - previous > longestStep {
                (counts[place], steps[place]) = (0, UInt16.max)
                previous += longestStep
                place += 1
            }
            (counts[place], steps[place]) = (UInt32(entry.count), UInt16(entry.key - previous))
            previous = entry.key
            place += 1
        }
    }
}
