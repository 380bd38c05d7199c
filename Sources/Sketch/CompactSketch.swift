/// A sketch of little memory for a slice of a window. A series has dozens of slices and changes each rarely.
///
/// Up to 64 values are stored as a list of their buckets (2 bytes a value). More values are stored sparsely (6 bytes a
/// bucket) as long as this takes less memory or the buckets are few, and then as an array over their range (2 bytes a
/// bucket). A slice of ten values takes some 56 bytes, a slice of a million values 2-3 KB, and an empty one its own 8
/// bytes.
package struct CompactSketch: ~Copyable {
    // The address of a list's block, or of a `Large` if the lowest bit is set. Thousands of series have dozens of
    // slices each, so a slice is one 64-bit field.
    private var taggedAddress: UInt = 0

    private struct Large: ~Copyable {
        var sparse = SparseCounts()
        var dense: UnsafeMutablePointer<ExponentialSketch>?

        deinit {
            dense?.deinitialize(count: 1)
            dense?.deallocate()
        }

        @discardableResult
        mutating func becomeDense() -> UnsafeMutablePointer<ExponentialSketch> {
            let box = UnsafeMutablePointer<ExponentialSketch>.allocate(capacity: 1)
            box.initialize(to: ExponentialSketch())
            box.pointee.merge(sparse)
            sparse = SparseCounts()
            dense = box
            return box
        }
    }

    package init() {}

    deinit {
        if let large {
            large.deinitialize(count: 1)
            large.deallocate()
        } else {
            var list = list
            list.deallocate()
        }
    }

    private var large: UnsafeMutablePointer<Large>? {
        taggedAddress & 1 == 0 ? nil : UnsafeMutablePointer(bitPattern: taggedAddress & ~1)
    }

    /// Empty if the sketch is large.
    private var list: BucketIndexList {
        BucketIndexList(block: taggedAddress & 1 == 0 ? UnsafeMutableRawPointer(bitPattern: taggedAddress) : nil)
    }

    private mutating func set(_ list: BucketIndexList) { taggedAddress = UInt(bitPattern: list.block) }

    private mutating func becomeLarge() -> UnsafeMutablePointer<Large> {
        if let large { return large }
        var list = list
        let fresh = UnsafeMutablePointer<Large>.allocate(capacity: 1)
        fresh.initialize(to: Large())
        _ = list.withBuckets { fresh.pointee.sparse.merge($0) }
        list.deallocate()
        taggedAddress = UInt(bitPattern: fresh) | 1
        return fresh
    }

    /// Adds the values of listed records.
    package mutating func add(_ records: ListedRecords, _ range: Range<Int>) {
        if large == nil, list.count + range.count <= BucketIndexList.limit {
            for index in range { add(SignedBucketKey(rawValue: Int(records.keys[index]))) }
            return
        }
        let large = becomeLarge()
        OccupiedBuckets.withBuckets(range.count, key: { Int(records.keys[range.lowerBound + $0]) }) {
            Self.merge($0, into: large)
        }
    }

    /// Adds a value, to the list if it has room.
    private mutating func add(_ key: SignedBucketKey) {
        if large == nil {
            var list = list
            let isListed = list.append(key.rawValue)
            set(list)
            if isListed { return }
        }
        let large = becomeLarge()
        OccupiedBuckets.withBuckets(1, key: { _ in key.rawValue }) { Self.merge($0, into: large) }
    }

    private static func merge(_ buckets: OccupiedBuckets, into large: UnsafeMutablePointer<Large>) {
        if let dense = large.pointee.dense {
            dense.pointee.merge(buckets)
        } else if !large.pointee.sparse.merge(buckets) {
            large.pointee.becomeDense().pointee.merge(buckets)
        } else if large.pointee.sparse.entryCount >= fewestDenseBuckets, large.pointee.sparse.isLargerThanDense {
            large.pointee.becomeDense()
        }
    }

    /// Adds the values of a sketch.
    ///
    /// - Parameter buckets: The sketch's occupied buckets.
    package mutating func merge(_ sketch: borrowing ExponentialSketch, _ buckets: OccupiedBuckets) {
        if large == nil, sketch.count <= UInt64(BucketIndexList.limit),
            list.count + Int(sketch.count) <= BucketIndexList.limit
        {
            for entry in buckets.entries { for _ in 0..<entry.count { add(SignedBucketKey(rawValue: entry.key)) } }
            return
        }
        let large = becomeLarge()
        if let dense = large.pointee.dense { return dense.pointee.merge(sketch) }
        let count = large.pointee.sparse.entryCount + buckets.entries.count
        let isBetterDense =
            count >= Self.fewestDenseBuckets && count * SparseCounts.bytesPerEntry > sketch.allocatedBytes
        if !isBetterDense, large.pointee.sparse.merge(buckets) { return }
        large.pointee.becomeDense().pointee.merge(sketch)
    }

    /// Adds the values of another slice.
    package mutating func merge(_ other: borrowing CompactSketch) {
        guard let others = other.large else {
            let listed = other.list
            if listed.count + list.count <= BucketIndexList.limit || large?.pointee.dense != nil {
                listed.forEach { add($0) }
            } else {
                let large = becomeLarge()
                listed.withBuckets { Self.merge($0, into: large) }
            }
            return
        }
        let large = becomeLarge()
        if let dense = others.pointee.dense {
            (large.pointee.dense ?? large.pointee.becomeDense()).pointee.merge(dense.pointee)
        } else if let dense = large.pointee.dense {
            dense.pointee.merge(others.pointee.sparse)
        } else {
            others.pointee.sparse.withBuckets { Self.merge($0, into: large) }
        }
    }

    /// Adds these values to a sketch.
    package func add(to sketch: inout ExponentialSketch) {
        guard let large else { return sketch.merge(list) }
        if let dense = large.pointee.dense { sketch.merge(dense.pointee) } else { sketch.merge(large.pointee.sparse) }
    }

    /// Subtracts these values from a sketch that they were added to.
    package func subtract(from sketch: inout ExponentialSketch) {
        guard let large else { return sketch.subtract(list) }
        if let dense = large.pointee.dense {
            sketch.subtract(dense.pointee)
        } else {
            sketch.subtract(large.pointee.sparse)
        }
    }

    /// The number of entries that an iteration visits: the values of a list, the buckets of sparse counts, or the words
    /// of four buckets of an array.
    package var entryCount: Int {
        guard let large else { return list.count }
        return large.pointee.dense.map { Int($0.pointee.allocatedBytes / 8) } ?? large.pointee.sparse.entryCount
    }

    /// Memory of the counts in bytes, without the allocator's overhead.
    package var allocatedBytes: Int {
        guard let large else { return list.allocatedBytes }
        return MemoryLayout<Large>.size
            + (large.pointee.dense?.pointee.allocatedBytes
                ?? SparseCounts.blockBytes(large.pointee.sparse.entryCount))
    }

    private static let fewestDenseBuckets = 256
}
