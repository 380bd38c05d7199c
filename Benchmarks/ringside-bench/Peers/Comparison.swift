/// One of our calls beside one of somebody else's.
struct Comparison: Sendable {
    /// What is set against what.
    enum Measure: String, Sendable {
        case mean
        case p99
        case loop

        func figure(_ figures: CallFigures) -> Double {
            switch self {
            case .mean: figures.mean
            case .p99: figures.p99
            case .loop: figures.loop
            }
        }
    }

    let name: String
    /// The program that measures the peer, and the call's name there.
    let program: String
    let call: String
    let ours: OwnCall
    let measure: Measure
    /// How many times cheaper ours is meant to be with near and with far processors; nil where nothing is aimed at.
    var nearTarget: Double?
    var farTarget: Double?

    init(
        _ name: String, _ program: String, _ call: String, ours: OwnCall, by measure: Measure, near: Double? = nil,
        far: Double? = nil
    ) {
        self.name = name
        self.program = program
        self.call = call
        self.ours = ours
        self.measure = measure
        nearTarget = near
        farTarget = far
    }

    /// Peer's cost over ours. A p99 below the clock's step counts as one step.
    func ratio(ours: CallFigures, peers: CallFigures) -> Double {
        measure.figure(peers) / max(measure.figure(ours), measure == .p99 ? 10 : 0.1)
    }
}

/// What a peer's own authors, or those who compare it, have published.
struct PublishedFigure: Sendable {
    let text: String
    let source: String
}
