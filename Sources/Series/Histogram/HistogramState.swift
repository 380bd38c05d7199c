package import Sketch

/// The totals of a histogram since its ring began, for a checkpoint.
package struct HistogramState: Sendable, Equatable {
    package var failed: UInt64
    package var content: SketchContent
    package var tally: Tally
    /// The counts at configured edges, ascending by edge.
    package var edges: [EdgeCount]
    /// The weights of the values.
    package var weights: SampleWeights

    /// - Precondition: `content.isValid`; otherwise the state cannot be restored.
    package init(
        failed: UInt64, content: SketchContent, tally: Tally, edges: [EdgeCount] = [], weights: SampleWeights = .none
    ) {
        self.failed = failed
        self.content = content
        self.tally = tally
        self.edges = edges
        self.weights = weights
    }

    /// Whether it can be restored: the content fits a sketch, and the edges are ascending.
    package var isValid: Bool {
        content.isValid && weights.isValid && edges.allSatisfy(\.edge.isFinite)
            && zip(edges, edges.dropFirst()).allSatisfy { $0.edge < $1.edge }
    }
}
