/// The buckets of the last few values of a histogram. If only few values came since the previous checkpoint, a
/// checkpoint writes only these. If they were too many or too far apart for this journal, it writes the whole
/// histogram.
///
/// Memory: nothing before the first value, and at most 136 bytes.
package struct ValueJournal: ~Copyable {
    private var list = BucketIndexList()
    private var didOverflow = false

    package init() {}

    deinit {
        var list = list
        list.deallocate()
    }

    package mutating func add(_ records: ListedRecords) {
        guard !didOverflow else { return }
        guard list.count + records.count <= BucketIndexList.limit else { return overflow() }
        for index in 0..<records.count where !list.append(Int(records.keys[index])) { return overflow() }
    }

    package mutating func add(_ buckets: OccupiedBuckets) {
        guard !didOverflow else { return }
        for entry in buckets.entries {
            guard entry.count <= UInt64(BucketIndexList.limit - list.count) else { return overflow() }
            for _ in 0..<entry.count where !list.append(entry.key) { return overflow() }
        }
    }

    private mutating func overflow() {
        didOverflow = true
        list.deallocate()
    }

    /// Returns the values since the last call and removes them; nil if they were too many or too far apart.
    package mutating func take() -> SketchContent? {
        defer { removeAll() }
        guard !didOverflow else { return nil }
        var sketch = SketchSnapshot(scale: BucketIndexer.scale, positive: [], negative: [], zeroCount: 0)
        list.withBuckets { buckets in
            sketch.positive.reserveCapacity(buckets.entries.count)
            for entry in buckets.entries {
                let key = SignedBucketKey(rawValue: entry.key)
                guard let place = key.index else {
                    sketch.zeroCount = entry.count
                    continue
                }
                let bucket = SketchSnapshot.Bucket(
                    index: Int32(BucketLayout.bucket(atPlace: place)), count: entry.count)
                // The order is ascending by value, so the greatest negative magnitude comes first.
                if key.isNegative { sketch.negative.insert(bucket, at: 0) } else { sketch.positive.append(bucket) }
            }
        }
        return SketchContent(buckets: sketch)
    }

    package mutating func removeAll() {
        list.deallocate()
        didOverflow = false
    }
}
