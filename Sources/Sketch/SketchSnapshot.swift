/// An immutable copy of a sketch: what exports carry.
///
/// A copy of a living sketch holds its counts as they lie, so that taking one costs no more than moving that memory; the
/// buckets in use are listed when they are asked for, which is the exports' time and not the drain's.
package struct SketchSnapshot: Sendable, Equatable {
    /// Buckets an octave are `2^scale`.
    package var scale: Int
    /// Index and count of each positive bucket in use, ascending; bucket i covers (2^((i-1)/2^scale), 2^(i/2^scale)].
    ///
    /// Cost: one pass over the range in use.
    package var positive: [Bucket] {
        get { positiveCounts.buckets }
        set { positiveCounts = .listed(newValue) }
    }
    /// The same over magnitudes of negative values.
    package var negative: [Bucket] {
        get { negativeCounts.buckets }
        set { negativeCounts = .listed(newValue) }
    }
    /// Whether a negative value was counted. Cost: far less than that of listing the buckets.
    package var hasNegative: Bool { !negativeCounts.isEmpty }
    package var zeroCount: UInt64
    private(set) var positiveCounts: CountsCopy
    private(set) var negativeCounts: CountsCopy

    package struct Bucket: Sendable, Equatable {
        package var index: Int32
        package var count: UInt64
        package init(index: Int32, count: UInt64) {
            self.index = index
            self.count = count
        }
    }

    package init(scale: Int, positive: [Bucket], negative: [Bucket], zeroCount: UInt64) {
        self.init(scale: scale, positive: .listed(positive), negative: .listed(negative), zeroCount: zeroCount)
    }

    init(scale: Int, positive: CountsCopy, negative: CountsCopy, zeroCount: UInt64) {
        self.scale = scale
        self.zeroCount = zeroCount
        positiveCounts = positive
        negativeCounts = negative
    }

    /// Whether the same buckets hold the same counts, however these are kept.
    package static func == (a: SketchSnapshot, b: SketchSnapshot) -> Bool {
        a.scale == b.scale && a.zeroCount == b.zeroCount && a.positive == b.positive && a.negative == b.negative
    }

    /// Values that were infinite; of a snapshot in the sketch's own scale.
    package var infinities: Infinities {
        let index = Int32(BucketIndexer.overflowIndex)
        return Infinities(positive: positiveCounts.count(at: index), negative: negativeCounts.count(at: index))
    }

    /// Finite values that are counted by octave, for they are smaller or greater than what has fine buckets; of a snapshot in the
    /// sketch's own scale.
    package var coarseCount: UInt64 {
        guard scale == BucketIndexer.scale else { return 0 }
        let infinities = infinities
        return positiveCounts.coarseCount &+ negativeCounts.coarseCount &- infinities.positive &- infinities.negative
    }

    package var count: UInt64 {
        positive.reduce(zeroCount) { $0 + $1.count } + negative.reduce(0) { $0 + $1.count }
    }
}
