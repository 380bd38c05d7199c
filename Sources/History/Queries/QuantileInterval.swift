internal import Glibc
internal import Sketch

/// A quantile and its confidence interval.
package struct QuantileInterval: Equatable, Sendable {
    package var value: Double
    /// The bounds contain the quantile of the underlying distribution with 95 % confidence. A bound is nil if there are
    /// too few values for it.
    package var lower: Double?
    package var upper: Double?
}

/// The confidence interval of a quantile by order statistics. The number of values below the q-quantile, of n values,
/// is binomial(n, q) whatever the distribution, so two ranks bound the quantile (W. J. Conover, Practical Nonparametric
/// Statistics, 3rd ed., section 3.2). Up to 10,000 values the exact binomial sums are used, above that the normal
/// approximation. The sketch's error of 0.271 % is added on both sides. For sampled values, n is the number of records,
/// not of the calls that they represent (``MergedMinutes/effectiveCount(atQuantile:value:)``). The interval assumes
/// independent values: latencies that come in bursts are less certain than it says.
enum OrderStatistics {
    static let confidence = 0.95
    private static let tail = (1 - confidence) / 2
    private static let normalQuantile = 1.959963984540054
    private static let exactLimit: UInt64 = 10_000
    /// The sketch's relative error.
    private static let relativeError = 0.00271

    /// Returns the ranks, from 1, whose values bound the quantile of `count` values; nil for a bound that no rank
    /// gives.
    static func ranks(quantile: Double, count: UInt64) -> (lower: UInt64?, upper: UInt64?) {
        guard count > 0 else { return (nil, nil) }
        return count <= exactLimit ? exactRanks(quantile, count) : normalRanks(quantile, count)
    }

    private static func normalRanks(_ quantile: Double, _ count: UInt64) -> (lower: UInt64?, upper: UInt64?) {
        let mean = Double(count) * quantile
        let spread = normalQuantile * (mean * (1 - quantile)).squareRoot()
        let (lower, upper) = ((mean - spread).rounded(.down), (mean + spread).rounded(.up) + 1)
        return (lower >= 1 ? UInt64(lower) : nil, upper <= Double(count) ? UInt64(upper) : nil)
    }

    private static func exactRanks(_ quantile: Double, _ count: UInt64) -> (lower: UInt64?, upper: UInt64?) {
        let n = Double(count)
        var (lower, upper): (UInt64?, UInt64?) = (nil, nil)
        var cumulative = 0.0
        for successes in 0..<count {
            let k = Double(successes)
            let logarithm =
                lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(quantile) + (n - k) * log1p(-quantile)
            cumulative += exp(logarithm)
            // P(fewer than rank values below the quantile), with rank = successes + 1.
            if cumulative <= tail { lower = successes + 1 }
            if cumulative >= 1 - tail {
                upper = successes + 1
                break
            }
        }
        return (lower, upper)
    }

    /// Returns a quantile with its bounds; nil if there is no value. There are no bounds if the number of records is
    /// unknown.
    static func interval(_ quantile: Double, of merged: MergedMinutes) -> QuantileInterval? {
        guard merged.sketch.count > 0 else { return nil }
        func value(at quantile: Double) -> Double { merged.histogram(quantiles: [quantile]).values[0] }
        let center = value(at: quantile)
        let count = merged.effectiveCount(atQuantile: quantile, value: center).map { $0.rounded(.down) } ?? 0
        guard count >= 1 else { return QuantileInterval(value: center, lower: nil, upper: nil) }
        let (lower, upper) = ranks(quantile: quantile, count: UInt64(count))
        func value(atRank rank: UInt64) -> Double { value(at: (Double(rank) - 0.5) / count) }
        return QuantileInterval(
            value: center,
            lower: lower.map { value(atRank: $0) }.map { $0 - $0.magnitude * relativeError },
            upper: upper.map { value(atRank: $0) }.map { $0 + $0.magnitude * relativeError })
    }
}

/// The change of a quantile.
package struct QuantileDifference: Equatable, Sendable {
    package var before: QuantileInterval
    package var after: QuantileInterval

    package var value: Double { after.value - before.value }

    /// The 95 % interval of the difference, from those of the two quantiles (MOVER: G. Y. Zou and A. Donner,
    /// Construction of confidence limits about effect measures: a general approach, Statistics in Medicine 27, 2008,
    /// 1693-1702); nil if one of them has no bounds.
    package var interval: ClosedRange<Double>? {
        guard let low1 = before.lower, let high1 = before.upper, let low2 = after.lower, let high2 = after.upper else {
            return nil
        }
        func root(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
        let lower = value - root(after.value - low2, high1 - before.value)
        let upper = value + root(high2 - after.value, before.value - low1)
        return lower <= upper ? lower...upper : nil
    }

    /// Whether the interval excludes zero, that is, no change.
    package var isSignificant: Bool { interval.map { !$0.contains(0) } ?? false }
}
