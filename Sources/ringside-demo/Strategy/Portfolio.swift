/// The bot's position in its one symbol, and its earnings, by average-cost accounting.
struct Portfolio: Equatable {
    static let startingCashUSD = 1_000_000.0
    /// The venue's commission for a share that changes hands.
    static let commissionUSD = 0.000_5

    /// Shares; negative when short.
    private(set) var position = 0
    /// Average price of the open position, in USD a share.
    private(set) var averageCostUSD = 0.0
    private(set) var realizedUSD = 0.0
    private var sessionStartUSD = 0.0

    /// Books a fill and its commission. The commission is a loss at once.
    mutating func fill(_ side: Side, size: Int, priceUSD: Double, commissionUSD: Double = 0) {
        realizedUSD -= commissionUSD
        let change = size * side.sign
        let isOpening = position == 0 || (position > 0) == (change > 0)
        if isOpening {
            let open = Double(abs(position))
            averageCostUSD = (averageCostUSD * open + priceUSD * Double(size)) / (open + Double(size))
        } else {
            let closed = min(abs(position), size)
            realizedUSD += Double(closed * position.signum()) * (priceUSD - averageCostUSD)
            if size > closed { averageCostUSD = priceUSD }
        }
        position += change
        if position == 0 { averageCostUSD = 0 }
    }

    func unrealizedUSD(markUSD: Double) -> Double { Double(position) * (markUSD - averageCostUSD) }

    func totalUSD(markUSD: Double) -> Double { realizedUSD + unrealizedUSD(markUSD: markUSD) }

    func valueUSD(markUSD: Double) -> Double { Self.startingCashUSD + totalUSD(markUSD: markUSD) }

    /// Returns the exposure with its sign.
    func netExposureUSD(markUSD: Double) -> Double { Double(position) * markUSD }

    /// Returns the loss since the session began; 0 while there is a profit.
    func dailyLossUSD(markUSD: Double) -> Double { max(0, sessionStartUSD - totalUSD(markUSD: markUSD)) }

    mutating func startSession(markUSD: Double) { sessionStartUSD = totalUSD(markUSD: markUSD) }
}

extension Price {
    var usd: Double { Double(self) / 10_000 }
}
