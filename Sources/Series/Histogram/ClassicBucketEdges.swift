internal import Sketch

/// The edges of a histogram's classic buckets.
package struct ClassicBucketEdges: Sendable {
    let cuts: EdgeCuts
    /// Edges that are always shown. Other edges are shown only if there are values around them. Nil if all edges are
    /// always shown.
    private let fixed: Set<Double>?

    static let none = ClassicBucketEdges(cuts: .none, fixed: nil)

    private init(cuts: EdgeCuts, fixed: Set<Double>?) {
        self.cuts = cuts
        self.fixed = fixed
    }

    /// Returns whether an edge is shown only if there are values around it.
    func isOfRange(_ edge: Double) -> Bool { fixed.map { !$0.contains(edge) } ?? false }

    /// - Parameters:
    ///   - chosen: The edges of a configured rule; nil for the standard edges.
    ///   - thresholds: The thresholds of objectives, which are edges too.
    ///   - unit: The unit of the metric.
    package init(chosen: [Double]?, thresholds: [Double], unit: MetricUnit) {
        let standard = unit == .seconds ? Self.durations : Self.numbers
        let others = Set((chosen ?? []) + thresholds).filter(\.isFinite)
        guard chosen == nil else {
            self.init(cuts: EdgeCuts(others.sorted()), fixed: nil)
            return
        }
        let cuts = others.isEmpty ? standard : EdgeCuts(others.union(standard.edges).sorted())
        self.init(cuts: cuts, fixed: unit == .seconds ? nil : others)
    }

    /// From 100 ns to 10 s.
    private static let durations = EdgeCuts(Self.series(-7...0) + [10])
    /// From 10^-9 to 10^15, the same negative numbers, and zero.
    private static let numbers: EdgeCuts = {
        let positive = Self.series(-9...14) + [1e15]
        return EdgeCuts(positive.reversed().map { -$0 } + [0] + positive)
    }()

    /// Returns 1, 2.5 and 5 times the powers of ten, parsed from their decimal texts.
    private static func series(_ exponents: ClosedRange<Int>) -> [Double] {
        exponents.flatMap { exponent in ["1", "2.5", "5"].compactMap { Double("\($0)e\(exponent)") } }
    }

    /// Merges the edges of several histograms that are shown as one.
    init(union choices: [ClassicBucketEdges]) {
        let cuts = EdgeCuts(Set(choices.flatMap(\.cuts.edges)).sorted())
        let fixed = choices.flatMap { choice in choice.cuts.edges.filter { !choice.isOfRange($0) } }
        self.init(cuts: cuts, fixed: Set(fixed))
    }
}

extension ClassicBucket {
    /// Returns the buckets that are shown. Beyond the values, edges that are shown only near values are left out,
    /// except for the one next to the lowest value and the one next to the highest. Totals only increase, so an edge
    /// that was shown stays.
    ///
    /// - Parameters:
    ///   - counts: The counts of the edges.
    ///   - count: The number of all values.
    static func shown(
        _ counts: [EdgeCount], _ choice: ClassicBucketEdges, count: UInt64, _ infinities: Infinities
    ) -> [ClassicBucket] {
        let finite = infinities.negative..<count &- infinities.positive
        return counts.indices.compactMap { index in
            let edge = counts[index]
            let next = index + 1 < counts.count ? counts[index + 1].cumulativeCount : finite.upperBound
            let previous = index > 0 ? counts[index - 1].cumulativeCount : finite.lowerBound
            let isShown =
                !choice.isOfRange(edge.edge) || next > finite.lowerBound && previous < finite.upperBound
            return isShown ? ClassicBucket(upperBound: edge.edge, cumulativeCount: edge.cumulativeCount) : nil
        }
    }
}

/// The number of values of a histogram at or below one edge.
package struct EdgeCount: Sendable, Equatable {
    package var edge: Double
    package var cumulativeCount: UInt64

    package init(edge: Double, cumulativeCount: UInt64) {
        self.edge = edge
        self.cumulativeCount = cumulativeCount
    }
}
