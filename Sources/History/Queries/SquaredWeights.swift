internal import Sketch

/// The distribution of the weights over the values: for each bucket, the sum of weight² - weight.
///
/// A minute stores one figure for all its values. Each bucket gets its share of it. That is exact if a minute has one
/// weight, as with sampling at a fixed rate, and close if the rate follows the load.
struct SquaredWeights {
    private var positive: [Int32: Double] = [:]
    private var negative: [Int32: Double] = [:]
    private var zero = 0.0

    mutating func add(_ minute: HistogramMinute) {
        let excess = minute.weights.squaredExcess
        let count = minute.sketch.wrappingCount
        guard excess > 0, count > 0 else { return }
        let share = excess / Double(count)
        for bucket in minute.sketch.positive { positive[bucket.index, default: 0] += share * Double(bucket.count) }
        for bucket in minute.sketch.negative { negative[bucket.index, default: 0] += share * Double(bucket.count) }
        zero += share * Double(minute.sketch.zeroCount)
    }

    /// Returns the sums for values at or below a value, and above it.
    func split(at value: Double) -> (below: Double, above: Double) {
        var (below, above) = (0.0, 0.0)
        func add(_ excess: Double, at place: Double) { if place <= value { below += excess } else { above += excess } }
        add(zero, at: 0)
        for (bucket, excess) in positive { add(excess, at: BucketEdges.midpoint(ofBucket: Int(bucket))) }
        for (bucket, excess) in negative { add(excess, at: -BucketEdges.midpoint(ofBucket: Int(bucket))) }
        return (below, above)
    }
}

extension MergedMinutes {
    /// Returns the number of values of weight one that would tell as much about a quantile; nil if the weights are
    /// unknown. If all weights are equal, it is the number of records.
    ///
    /// The share of values below the quantile is a weighted mean of zeros and ones. Its variance is the sum of the
    /// squared weights times their squared distances, over the square of the weights' sum (linearisation: C.-E.
    /// Särndal, B. Swensson and J. Wretman, Model Assisted Survey Sampling, 1992, section 5.7). The result is at most
    /// L. Kish's n for weights that are independent of the values (Survey Sampling, 1965, section 11.7): a tail of few
    /// records says little about its own weights.
    ///
    /// - Parameter value: the quantile's value.
    func effectiveCount(atQuantile quantile: Double, value: Double) -> Double? {
        guard weights.unknown == 0 else { return nil }
        let count = Double(sketch.count)
        guard weights.squaredExcess > 0 else { return count }
        let kish = count * count / (count + weights.squaredExcess)
        guard let squares, quantile > 0, quantile < 1 else { return kish }
        let (below, above) = squares.split(at: value)
        let variance =
            (1 - quantile) * (1 - quantile) * (quantile * count + below)
            + quantile * quantile * ((1 - quantile) * count + above)
        return min(kish, quantile * (1 - quantile) * count * count / variance)
    }
}
