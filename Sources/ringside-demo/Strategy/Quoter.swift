/// The prices at which a market maker wants its two orders to rest; nil for a side on which it wants none.
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
    /// At this inventory the quotes are shifted by a whole spread, and the side that adds to it is not quoted.
    var inventoryLimit = 600
    /// Returns half the distance between the two quotes, as a share of the market's own spread.
    func halfSpreadShare(_ regime: Regime) -> Double {
        switch regime {
        case .calm: 0.4
        case .normal: 0.5
        case .storm: 1.0
        }
    }

    /// Returns the wanted quotes. A large inventory can shift a quote across the market. The venue then refuses it,
    /// since it has to rest.
    func quotes(_ top: TopOfBook, strength: Double, position: Int, regime: Regime) -> QuotePair {
        let half = halfSpreadShare(regime) * Double(top.askPrice - top.bidPrice)
        let inventory = Double(position) / Double(inventoryLimit)
        let centre = top.microprice + strength * half - inventory * 2 * half
        let bid = Self.roundedDown(centre - half)
        return QuotePair(
            bid: position < inventoryLimit && bid > 0 ? bid : nil,
            ask: position > -inventoryLimit ? Self.roundedUp(centre + half) : nil)
    }

    /// The limit of an order that crosses the spread, as a share of the shares traded lately.
    var participationRatio = 0.1

    /// Returns an order that brings an inventory above the limit down at once, and pays the spread.
    ///
    /// - Parameter tradedShares: Shares that the market traded lately.
    /// - Returns: The order, and whether it was reduced to keep to its share of the volume. One lot is always allowed.
    func hedge(
        _ top: TopOfBook, position: Int, tradedShares: Double
    ) -> (intent: OrderIntent, isDownscaled: Bool)? {
        guard abs(position) >= inventoryLimit else { return nil }
        let side: Side = position > 0 ? .sell : .buy
        let price = side == .buy ? top.askPrice : top.bidPrice
        let wanted = min(abs(position), 2 * quoteSize)
        let size = min(wanted, max(quoteSize, Int(tradedShares * participationRatio)))
        return (OrderIntent(side: side, size: size, price: price, isImmediate: true), size < wanted)
    }

    private static func roundedDown(_ price: Double) -> Price { Price((price / Double(tick)).rounded(.down)) * tick }
    private static func roundedUp(_ price: Double) -> Price { Price((price / Double(tick)).rounded(.up)) * tick }
}
