/// All counts of a sketch: its form in a checkpoint.
package struct SketchContent: Sendable, Equatable {
    package var buckets: SketchSnapshot

    package init(buckets: SketchSnapshot) { self.buckets = buckets }

    /// Whether a sketch can have this content: its scale is the sketch's, and its indices exist and are ascending.
    package var isValid: Bool {
        let indices = Int32(BucketIndexer.lowestIndex)...Int32(BucketIndexer.overflowIndex)
        return buckets.scale == BucketIndexer.scale && Self.areAscending(buckets.positive, within: indices)
            && Self.areAscending(buckets.negative, within: indices)
    }

    private static func areAscending(_ buckets: [SketchSnapshot.Bucket], within range: ClosedRange<Int32>) -> Bool {
        zip(buckets, buckets.dropFirst()).allSatisfy { $0.index < $1.index }
            && buckets.first.map { range.contains($0.index) } ?? true
            && buckets.last.map { range.contains($0.index) } ?? true
    }
}

extension ExponentialSketch {
    /// Returns a copy of all counts. Cost: one pass over the range in use.
    package func content() -> SketchContent { SketchContent(buckets: snapshot()) }

    /// Makes a sketch from a copy.
    ///
    /// - Precondition: `content.isValid`.
    package init(_ content: SketchContent) {
        precondition(content.isValid)
        self.init()
        Self.fill(&positive, content.buckets.positive)
        Self.fill(&negative, content.buckets.negative)
        zeroCount = content.buckets.zeroCount
        let signed = content.buckets.positive + content.buckets.negative
        count = signed.reduce(zeroCount) { $0 &+ $1.count }
    }

    private static func fill(_ counts: inout DenseCounts, _ buckets: [SketchSnapshot.Bucket]) {
        guard let first = buckets.first, let last = buckets.last else { return }
        counts.hold(BucketLayout.place(ofBucket: Int(first.index))...BucketLayout.place(ofBucket: Int(last.index)))
        for bucket in buckets { counts.add(bucket.count, at: BucketLayout.place(ofBucket: Int(bucket.index))) }
    }
}
