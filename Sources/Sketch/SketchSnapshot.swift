/// An immutable copy of a sketch, sparse: what exports carry.
package struct SketchSnapshot: Sendable, Equatable {
    /// Buckets an octave are `2^scale`.
    package var scale: Int
    /// Index and count of each positive bucket in use, ascending; bucket i covers (2^((i-1)/2^scale), 2^(i/2^scale)].
    package var positive: [Bucket]
    /// The same over magnitudes of negative values.
    package var negative: [Bucket]
    package var zeroCount: UInt64

    package struct Bucket: Sendable, Equatable {
        package var index: Int32
        package var count: UInt64
        package init(index: Int32, count: UInt64) {
            self.index = index
            self.count = count
        }
    }

    package init(scale: Int, positive: [Bucket], negative: [Bucket], zeroCount: UInt64) {
        self.scale = scale
        self.positive = positive
        self.negative = negative
        self.zeroCount = zeroCount
    }

    package var count: UInt64 {
        positive.reduce(zeroCount) { $0 + $1.count } + negative.reduce(0) { $0 + $1.count }
    }
}
