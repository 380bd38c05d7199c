extension ExponentialSketch {
    /// Values that surely lie at or below an edge: all of the buckets that do.
    ///
    /// What lies in the one bucket that the edge may cut is not among them, so that the answer is too small by that bucket's
    /// count at most: exact for a power of two and its negative, for no other number.
    /// - Parameter edge: finite.
    package func countSurely(atOrBelow edge: Double) -> UInt64 {
        if edge == 0 { return zeroCount &+ negative.sum { _ in true } }
        let place = BucketPlace.place(ofBucket: indexer.index(of: edge.magnitude))
        if edge < 0 {
            // Mirrored, the bucket of the edge holds what is above the edge, and at its end the edge itself.
            let atEdge = edge.magnitude.significand == 1 ? negativePowers[Int(edge.exponent)] : 0
            return atEdge &+ negative.sum { $0 > place }
        }
        let isEnd = edge.significand == 1
        return zeroCount &+ negative.sum { _ in true } &+ positive.sum { isEnd ? $0 <= place : $0 < place }
    }
}

extension DenseCounts {
    fileprivate func sum(where isCounted: (_ index: Int) -> Bool) -> UInt64 {
        var sum: UInt64 = 0
        forEach { index, count in if isCounted(index) { sum &+= count } }
        return sum
    }
}
