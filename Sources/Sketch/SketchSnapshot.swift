/// An immutable copy of a sketch, for exports.
///
/// A copy of a sketch in use is only a copy of its memory, so that the drain spends little on it. The exports' threads
/// list the buckets in use.
package struct SketchSnapshot: Sendable, Equatable {
    /// An octave has `2^scale` buckets.
    package var scale: Int
    /// The positive buckets in use, ascending by index. Bucket i covers (2^((i-1)/2^scale), 2^(i/2^scale)].
    ///
    /// Cost: one pass over the range in use.
    package var positive: [Bucket] {
        get { positiveCounts.buckets }
        set { positiveCounts = .listed(newValue) }
    }
    /// The buckets of the magnitudes of negative values.
    package var negative: [Bucket] {
        get { negativeCounts.buckets }
        set { negativeCounts = .listed(newValue) }
    }
    /// Whether there is a negative value. Cost: far less than listing the buckets.
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

    /// Returns whether the counts are equal, in whichever form they are stored.
    package static func == (a: SketchSnapshot, b: SketchSnapshot) -> Bool {
        a.scale == b.scale && a.zeroCount == b.zeroCount && a.positive == b.positive && a.negative == b.negative
    }

    /// The numbers of infinite values, for a snapshot in the sketch's own scale.
    package var infinities: Infinities {
        let index = Int32(BucketIndexer.overflowIndex)
        return Infinities(positive: positiveCounts.count(at: index), negative: negativeCounts.count(at: index))
    }

    /// The number of finite values that are counted by octave, because they are too small or too great for the fine
    /// buckets; 0 unless the snapshot has the sketch's own scale.
    package var coarseCount: UInt64 {
        guard scale == BucketIndexer.scale else { return 0 }
        return positiveCounts.coarseCount &+ negativeCounts.coarseCount
    }

    package var count: UInt64 {
        positive.reduce(zeroCount) { $0 &+ $1.count } &+ negative.reduce(0) { $0 &+ $1.count }
    }
}

extension SketchSnapshot {
    /// Returns the counts in coarser buckets: 2^(scale - coarser) neighbours become one, without any other loss.
    ///
    /// - Parameter coarser: The scale wanted. A snapshot that is as coarse or coarser is returned as it is.
    package func downscaled(to coarser: Int) -> SketchSnapshot {
        guard coarser < scale else { return self }
        let shift = Int32(clamping: scale - coarser)
        return SketchSnapshot(
            scale: coarser, positive: positiveCounts.merged(shift: shift),
            negative: negativeCounts.merged(shift: shift),
            zeroCount: zeroCount)
    }
}
