/// A seeded stream of order messages that a market could have made.
///
/// The orders follow a "zero intelligence" process (Smith, Farmer, Gillemot and Krishnamurthy, "Statistical theory of
/// the continuous double auction", Quantitative Finance 3, 2003). Limit orders arrive at random distances from the
/// other side's best price, resting ones are withdrawn at random, and market orders trade with the front of the queue.
/// The price that the traders hold to be fair wanders, calmly or wildly, and they follow it: `FairPrice`. The shares of
/// the kinds follow a morning of AAPL in June 2012.
///
/// The same seed and stream give the same messages on every machine.
struct GeneratedFeed {
    static let tick: Price = 100
    static let openNanoseconds: Int64 = 34_200_000_000_000
    static let closeNanoseconds: Int64 = 57_600_000_000_000
    /// Mean time between two messages: some 100 a second, five times the real morning's.
    static let meanGapNanoseconds = 10_000_000.0

    private static let targetOrderCount = 500
    private static let openingOrderCount = 240
    /// The distance of limit orders from the fair price: this much, and exponentially more.
    private static let nearestDistanceTicks: Price = 2
    private static let meanDistanceTicks = 8.0

    private var random: SeededRandom
    private var book = OrderBook()
    private var timeNanoseconds: Int64
    private var lastOrderID: UInt64 = 16_000_000
    private var openingOrdersLeft = GeneratedFeed.openingOrderCount
    /// The remainder of a market order that was larger than the order it met.
    private var marketOrder: (side: Side, size: Int64)?
    private var haltMessages: [FeedMessage] = []
    private var fair = FairPrice()

    /// - Parameter startNanoseconds: When the first day begins, after midnight; later ones begin at the open.
    init(seed: UInt64, stream: Int = 0, startNanoseconds: Int64 = GeneratedFeed.openNanoseconds) {
        random = SeededRandom(seed: seed, stream: stream)
        timeNanoseconds = startNanoseconds
    }

    /// Returns the next message, or the end of the trading day. After it another day begins with an empty book.
    mutating func next() -> FeedStep {
        if let message = haltMessages.popLast() { return .message(message) }
        timeNanoseconds += Int64(random.exponential(mean: Self.meanGapNanoseconds))
        guard timeNanoseconds < Self.closeNanoseconds else { return endSession() }
        fair.move(&random)
        let message = nextMessage()
        _ = book.apply(message)
        return .message(message)
    }

    private mutating func endSession() -> FeedStep {
        book.removeAll()
        timeNanoseconds = Self.openNanoseconds
        openingOrdersLeft = Self.openingOrderCount
        marketOrder = nil
        return .sessionEnd
    }

    private mutating func nextMessage() -> FeedMessage {
        if openingOrdersLeft > 0 { return openingOrder() }
        if let rest = marketOrder { return execution(rest.side, size: rest.size) }
        let crowding = Double(book.orderCount) / Double(Self.targetOrderCount)
        switch random.unit() {
        case ..<0.000_01: return halt()
        case ..<0.040: return hiddenExecution()
        case ..<0.110: return marketOrderArrival()
        case ..<0.120: return partialCancellation()
        case ..<(0.120 + 0.40 * crowding): return deletion()
        default: return limitOrder()
        }
    }
}

// MARK: - Kinds of message

extension GeneratedFeed {
    private mutating func openingOrder() -> FeedMessage {
        openingOrdersLeft -= 1
        return newOrder(openingOrdersLeft % 2 == 0 ? .buy : .sell)
    }

    private mutating func limitOrder() -> FeedMessage { newOrder(random.unit() < 0.5 ? .buy : .sell) }

    private mutating func newOrder(_ side: Side) -> FeedMessage {
        lastOrderID += 1 + UInt64(random.below(13))
        let distance = Self.nearestDistanceTicks + Price(random.exponential(mean: Self.meanDistanceTicks))
        let wanted = (fair.wholeTicks - Price(side.rawValue) * distance) * Self.tick
        let price = max(Self.tick, short(of: best(side.opposite), side, wanted))
        return message(.newOrder, side, size: randomSize(), orderID: lastOrderID, price: price)
    }

