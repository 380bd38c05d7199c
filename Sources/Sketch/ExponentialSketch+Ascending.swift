extension ExponentialSketch {
    /// Buckets that hold a count, the zero bucket included.
    package var occupiedBuckets: Int {
        positive.occupiedBuckets + negative.occupiedBuckets + (zeroCount > 0 ? 1 : 0)
    }

    /// A walk over the occupied buckets in the order of their values. The sketch must outlive it unchanged.
    func ascending() -> AscendingBuckets {
        AscendingBuckets(negative: negative, zeroCount: zeroCount, positive: positive)
    }
}

struct AscendingBuckets {
    private let negative: DenseCounts
    private let zeroCount: UInt64
    private let positive: DenseCounts
    private var nextNegative: Int?
    private var isBeforeZero = true
    private var nextPositive: Int

    init(negative: DenseCounts, zeroCount: UInt64, positive: DenseCounts) {
        self.negative = negative
        self.zeroCount = zeroCount
        self.positive = positive
        nextNegative = negative.lastOccupied
        nextPositive = positive.indices.lowerBound
    }

    mutating func next() -> SparseCounts.Entry? {
        if let index = nextNegative {
            nextNegative = negative.previousOccupied(from: index - 1)
            return (AxisKey(negative: index).rawValue, negative[index])
        }
        if isBeforeZero {
            isBeforeZero = false
            if zeroCount > 0 { return (AxisKey.zero.rawValue, zeroCount) }
        }
        guard let index = positive.nextOccupied(from: nextPositive) else { return nil }
        nextPositive = index + 1
        return (AxisKey(positive: index).rawValue, positive[index])
    }
}
