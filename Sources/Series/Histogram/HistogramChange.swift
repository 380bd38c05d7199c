package import Sketch

/// The change of a histogram since its state, or the previous change, was stored.
package struct HistogramChange: Sendable, Equatable {
    /// The current value.
    package var failed: UInt64
    /// The values added.
    package var added: SketchContent
    /// The current value.
    package var tally: Tally
    /// The number of values at or below each edge, of the added values in buckets that edges cut. Ascending by edge.
    package var edges: [EdgeCount]
    /// The current value.
    package var weights: SampleWeights

    package init(failed: UInt64, added: SketchContent, tally: Tally, edges: [EdgeCount], weights: SampleWeights) {
        self.failed = failed
        self.added = added
        self.tally = tally
        self.edges = edges
        self.weights = weights
    }

    /// Whether it can be added: the content fits a sketch, and the edges are ascending.
    package var isValid: Bool {
        added.isValid && weights.isValid && edges.allSatisfy(\.edge.isFinite)
            && zip(edges, edges.dropFirst()).allSatisfy { $0.edge < $1.edge }
    }
}

extension HistogramState {
    /// Adds a later change.
    ///
    /// - Precondition: Both are valid.
    package mutating func add(_ change: HistogramChange) {
        let values = Set(edges.map(\.edge) + change.edges.map(\.edge)).sorted()
        if !values.isEmpty {
            let cuts = EdgeCuts(values)
            let surely = ExponentialSketch(content).countsSurely(cuts)
            let added = ExponentialSketch(change.added).countsSurely(cuts)
            let known = Dictionary(uniqueKeysWithValues: edges.map { ($0.edge, $0.cumulativeCount) })
            let cut = Dictionary(uniqueKeysWithValues: change.edges.map { ($0.edge, $0.cumulativeCount) })
            edges = values.indices.map {
                let before = known[values[$0]] ?? surely[$0]
                return EdgeCount(
                    edge: values[$0], cumulativeCount: before &+ added[$0] &+ (cut[values[$0]] ?? 0))
            }
        }
        content = SketchContent(buckets: content.buckets.adding(change.added.buckets))
        (failed, tally, weights) = (change.failed, change.tally, change.weights)
    }
}
