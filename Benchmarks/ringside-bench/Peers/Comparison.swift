/// A comparison of one of our calls with one of another library.
struct Comparison: Sendable {
    /// The figure that is compared.
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
    /// The largest cost of our call, as a multiple of its floor. A peer's relative cost differs from processor to
    /// processor, so it is no target.
    var limit: Double? {
        guard measure == .loop else { return nil }
        return switch ours {
        case .value, .counter: 1.3
        case .timedValue: 1.05
        default: nil
        }
    }

    init(_ name: String, _ program: String, _ call: String, ours: OwnCall, by measure: Measure) {
        self.name = name
        self.program = program
        self.call = call
        self.ours = ours
        self.measure = measure
    }

    /// Returns the peer's cost over ours. A p99 below the clock's step counts as one step.
    func ratio(ours: CallFigures, peers: CallFigures) -> Double {
        measure.figure(peers) / max(measure.figure(ours), measure == .p99 ? 10 : 0.1)
    }
}

/// A figure that a peer's own authors, or others who compare it, have published.
struct PublishedFigure: Sendable {
    let text: String
    let source: String
}
