/// An order that rests in the book.
struct RestingOrder: Equatable {
    let id: UInt64
    let side: Side
    let price: Price
    /// Shares that are left; 0 marks a free slot.
    var size: Int64
    /// Neighbours in the queue of its price level, as places in the book.
    fileprivate(set) var previous: Int32 = -1
    fileprivate(set) var next: Int32 = -1
}

/// A limit order book rebuilt from order messages: price levels on two sides, each a queue in time priority, and a map
/// from order ids.
///
/// A message takes one hash lookup and one binary search over the levels of its side. Orders live in one array and are
/// linked by their places in it, so that nothing is allocated once the book has reached its size.
struct OrderBook {
    /// The outcome of applying a message.
    enum Outcome: Equatable, Sendable {
        case applied
        /// Its order is not in the book: it was placed before the recording began, or while messages were lost.
        case unknownOrder
        /// The message is a new order under an id that already rests. The book keeps the first order.
        case duplicateOrder
        /// The message takes more shares than the order had, or deletes another number of them. The order is gone.
        case sizeMismatch
    }

    private(set) var bids = PriceLadder(.buy)
    private(set) var asks = PriceLadder(.sell)
    private var orders: [RestingOrder] = []
    private var free: [Int32] = []
    private var table = OrderTable()

    var bestBid: PriceLevel? { bids.best }
    var bestAsk: PriceLevel? { asks.best }
    /// The number of orders that rest.
    var orderCount: Int { table.count }

    /// Applies a message. Hidden executions, cross trades and halts leave the visible book unchanged.
    mutating func apply(_ message: FeedMessage) -> Outcome {
        switch message.kind {
        case .newOrder: add(message)
        case .partialCancellation, .visibleExecution: reduce(message)
        case .deletion: delete(message)
        case .hiddenExecution, .crossTrade, .halt: .applied
        }
    }

    mutating func removeAll() { self = OrderBook() }
}

// MARK: - Looking

extension OrderBook {
    /// Returns the first order of the queue at the best price of a side. The next execution meets this order.
    func front(_ side: Side) -> RestingOrder? {
        guard let best = side == .buy ? bids.best : asks.best else { return nil }
        return orders[Int(best.first)]
    }

    /// Returns any resting order, each with the same chance; nil in an empty book. This probes places at random. More
    /// than half of them are taken unless the book has shrunk by half.
    func anyOrder(using random: inout SeededRandom) -> RestingOrder? {
        guard orderCount > 0 else { return nil }
        while true {
            let order = orders[random.below(orders.count)]
            if order.size > 0 { return order }
        }
    }
}

// MARK: - Changing

extension OrderBook {
    private mutating func add(_ message: FeedMessage) -> Outcome {
        guard table.place(of: message.orderID) == nil else { return .duplicateOrder }
        let order = RestingOrder(
            id: message.orderID, side: message.side, price: message.price, size: message.size)
        let place = store(order)
        table.insert(order.id, place: place)
        withLadder(order.side) { ladder, orders in
            let index = ladder.indexInserting(order.price)
            ladder.withLevel(at: index) { level in
                level.size += order.size
                orders[place].previous = level.last
                if level.last >= 0 { orders[Int(level.last)].next = Int32(place) } else { level.first = Int32(place) }
                level.last = Int32(place)
            }
        }
        return .applied
    }

    private mutating func reduce(_ message: FeedMessage) -> Outcome {
        guard let place = table.place(of: message.orderID) else { return .unknownOrder }
        let order = orders[place]
        guard message.size < order.size else {
            remove(order, at: place)
            return message.size == order.size ? .applied : .sizeMismatch
        }
        orders[place].size -= message.size
        withLadder(order.side) { ladder, _ in
            guard let index = ladder.index(of: order.price) else { return }
            ladder.withLevel(at: index) { $0.size -= message.size }
        }
        return .applied
    }

    private mutating func delete(_ message: FeedMessage) -> Outcome {
        guard let place = table.place(of: message.orderID) else { return .unknownOrder }
        let order = orders[place]
        remove(order, at: place)
        return message.size == order.size ? .applied : .sizeMismatch
    }

    private mutating func remove(_ order: RestingOrder, at place: Int) {
        table.remove(order.id)
        withLadder(order.side) { ladder, orders in
            guard let index = ladder.index(of: order.price) else { return }
            let isEmpty = ladder.withLevel(at: index) { level in
                level.size -= order.size
                if order.previous >= 0 {
                    orders[Int(order.previous)].next = order.next
                } else {
                    level.first = order.next
                }
                if order.next >= 0 {
                    orders[Int(order.next)].previous = order.previous
                } else {
                    level.last = order.previous
                }
                return level.first < 0
            }
            if isEmpty { ladder.remove(at: index) }
        }
        orders[place].size = 0
        free.append(Int32(place))
    }

    private mutating func store(_ order: RestingOrder) -> Int {
        guard let place = free.popLast() else {
            orders.append(order)
            return orders.count - 1
        }
        orders[Int(place)] = order
        return Int(place)
    }

    private mutating func withLadder(_ side: Side, _ body: (inout PriceLadder, inout [RestingOrder]) -> Void) {
        if side == .buy { body(&bids, &orders) } else { body(&asks, &orders) }
    }
}
