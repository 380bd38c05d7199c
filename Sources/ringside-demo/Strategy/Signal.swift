/// The direction of the signal.
enum SignalDirection: Int, CaseIterable, Sendable {
    case buy, sell, flat
}

/// A short-term view of the price from the book and the trades.
///
/// It has three parts, each between about -1 and 1. The first is the imbalance of the best queues. The second is the
/// order flow imbalance: the shares added to and taken from the best queues lately (Cont, Kukanov and Stoikov, "The
/// price impact of order book events", Journal of Financial Econometrics 12, 2014). The third is the momentum of the
/// middle price.
struct Signal {
    struct Value: Equatable {
        /// -1 (sell) to 1 (buy).
        let strength: Double

        var direction: SignalDirection {
            if strength > 0.2 { return .buy }
            return strength < -0.2 ? .sell : .flat
        }
    }

    private var lastTop: TopOfBook?
    /// Shares, and the sizes that they are measured against. Both fade with the same half-life.
    private var flow = 0.0
    private var depth = 1.0
    private var fastMid = 0.0
    private var slowMid = 0.0

    /// Updates the signal with the top of the book. Returns whether the top changed, and so carried order flow.
    mutating func update(_ top: TopOfBook) -> Bool {
        guard let last = lastTop else {
            lastTop = top
            (fastMid, slowMid) = (top.mid, top.mid)
            return false
        }
        guard top != last else { return false }
        flow = flow * 0.95 + Double(Self.orderFlow(from: last, to: top))
        depth = depth * 0.95 + Double(top.bidSize + top.askSize) / 2
        fastMid += (top.mid - fastMid) * 0.1
        slowMid += (top.mid - slowMid) * 0.01
        lastTop = top
        return true
    }

    /// Returns the model's features for a book whose top is `top`.
    func features(_ top: TopOfBook) -> SignalModel.Features {
        let spread = Double(top.askPrice - top.bidPrice)
        return SignalModel.Features(
            imbalance: top.imbalance, orderFlow: flow / depth, momentum: (fastMid - slowMid) / spread)
    }

    /// Forgets everything, after lost messages or at the end of a session.
    mutating func reset() { self = Signal() }

    /// Returns the shares added to the buying side, less those added to the selling side, between two states of the top
    /// (equation 4 of the paper).
    static func orderFlow(from last: TopOfBook, to top: TopOfBook) -> Int64 {
        var flow: Int64 = 0
        if top.bidPrice >= last.bidPrice { flow += top.bidSize }
        if top.bidPrice <= last.bidPrice { flow -= last.bidSize }
        if top.askPrice <= last.askPrice { flow -= top.askSize }
        if top.askPrice >= last.askPrice { flow += last.askSize }
        return flow
    }
}
