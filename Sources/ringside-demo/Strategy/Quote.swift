/// The best prices of both sides with the shares that rest there: the input of decisions.
struct TopOfBook: Equatable, Sendable {
    var bidPrice: Price
    var askPrice: Price
    var bidSize: Int64
    var askSize: Int64

    /// The mean of the two prices.
    var mid: Double { (Double(bidPrice) + Double(askPrice)) / 2 }

    /// The prices weighted by the size of the *other* side: where the next trades tend to go (Gatheral and Oomen,
    /// "Zero-intelligence realized variance estimation", Finance and Stochastics 14, 2010).
    var microprice: Double {
        let total = Double(bidSize + askSize)
        return (Double(bidPrice) * Double(askSize) + Double(askPrice) * Double(bidSize)) / total
    }

    /// -1 (only sellers) to 1 (only buyers).
    var imbalance: Double { Double(bidSize - askSize) / Double(bidSize + askSize) }
}

extension OrderBook {
    /// The top of the book, or nil while a side is empty or the sides cross, as they may after lost messages.
    var top: TopOfBook? {
        guard let bid = bestBid, let ask = bestAsk, bid.price < ask.price else { return nil }
        return TopOfBook(bidPrice: bid.price, askPrice: ask.price, bidSize: bid.size, askSize: ask.size)
    }
}
