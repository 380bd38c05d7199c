/// The checks that an order must pass before it is sent, in their order.
enum RiskCheck: Int, CaseIterable, Sendable {
    case dailyLoss, position, notional, priceCollar
}

/// An order that the strategy would like to send.
struct OrderIntent: Equatable {
    var side: Side
    var size: Int
    var price: Price
    /// Whether it takes resting orders of the other side and leaves nothing resting.
    var isImmediate: Bool
}

/// The limits that one bot trades under.
struct RiskLimits: Equatable, Sendable {
    var dailyLossUSD = 25_000.0
    var positionShares = 1_000
    var orderNotionalUSD = 250_000.0
    /// The largest distance of a price from the middle.
    var collarRatio = 0.02
}

/// The state of the account that the checks use.
struct RiskState {
    var position: Int
    /// Shares of working orders that would add to the position on either side.
    var workingBuyShares: Int
    var workingSellShares: Int
    var dailyLossUSD: Double
    var midUSD: Double
}

extension RiskLimits {
    /// Returns whether the intent passes one check.
    func passes(_ check: RiskCheck, _ intent: OrderIntent, _ state: RiskState) -> Bool {
        switch check {
        case .dailyLoss: state.dailyLossUSD <= dailyLossUSD
        case .position: worstPosition(intent, state) <= positionShares
        case .notional: Double(intent.size) * intent.price.usd <= orderNotionalUSD
        case .priceCollar: abs(intent.price.usd - state.midUSD) <= state.midUSD * collarRatio
        }
    }

    /// Returns the shares held on the intent's side if it and every working order of that side were filled. Shares held
    /// on the other side count as negative, so an order that reduces the position passes unless it turns it around
    /// beyond the limit.
    private func worstPosition(_ intent: OrderIntent, _ state: RiskState) -> Int {
        let working = intent.side == .buy ? state.workingBuyShares : state.workingSellShares
        return state.position * intent.side.sign + working + intent.size
    }
}
