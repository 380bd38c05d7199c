/// How many values lie in each octave: what classic buckets with powers of two as edges are read from.
package struct OctaveCounts: Sendable {
    /// By k, ascending without gaps, the values in (2^(k-1), 2^k].
    package var positive: [Octave]
    /// By k, ascending without gaps, the values in [-2^k, -2^(k-1)).
    package var negative: [Octave]
    package var zeroCount: UInt64

    /// Of the octave of the greatest finite double; infinite values are in one beyond it.
    package static let highestExponent = 1024

    package struct Octave: Sendable, Equatable {
        package var exponent: Int
        package var count: UInt64
        /// Of these, the values that are exactly -2^k; 0 for a positive octave.
        package var atNegativePower: UInt64
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
        guard let first = counts.firstOccupied, let last = counts.lastOccupied else { return [] }
        return (BucketPlace.octave(atPlace: first)...BucketPlace.octave(atPlace: last)).map {
            OctaveCounts.Octave(exponent: $0, count: counts.sum(upToPower: $0), atNegativePower: 0)
        }
    }
}

extension DenseCounts {
    /// The counts of the octave (2^(exponent-1), 2^exponent], added up line by line: the buckets that end an octave are
    /// the first ones of a line, so the one below is taken away and the one above added.
    fileprivate func sum(upToPower exponent: Int) -> UInt64 {
        if let place = BucketPlace.coarsePlace(ofOctave: exponent) { return self[place] }
        let end = exponent << BucketIndexer.scale
        let start = end - BucketIndexer.bucketsPerOctave
        var sum = self[end] &- self[start]
        for line in stride(from: start, to: end, by: Self.lineLength) where indices.contains(line) {
            sum &+= lineSum(atOffset: line - Int(base))
        }
        return sum
    }
}
