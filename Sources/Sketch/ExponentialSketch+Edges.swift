extension ExponentialSketch {
    /// Returns the number of values that surely lie at or below an edge.
    ///
    /// Values in the bucket that the edge cuts are not counted. Values in the next bucket are not counted either if the
    /// edge is the upper end of its own bucket. So the result is too small by the count of two buckets at most. It is
    /// exact for 0.
    /// - Parameter edge: Finite.
    package func countSurely(atOrBelow edge: Double) -> UInt64 { countsSurely(EdgeCuts([edge]))[0] }

    /// Returns the number of values that surely lie at or below an edge, of those in the buckets that it cuts. A power
    /// of two is the upper end of one of its two buckets.
    package func countSurely(inBucketsCutBy edge: Double) -> UInt64 {
        guard edge != 0, edge.magnitude.significand == 1 else { return 0 }
        let place = BucketLayout.place(ofBucket: indexer.index(of: edge.magnitude))
        return edge > 0 ? positive[place] : negative[place + 1]
    }

    /// Returns the number of values that surely lie at or below each edge, without those that ``EdgeCutCounts`` counts.
    ///
    /// Cost: one pass over the lines in use, and over the buckets of lines that edges cut.
    package func countsSurely(_ cuts: EdgeCuts) -> [UInt64] {
        let edges = cuts.edges
        var counts = Array(repeating: UInt64(0), count: edges.count)
        let firstPositive = edges.firstIndex { $0 > 0 } ?? edges.count
        let firstNotNegative = edges.firstIndex { $0 >= 0 } ?? edges.count
        var below = RunningCount(negative)
        for index in stride(from: firstNotNegative - 1, through: 0, by: -1) {
            counts[index] = 0 &- below.sum(through: cuts.places[index].upperBound)
        }
        let allNegative = below.sum(through: .max)
        for index in 0..<firstNotNegative { counts[index] &+= allNegative }
        for index in firstNotNegative..<firstPositive { counts[index] = zeroCount &+ allNegative }
        var positive = RunningCount(positive)
        for index in firstPositive..<edges.count {
            let sum = positive.sum(through: cuts.places[index].lowerBound - 1)
            counts[index] = zeroCount &+ allNegative &+ sum
        }
        return counts
    }
}

/// Adds up counts from the lowest bucket on, by whole lines if possible.
private struct RunningCount {
    private let counts: DenseCounts
    private var offset = 0
    private var sum: UInt64 = 0

    init(_ counts: DenseCounts) { self.counts = counts }

    /// Returns the sum of the counts of all places up to and including one. Calls are in ascending order.
    mutating func sum(through place: Int) -> UInt64 {
        let indices = counts.indices
        let end = place < indices.upperBound ? Swift.max(0, place - indices.lowerBound + 1) : indices.count
        while offset < end {
            if offset % DenseCounts.lineLength == 0, offset + DenseCounts.lineLength <= end {
                sum &+= counts.lineSum(atOffset: offset)
                offset += DenseCounts.lineLength
            } else {
                sum &+= counts.count(atOffset: offset)
                offset += 1
            }
        }
        return sum
    }
}
