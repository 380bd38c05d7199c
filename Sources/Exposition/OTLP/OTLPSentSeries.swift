import Series
import Sketch

/// The series that an export by OTLP sent last.
package struct OTLPSentSeries: Sendable {
    private var families: [MetricFamily] = []
    /// The resources of their bots, by bot.
    private(set) var resources: [String: OTLPResource] = [:]

    /// Makes the empty list of an export that has sent nothing.
    package init() {}

    init(_ families: [MetricFamily], _ resources: OTLPResources) {
        self.families = families.map { family in
            guard family.kind == .histogram else { return family }
            // Only the identity of the series is needed later, so buckets are not stored.
            var names = family
            for place in names.series.indices { names.series[place].value = .histogram(Self.empty) }
            return names
        }
        self.resources = resources.byBot
    }

    private static let empty = HistogramSnapshot(
        calls: 0, abandoned: 0, failed: 0, total: HistogramSummary(count: 0, sum: 0, extremes: nil, quantiles: []),
        sketch: SketchSnapshot(scale: 7, positive: [], negative: [], zeroCount: 0), classicBuckets: [], windows: [])

    /// Returns the series that `current` lacks.
    func ended(without current: Families) -> [MetricFamily] {
        let known = Dictionary(current.all.map { ($0.name, $0) }) { first, _ in first }
        return families.compactMap { family in
            guard let same = known[family.name], same.kind == family.kind else { return family }
            if family.hasSameLabels(as: same) { return nil }
            let labels = Set(same.series.map(\.labels))
            var ended = family
            ended.series.removeAll { labels.contains($0.labels) }
            return ended.series.isEmpty ? nil : ended
        }
    }
}

extension MetricFamily {
    /// Returns whether both have series of the same labels, in the same order.
    fileprivate func hasSameLabels(as other: MetricFamily) -> Bool {
        series.count == other.series.count
            && zip(series, other.series).allSatisfy {
                $0.labelSet === $1.labelSet || $0.labelSet.all == $1.labelSet.all
            }
    }
}
