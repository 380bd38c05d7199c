/// The best inventory for a view of the market over the next three candles: a small quadratic program.
///
/// It maximises the expected gain, less the risk of holding and the cost of trading, within a limit on the shares held
/// (the shape of Garleanu and Pedersen, "Dynamic trading with predictable returns and transaction costs", Journal of
/// Finance 68, 2013). Coordinate descent solves it. Each step is exact in one candle, and a box keeps it convex.
struct TargetInventory {
    /// How a solution ended.
    enum Status: Int, CaseIterable, Sendable {
        case optimal, iterationLimit
    }

    static let limitShares = 200.0
    private static let iterationLimit = 12
    /// Shares.
    private static let tolerance = 0.5
    /// The share of the view that remains after each candle.
    private static let decay = 0.5
    private static let changeCost = 1.0

    private(set) var shares = [0.0, 0, 0]

    /// The shares to hold now.
    var now: Int { Int(shares[0]) }

    /// Solves the program.
    ///
    /// - Parameters:
    ///   - position: The shares held.
    ///   - strength: The view, -1 to 1.
    ///   - regime: The regime of the market. Risk costs more in a wilder market.
    mutating func solve(position: Int, strength: Double, regime: Regime) -> Status {
        let riskCost = 0.2 + Double(regime.rawValue)
        for _ in 0..<Self.iterationLimit {
            var change = 0.0
            var view = strength * 100
            for index in shares.indices {
                let before = index == 0 ? Double(position) : shares[index - 1]
                let after = index + 1 < shares.count ? shares[index + 1] : nil
                let neighbours = before + (after ?? 0)
                let weight = riskCost + Self.changeCost * (after == nil ? 1 : 2)
                let best = (view + Self.changeCost * neighbours) / weight
                let bounded = min(Self.limitShares, max(-Self.limitShares, best))
                change = max(change, abs(bounded - shares[index]))
                shares[index] = bounded
                view *= Self.decay
            }
            if change <= Self.tolerance { return .optimal }
        }
        return .iterationLimit
    }
}
