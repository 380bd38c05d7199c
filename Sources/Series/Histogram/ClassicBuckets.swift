package import Sketch

extension ClassicBucket {
    /// The powers of two that are the edges of a histogram of durations, from 119 ns to 8 s.
    private static let exponentsOfSeconds = -23...3

    /// Classic buckets, exact because every power of two is an edge of the sketch.
    ///
    /// Durations have the edges 2^-23 to 2^3 s. Other units have the powers of two from 2^-64 to 2^64 over the range that the
    /// finite values have taken so far, of either sign, and 0 once a zero or a negative value was seen; as totals only grow, an edge that
    /// was shown stays.
    package static func buckets(of octaves: OctaveCounts, unit: MetricUnit) -> [ClassicBucket] {
        if unit == .seconds { return positive(exponentsOfSeconds, octaves) }
        var buckets: [ClassicBucket] = []
        for exponent in exponents(octaves.negative)?.reversed() ?? [] {
            buckets.append(negative(exponent, octaves))
        }
        if octaves.cumulativeCountUpToZero > 0 {
            buckets.append(ClassicBucket(upperBound: 0, cumulativeCount: octaves.cumulativeCountUpToZero))
        }
        return buckets + (exponents(octaves.positive).map { positive($0, octaves) } ?? [])
    }

    /// Buckets with those of other edges among them.
    ///
    /// Where both have an edge the first count stands, since it is exact for the whole life of the series. Values are told
    /// from edges in units of the clock here and in the metric's there, so that of two edges that differ by a rounding the
    /// upper one may have counted less: it is shown with what the lower one has.
    static func merged(_ buckets: [ClassicBucket], _ others: [EdgeCount], count: UInt64) -> [ClassicBucket] {
        var merged: [ClassicBucket] = []
        merged.reserveCapacity(buckets.count + others.count)
        var (place, highest) = (0, UInt64(0))
        func append(_ bound: Double, _ cumulative: UInt64) {
            highest = min(max(highest, cumulative), count)
            merged.append(ClassicBucket(upperBound: bound, cumulativeCount: highest))
        }
        for other in others {
            while place < buckets.count, buckets[place].upperBound < other.edge {
                append(buckets[place].upperBound, buckets[place].cumulativeCount)
                place += 1
            }
            if place < buckets.count, buckets[place].upperBound == other.edge { continue }
            append(other.edge, other.cumulativeCount)
        }
        for bucket in buckets[place...] { append(bucket.upperBound, bucket.cumulativeCount) }
        return merged
    }

    /// The powers of two that may be edges: beyond, values are counted by octave, and an edge for each would make pages of
    /// megabytes of a histogram of arbitrary bits.
    private static let exponentsOfEdges = -64...64

    /// From the lower edge of the first octave to the upper edge of the last that holds a finite value, as far as there are
    /// edges.
    private static func exponents(_ octaves: [OctaveCounts.Octave]) -> ClosedRange<Int>? {
        let occupied = octaves.filter { $0.count > 0 && $0.exponent <= OctaveCounts.highestExponent }
        guard let first = occupied.first, let last = occupied.last else { return nil }
        return (first.exponent - 1...last.exponent).clamped(to: exponentsOfEdges)
    }

    /// - Parameter exponents: ascending.
    private static func positive(_ exponents: some Collection<Int>, _ octaves: OctaveCounts) -> [ClassicBucket] {
        var (place, count) = (0, octaves.cumulativeCountUpToZero)
        return exponents.map { exponent in
            while place < octaves.positive.count, octaves.positive[place].exponent <= exponent {
                count &+= octaves.positive[place].count
                place += 1
            }
            return ClassicBucket(upperBound: power(exponent), cumulativeCount: count)
        }
    }

    private static func negative(_ exponent: Int, _ octaves: OctaveCounts) -> ClassicBucket {
        ClassicBucket(
            upperBound: -power(exponent), cumulativeCount: octaves.cumulativeCount(upToNegativePower: exponent))
    }

    private static func power(_ exponent: Int) -> Double {
        Double(sign: .plus, exponent: exponent, significand: 1)
    }
}
