/// Where a market maker wants its two orders to rest; nil is a side on which it wants none.
struct QuotePair: Equatable {
    var bid: Price?
    var ask: Price?
}

/// Quotes around the microprice, shifted by the signal and against the inventory (the shape of Avellaneda and Stoikov,
/// "High-frequency trading in a limit order book", Quantitative Finance 8, 2008, with constants for their formulas).
struct Quoter {
    static let tick: Price = 100

    /// Shares in each quote.
    var quoteSize = 100
    /// At this inventory the quotes are shifted by a whole spread, and the side that adds to it falls silent.
    var inventoryLimit = 600
    /// Half the distance between the two quotes, as a share of the market's own spread.
    func halfSpreadShare(_ regime: Regime) -> Double {
        switch regime {
        case .calm: 0.4
        case .normal: 0.5
        case .storm: 1.0
        }
    }

    /// The wanted quotes. A large inventory can shift one across the market; the venue, where it has to rest, refuses it.
    func quotes(_ top: TopOfBook, strength: Double, position: Int, regime: Regime) -> QuotePair {
        let half = halfSpreadShare(regime) * Double(top.askPrice - top.bidPrice)
        let inventory = Double(position) / Double(inventoryLimit)
        let centre = top.microprice + strength * half - inventory * 2 * half
        let bid = Self.roundedDown(centre - half)
        return QuotePair(
            bid: position < inventoryLimit && bid > 0 ? bid : nil,
            ask: position > -inventoryLimit ? Self.roundedUp(centre + half) : nil)
    }

    /// An order that brings an inventory above the limit down at once, at the price of crossing the spread.
    func hedge(_ top: TopOfBook, position: Int) -> OrderIntent? {
        guard abs(position) >= inventoryLimit else { return nil }
        let side: Side = position > 0 ? .sell : .buy
        let price = side == .buy ? top.askPrice : top.bidPrice
        return OrderIntent(side: side, size: min(abs(position), 2 * quoteSize), price: price, isImmediate: true)
    }

    private static func roundedDown(_ price: Double) -> Price { Price((price / Double(tick)).rounded(.down)) * tick }
    private static func roundedUp(_ price: Double) -> Price { Price((price / Double(tick)).rounded(.up)) * tick }
}
