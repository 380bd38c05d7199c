internal import Glibc

extension ExponentialSketch {
    /// The values of several quantiles, read in one scan.
    ///
    /// The value for `q` is the harmonic midpoint of the bucket that holds the ceil(q·n)-th smallest value, clamped to
    /// the extremes. So it is off by 0.271 % at most, and exact for a constant, a zero, the smallest and the greatest
    /// value.
    ///
    /// Cost: about a third of a microsecond for each 1,000 buckets of the range in use.
    /// - Parameters:
    ///   - quantiles: between 0 and 1, ascending.
    ///   - minimum: the smallest value that was inserted.
    ///   - maximum: the greatest value that was inserted.
    /// - Returns: one value for each quantile; empty when the sketch is.
    package func values(atQuantiles quantiles: [Double], minimum: Double, maximum: Double) -> [Double] {
        guard count > 0 else { return [] }
        var scan = RankScan(quantiles, count: count, minimum: minimum, maximum: maximum)
        scan.descend(negative)
        scan.step(over: zeroCount, index: nil, isNegative: false)
        scan.ascend(positive)
        return scan.values
    }

    /// ceil(q·n), between 1 and n.
    ///
    /// A quantile such as 0.07 is no double, and 0.07 · 100 comes out as 7.000000000000001: a product within two units
    /// in the last place above a whole number is that number.
    static func rank(ofQuantile quantile: Double, count: UInt64) -> UInt64 {
        let product = quantile * Double(count)
        let whole = floor(product)
        let rank = product - whole <= 2 * product.ulp ? whole : whole + 1
        guard rank >= 1 else { return 1 }
        return rank >= Double(count) ? count : UInt64(rank)
    }
}

/// A walk up the axis of values that stops at the rank of each of several quantiles.
private struct RankScan {
    private let quantiles: [Double]
    private let count: UInt64
    private let minimum: Double
    private let maximum: Double
    private var cumulative: UInt64 = 0
    private(set) var values: [Double] = []
    private var nextRank: UInt64 = .max

    /// - Parameter quantiles: ascending.
    init(_ quantiles: [Double], count: UInt64, minimum: Double, maximum: Double) {
        self.quantiles = quantiles
        self.count = count
        self.minimum = minimum
        self.maximum = maximum
        values.reserveCapacity(quantiles.count)
        seekNext()
    }

    private var isDone: Bool { values.count == quantiles.count }

    private mutating func seekNext() {
        nextRank = isDone ? .max : ExponentialSketch.rank(ofQuantile: quantiles[values.count], count: count)
    }

    mutating func step(over count: UInt64, index: Int?, isNegative: Bool) {
        cumulative &+= count
        if cumulative >= nextRank && count > 0 { emit(index, isNegative) }
    }

    private mutating func emit(_ index: Int?, _ isNegative: Bool) {
        let magnitude = index.map(BucketEdges.midpoint(ofBucket:)) ?? 0
        let value = Swift.max(minimum, Swift.min(maximum, isNegative ? -magnitude : magnitude))
        while cumulative >= nextRank && !isDone {
            values.append(value)
            seekNext()
        }
    }

    /// Steps over a whole line of buckets if no wanted rank lies in it.
    private mutating func skips(_ sum: UInt64) -> Bool {
        guard cumulative &+ sum < nextRank else { return false }
        cumulative &+= sum
        return true
    }

    mutating func ascend(_ counts: DenseCounts) {
        let range = counts.indices
        var offset = 0
        while offset < range.count && !isDone {
            if offset % DenseCounts.lineLength == 0, skips(counts.lineSum(atOffset: offset)) {
                offset += DenseCounts.lineLength
                continue
            }
            step(over: counts.count(atOffset: offset), index: range.lowerBound + offset, isNegative: false)
            offset += 1
        }
    }

    mutating func descend(_ counts: DenseCounts) {
        let range = counts.indices
        var offset = range.count - 1
        while offset >= 0 && !isDone {
            let line = offset + 1 - DenseCounts.lineLength
            if line % DenseCounts.lineLength == 0, skips(counts.lineSum(atOffset: line)) {
                offset -= DenseCounts.lineLength
                continue
            }
            step(over: counts.count(atOffset: offset), index: range.lowerBound + offset, isNegative: true)
            offset -= 1
        }
    }
}
