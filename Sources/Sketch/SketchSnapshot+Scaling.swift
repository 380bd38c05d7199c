extension SketchSnapshot {
    /// Returns the counts of the values multiplied by a factor. The midpoint of a bucket decides the bucket that its
    /// values go to.
    ///
    /// For a power of two this is exact. For another factor, the edges of the buckets are elsewhere: a value may be
    /// counted in the adjacent bucket, up to half a bucket (0.271 % of the value) beyond an edge. All buckets of the
    /// scale move by the same number, so that scaled snapshots can be added, subtracted and merged as before.
    ///
    /// - Precondition: The snapshot has a sketch's own scale, and the factor is above 0.
    package func scaled(by factor: Double) -> SketchSnapshot {
        precondition(scale == BucketIndexer.scale && factor > 0)
        let shift = BucketIndexer.shared.index(of: BucketLayout.midpoint(ofBucket: 0) * factor)
        return SketchSnapshot(
            scale: scale, positive: Self.moved(positive, by: shift), negative: Self.moved(negative, by: shift),
            zeroCount: zeroCount)
    }

    private static func moved(_ buckets: [Bucket], by shift: Int) -> [Bucket] {
        var moved: [Bucket] = []
        moved.reserveCapacity(buckets.count)
        for bucket in buckets {
            let index = Int32(Self.moved(Int(bucket.index), by: shift))
            if let last = moved.last, last.index == index {
                moved[moved.count - 1].count &+= bucket.count
            } else {
                moved.append(Bucket(index: index, count: bucket.count))
            }
        }
        return moved
    }

    /// Returns an index moved by a number of buckets. Finite values stay finite for every factor.
    private static func moved(_ index: Int, by shift: Int) -> Int {
        if index > BucketIndexer.highestIndex { return index }
        // The midpoint of an octave is not in the bucket whose index the octave has.
        let middle =
            BucketLayout.isCoarse(bucket: index)
            ? BucketIndexer.shared.index(of: BucketLayout.midpoint(ofBucket: index)) : index
        let target = min(max(middle + shift, BucketIndexer.lowestIndex), BucketIndexer.highestIndex)
        return BucketLayout.bucket(atPlace: BucketLayout.place(ofBucket: target))
    }
}
