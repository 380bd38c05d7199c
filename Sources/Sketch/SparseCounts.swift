/// A bucket's place on the axis of values: negative buckets, zero, positive buckets, ascending.
struct AxisKey {
    let rawValue: Int

    private static let offset = 1 - BucketIndexer.lowestIndex

    init(rawValue: Int) { self.rawValue = rawValue }
    init(positive index: Int) { rawValue = index + Self.offset }
    init(negative index: Int) { rawValue = -index - Self.offset }
    static let zero = AxisKey(rawValue: 0)

    var isNegative: Bool { rawValue < 0 }
    /// The bucket's index; nil for the zero bucket.
    var index: Int? { rawValue == 0 ? nil : abs(rawValue) - Self.offset }
}

/// The counts of a slice in 6 bytes a bucket: each bucket as its 16-bit distance from the one before, and a 32-bit
/// count. A distance that needs more than 16 bits is walked in steps with a count of zero.
package struct SparseCounts: ~Copyable {
    // One block: first the counts, then the distances.
    private var block: UnsafeMutableRawPointer?
    private var firstKey: Int32 = 0
    private var length: Int32 = 0

    init() {}

    deinit { block?.deallocate() }

    /// Entries, steps included.
    var entryCount: Int { Int(length) }

    static let bytesPerEntry = 6
    private static let longestStep = Int(UInt16.max)

    /// Calls `body` with each bucket, ascending by value.
    @inline(__always)
    func forEach(_ body: (_ key: AxisKey, _ count: UInt64) -> Void) {
        guard let block else { return }
        let counts = block.assumingMemoryBound(to: UInt32.self)
        let steps = (block + 4 * Int(length)).assumingMemoryBound(to: UInt16.self)
        var key = Int(firstKey)
        for entry in 0..<Int(length) {
            key += Int(steps[entry])
            if counts[entry] > 0 { body(AxisKey(rawValue: key), UInt64(counts[entry])) }
        }
    }

    /// Lends the buckets for the length of the call.
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

    /// Whether arrays over the ranges of either sign would take less memory. Cost: one pass.
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
    /// - Parameter buckets: ascending.
    /// - Returns: false, and nothing is changed, when a count would need more than 32 bits.
    mutating func merge(_ buckets: OccupiedBuckets) -> Bool {
        guard !buckets.entries.isEmpty else { return true }
        guard length > 0 else { return encodeIfNarrow(buckets.entries) }
        let capacity = entryCount + buckets.entries.count
        return withUnsafeTemporaryAllocation(of: OccupiedBuckets.Entry.self, capacity: capacity) { merged in
            let used = unite(with: buckets.entries, in: merged.baseAddress!)
            return encodeIfNarrow(UnsafeBufferPointer(start: merged.baseAddress, count: used))
        }
    }

    /// Writes the union of these counts and others, ascending; returns how many there are. Plain loops over pointers: a
    /// variable that a closure shares is checked for exclusive access at every touch.
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
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: total * Self.bytesPerEntry, alignment: 4)
        Self.write(entries, to: fresh, length: total)
        block?.deallocate()
        (block, firstKey, length) = (fresh, Int32(first), Int32(total))
    }

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
