/// How many values lie in each octave: what classic buckets with powers of two as edges are read from.
package struct OctaveCounts: Sendable {
    /// By k, ascending without gaps, the values in (2^(k-1), 2^k].
    package var positive: [Octave]
    /// By k, ascending without gaps, the values in [-2^k, -2^(k-1)).
    package var negative: [Octave]
    package var zeroCount: UInt64

    package struct Octave: Sendable, Equatable {
        package var exponent: Int
        package var count: UInt64
        /// Of these, the values that are exactly -2^k; 0 for a positive octave.
        package var atNegativePower: UInt64
    }

    /// Values at or below 2^exponent.
    package func cumulativeCount(upToPower exponent: Int) -> UInt64 {
        let below = positive.lazy.filter { $0.exponent <= exponent }
        return below.reduce(cumulativeCountUpToZero) { $0 &+ $1.count }
    }

    /// Values at or below zero.
    package var cumulativeCountUpToZero: UInt64 {
        negative.reduce(zeroCount) { $0 &+ $1.count }
    }

    /// Values at or below -2^exponent.
    package func cumulativeCount(upToNegativePower exponent: Int) -> UInt64 {
        negative.reduce(0) { sum, octave in
            if octave.exponent > exponent { return sum &+ octave.count }
            return octave.exponent == exponent ? sum &+ octave.atNegativePower : sum
        }
    }
}

extension ExponentialSketch {
    /// The counts by octave, exact: every power of two is an edge of the sketch.
    ///
    /// - Precondition: the sketch was made with `keepsNegativePowers`, or holds no negative value.
    package func octaves() -> OctaveCounts {
        precondition(keepsNegativePowers || negative.length == 0)
        var negativeOctaves = Self.octaves(of: negative)
        for place in negativeOctaves.indices {
            negativeOctaves[place].atNegativePower = negativePowers[negativeOctaves[place].exponent]
        }
        return OctaveCounts(positive: Self.octaves(of: positive), negative: negativeOctaves, zeroCount: zeroCount)
    }

    private static func octaves(of counts: DenseCounts) -> [OctaveCounts.Octave] {
        var octaves: [OctaveCounts.Octave] = []
        counts.forEach { index, count in
            let exponent = (index + BucketIndexer.bucketsPerOctave - 1) >> BucketIndexer.scale
            while let last = octaves.last, last.exponent < exponent {
                octaves.append(.init(exponent: last.exponent + 1, count: 0, atNegativePower: 0))
            }
            if octaves.isEmpty { octaves.append(.init(exponent: exponent, count: 0, atNegativePower: 0)) }
            octaves[octaves.count - 1].count &+= count
        }
        return octaves
    }
}
