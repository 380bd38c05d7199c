/// All that a sketch counts, sparse: what is kept of it across restarts.
package struct SketchContent: Sendable, Equatable {
    package var buckets: SketchSnapshot
    /// By exponent k, ascending, how many values were exactly -2^k.
    package var negativePowers: [SketchSnapshot.Bucket]

    package init(buckets: SketchSnapshot, negativePowers: [SketchSnapshot.Bucket]) {
        self.buckets = buckets
        self.negativePowers = negativePowers
    }

    /// Whether a sketch can hold it: its scale, and indices that doubles have, ascending.
    package var isValid: Bool {
        let indices = Int32(BucketIndexer.lowestIndex)...Int32(BucketIndexer.overflowIndex)
        return buckets.scale == BucketIndexer.scale && Self.areAscending(buckets.positive, within: indices)
            && Self.areAscending(buckets.negative, within: indices)
            && Self.areAscending(negativePowers, within: -1074...1023)
    }

    private static func areAscending(_ buckets: [SketchSnapshot.Bucket], within range: ClosedRange<Int32>) -> Bool {
        zip(buckets, buckets.dropFirst()).allSatisfy { $0.index < $1.index }
            && buckets.first.map { range.contains($0.index) } ?? true
            && buckets.last.map { range.contains($0.index) } ?? true
    }
}

extension ExponentialSketch {
    /// A copy of all counts. Cost: one pass over the range in use.
    package func content() -> SketchContent {
        var powers: [SketchSnapshot.Bucket] = []
        negativePowers.forEach { powers.append(.init(index: Int32($0), count: $1)) }
        return SketchContent(buckets: snapshot(), negativePowers: powers)
    }

    /// The sketch that a copy was taken of.
    ///
    /// - Precondition: `content.isValid`.
    package init(_ content: SketchContent) {
        precondition(content.isValid)
        self.init()
        Self.fill(&positive, content.buckets.positive)
        Self.fill(&negative, content.buckets.negative)
        for power in content.negativePowers { negativePowers.add(power.count, at: Int(power.index)) }
        zeroCount = content.buckets.zeroCount
        let signed = content.buckets.positive + content.buckets.negative
        count = signed.reduce(zeroCount) { $0 &+ $1.count }
    }

    private static func fill(_ counts: inout DenseCounts, _ buckets: [SketchSnapshot.Bucket]) {
        guard let first = buckets.first, let last = buckets.last else { return }
        counts.hold(BucketPlace.place(ofBucket: Int(first.index))...BucketPlace.place(ofBucket: Int(last.index)))
        for bucket in buckets { counts.add(bucket.count, at: BucketPlace.place(ofBucket: Int(bucket.index))) }
    }
}
