extension ExponentialSketch {
    /// Adds all that another sketch holds. The outcome does not depend on the order of merges.
    ///
    /// Cost: about half a microsecond for each 1,000 buckets of the range that `other` has in use.
    package mutating func merge(_ other: borrowing ExponentialSketch) {
        positive.merge(other.positive)
        negative.merge(other.negative)
        if keepsNegativePowers { negativePowers.merge(other.negativePowers) }
        count &+= other.count
        zeroCount &+= other.zeroCount
    }

    /// Adds all that another sketch holds, given its occupied buckets too: by them where they are few.
    ///
    /// Cost: some 2 ns a bucket where they are few in a wide range, as those of a quiet series' slice are.
    package mutating func merge(_ other: borrowing ExponentialSketch, _ occupied: OccupiedBuckets) {
        // One by one a bucket takes some four times as long as a word of four, and a merge walks the range three times.
        guard occupied.entries.count * 4 < Int(other.positive.length) + Int(other.negative.length) else {
            return merge(other)
        }
        for entry in occupied.entries { addBucket(entry.count, at: AxisKey(rawValue: entry.key)) }
        if keepsNegativePowers { negativePowers.merge(other.negativePowers) }
        count &+= other.count
    }

    /// Takes away what was merged before, exactly.
    ///
    /// - Precondition: this sketch holds all that `other` does.
    package mutating func subtract(_ other: borrowing ExponentialSketch) {
        positive.subtract(other.positive)
        negative.subtract(other.negative)
        if keepsNegativePowers { negativePowers.subtract(other.negativePowers) }
        count -= other.count
        zeroCount -= other.zeroCount
    }

    /// Adds what a slice holds. Slices do not know which values were negative powers of two.
    package mutating func merge(_ slice: borrowing SparseCounts) {
        slice.forEach { key, added in
            addBucket(added, at: key)
            count &+= added
        }
    }

    private mutating func addBucket(_ added: UInt64, at key: AxisKey) {
        guard let index = key.index else { return zeroCount &+= added }
        if key.isNegative { negative.add(added, at: index) } else { positive.add(added, at: index) }
    }

    /// Takes away what a slice holds.
    ///
    /// - Precondition: this sketch holds all that `slice` does.
    package mutating func subtract(_ slice: borrowing SparseCounts) {
        slice.forEach { key, removed in
            switch (key.index, key.isNegative) {
            case (nil, _): zeroCount -= removed
            case (let index?, true): negative.subtract(removed, at: index)
            case (let index?, false): positive.subtract(removed, at: index)
            }
            count -= removed
        }
    }
}
