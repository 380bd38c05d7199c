package import Sketch

/// All that a histogram took in since its ring began.
package struct HistogramState: Sendable, Equatable {
    package var failed: UInt64
    package var content: SketchContent
    package var tally: Tally
    /// What was counted at edges that were chosen, ascending by edge.
    package var edges: [EdgeCount]
    /// How the values were weighted.
    package var weights: SampleWeights

    /// - Precondition: `content.isValid`, or it can be restored nowhere.
    package init(
        failed: UInt64, content: SketchContent, tally: Tally, edges: [EdgeCount] = [], weights: SampleWeights = .none
    ) {
        self.failed = failed
        self.content = content
        self.tally = tally
        self.edges = edges
        self.weights = weights
    }

    /// Whether it can be restored: the content fits a sketch, and the edges stand in their order.
    package var isValid: Bool {
        content.isValid && weights.isValid && edges.allSatisfy(\.edge.isFinite)
            && zip(edges, edges.dropFirst()).allSatisfy { $0.edge < $1.edge }
    }
}
