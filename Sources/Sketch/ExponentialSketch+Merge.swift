extension ExponentialSketch {
    /// Adds the values of another sketch. The result does not depend on the order of merges.
    ///
    /// Cost: about 0.5 us for each 1,000 buckets of the range that `other` uses.
    package mutating func merge(_ other: borrowing ExponentialSketch) {
        positive.merge(other.positive)
        negative.merge(other.negative)
        count &+= other.count
        zeroCount &+= other.zeroCount
    }

    /// Adds the values of another sketch, given its occupied buckets too. Adds bucket by bucket if they are few.
    ///
    /// Cost: some 2 ns a bucket if few buckets of a wide range are occupied, as in a slice of a quiet series.
    package mutating func merge(_ other: borrowing ExponentialSketch, _ occupied: OccupiedBuckets) {
        // A single bucket takes some four times as long as four buckets that are added at once, and a merge visits the
        // range three times.
        guard occupied.entries.count * 4 < Int(other.positive.length) + Int(other.negative.length) else {
            return merge(other)
        }
        merge(occupied)
    }

    /// Adds buckets one by one.
    mutating func merge(_ occupied: OccupiedBuckets) {
        for entry in occupied.entries {
            addBucket(entry.count, at: SignedBucketKey(rawValue: entry.key))
            count &+= entry.count
        }
    }

    /// Subtracts the values of another sketch, exactly.
    ///
    /// - Precondition: This sketch contains all values of `other`.
    package mutating func subtract(_ other: borrowing ExponentialSketch) {
        positive.subtract(other.positive)
        negative.subtract(other.negative)
        count -= other.count
        zeroCount -= other.zeroCount
    }

    /// Adds the values of a slice.
    package mutating func merge(_ slice: borrowing SparseCounts) {
        if let lowest = slice.lowestPositivePlace {
            count &+= slice.withEntries { positive.add($0, $1, from: lowest) }
            return
        }
        slice.forEach { key, added in
            addBucket(added, at: key)
            count &+= added
        }
    }

    /// Adds the values of a small slice.
    mutating func merge(_ list: BucketIndexList) {
        list.forEach { addBucket(1, at: $0) }
        count &+= UInt64(list.count)
    }

    /// Subtracts the values of a small slice.
    ///
    /// - Precondition: This sketch contains all values of `list`.
    mutating func subtract(_ list: BucketIndexList) {
        list.forEach { subtractBucket(1, at: $0) }
        count -= UInt64(list.count)
    }

    /// Adds the values of listed records.
    ///
    /// Cost: some 3 ns a value.
    package mutating func insert(_ records: ListedRecords, _ range: Range<Int>? = nil) {
        let range = range ?? 0..<records.count
        for index in range { addBucket(1, at: SignedBucketKey(rawValue: Int(records.keys[index]))) }
        count &+= UInt64(range.count)
    }

    @inline(__always)
    private mutating func addBucket(_ added: UInt64, at key: SignedBucketKey) {
        guard let index = key.index else { return zeroCount &+= added }
        if key.isNegative { negative.add(added, at: index) } else { positive.add(added, at: index) }
    }

    /// Subtracts the values of a slice.
    ///
    /// - Precondition: This sketch contains all values of `slice`.
    package mutating func subtract(_ slice: borrowing SparseCounts) {
        slice.forEach { key, removed in
            subtractBucket(removed, at: key)
            count -= removed
        }
    }

    private mutating func subtractBucket(_ removed: UInt64, at key: SignedBucketKey) {
        switch (key.index, key.isNegative) {
        case (nil, _): zeroCount -= removed
        case (let index?, true): negative.subtract(removed, at: index)
        case (let index?, false): positive.subtract(removed, at: index)
        }
    }
}