    /// Returns the price, or the nearest price to it that does not trade at once.
    private func short(of opposite: Price, _ side: Side, _ price: Price) -> Price {
        side == .buy ? min(price, opposite - Self.tick) : max(price, opposite + Self.tick)
    }

    private mutating func deletion() -> FeedMessage {
        guard let order = withdrawableOrder() else { return limitOrder() }
        return message(.deletion, order.side, size: order.size, orderID: order.id, price: order.price)
    }

    private mutating func partialCancellation() -> FeedMessage {
        guard let order = withdrawableOrder(), order.size > 1 else { return limitOrder() }
        let size = 1 + Int64(random.below(Int(order.size - 1)))
        return message(.partialCancellation, order.side, size: size, orderID: order.id, price: order.price)
    }

    private mutating func marketOrderArrival() -> FeedMessage {
        let middleTicks = Double(best(.buy) + best(.sell)) / Double(2 * Self.tick)
        let buyerShare = min(0.95, max(0.05, 0.5 + (fair.ticks - middleTicks) / 6))
        let resting: Side = random.unit() < buyerShare ? .sell : .buy
        return execution(resting, size: randomSize())
    }

    /// Executes a market order against the first order of the best queue. Its remainder meets the next one.
    private mutating func execution(_ side: Side, size: Int64) -> FeedMessage {
        marketOrder = nil
        guard let order = book.front(side), !isLast(order) else { return limitOrder() }
        let traded = min(size, order.size)
        if size > traded { marketOrder = (side, size - traded) }
        return message(.visibleExecution, side, size: traded, orderID: order.id, price: order.price)
    }

    private mutating func hiddenExecution() -> FeedMessage {
        let bid = best(.buy)
        let ask = best(.sell)
        let side: Side = random.unit() < 0.5 ? .buy : .sell
        let steps = max(1, Int((ask - bid) / Self.tick))
        let price = bid + Price(random.below(steps)) * Self.tick
        return message(.hiddenExecution, side, size: randomSize(), orderID: 0, price: max(Self.tick, price))
    }

    /// Halts trading for five minutes: one message stops it, two let it go on.
    private mutating func halt() -> FeedMessage {
        let start = haltMessage(.halted)
        timeNanoseconds += 300_000_000_000
        let quoting = haltMessage(.quotingResumed)
        timeNanoseconds += 1_000_000_000
        haltMessages = [haltMessage(.tradingResumed), quoting]
        return start
    }

    private func haltMessage(_ state: FeedMessage.HaltState) -> FeedMessage {
        message(.halt, .sell, size: 0, orderID: 0, price: state.rawValue)
    }
}

// MARK: - Ingredients

extension GeneratedFeed {
    private func best(_ side: Side) -> Price {
        (side == .buy ? book.bestBid : book.bestAsk)?.price ?? fair.wholeTicks * Self.tick
    }

    /// Returns a resting order to withdraw: an order that the fair price has left behind, else any. A side never loses
    /// its last order, so that there is always a price.
    private mutating func withdrawableOrder() -> RestingOrder? {
        guard let order = staleOrder() ?? book.anyOrder(using: &random), !isLast(order) else { return nil }
        return order
    }

    private func staleOrder() -> RestingOrder? {
        let price = fair.wholeTicks * Self.tick
        if let bid = book.front(.buy), bid.price > price { return bid }
        if let ask = book.front(.sell), ask.price < price { return ask }
        return nil
    }

    private func isLast(_ order: RestingOrder) -> Bool {
        let ladder = order.side == .buy ? book.bids : book.asks
        return ladder.levels.count == 1 && ladder.levels[0].size == order.size
    }

    /// Returns the size of an order. Two orders in three are round lots of 100, as in the recording.
    private mutating func randomSize() -> Int64 {
        switch random.unit() {
        case ..<0.66: 100
        case ..<0.90: 1 + Int64(random.below(99))
        default: 100 * (2 + Int64(random.below(4)))
        }
    }

    private func message(
        _ kind: FeedMessage.Kind, _ side: Side, size: Int64, orderID: UInt64, price: Price
    ) -> FeedMessage {
        FeedMessage(
            timeNanoseconds: timeNanoseconds, kind: kind, side: side, size: size, orderID: orderID, price: price)
    }
}
