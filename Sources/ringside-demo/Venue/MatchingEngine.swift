/// The venue's side of one bot's orders: the resting orders, and the trades that fill them.
///
/// An order queues behind the shares that rested at its price when it came. It is filled when the feed's trades at its
/// price have eaten through the queue, when a trade or the market's other side goes past its price, or at once if it
/// crosses. Orders of one bot never move the market: a simulation on a recording cannot know what they would have done.
struct MatchingEngine {
    private struct Order {
        let id: UInt64
        let side: Side
        let price: Price
        var remaining: Int64
        /// Shares that rest ahead of it at its price.
        var queueAhead: Int64
    }

    /// The largest distance of an order's price from the middle, as a share of the middle.
    static let priceBandRatio = 0.10

    private var orders: [Order] = []
    var restingCount: Int { orders.count }

    /// Handles one request and appends its answers, in their order.
    mutating func handle(_ request: VenueRequest, _ answers: inout [VenueResponse]) {
        switch request.kind {
        case .newOrder: place(request, &answers)
        case .cancellation: cancel(request, &answers)
        case .marketTrade: trade(request, &answers)
        }
        noteQueues(request.top)
        fillCrossed(request.top, &answers)
    }

    /// Forgets every order, as a venue does when the connection that placed them is gone.
    mutating func cancelAll() { orders.removeAll() }

    private mutating func place(_ request: VenueRequest, _ answers: inout [VenueResponse]) {
        if let reason = rejection(of: request) {
            answers.append(VenueResponse(kind: .rejected, reason: reason, orderID: request.orderID))
            return
        }
        answers.append(VenueResponse(kind: .accepted, orderID: request.orderID, remaining: request.size))
        if request.isImmediate {
            fillImmediately(request, &answers)
        } else {
            orders.append(
                Order(
                    id: request.orderID, side: request.side, price: request.price, remaining: Int64(request.size),
                    queueAhead: Self.queueAhead(of: request)))
        }
    }

    private func rejection(of request: VenueRequest) -> VenueRejection? {
        guard request.size > 0, request.price > 0, !orders.contains(where: { $0.id == request.orderID }) else {
            return .invalid
        }
        let mid = request.top.mid
        guard abs(Double(request.price) - mid) <= mid * Self.priceBandRatio else { return .priceBand }
        return !request.isImmediate && Self.crosses(request.side, request.price, request.top) ? .wouldCross : nil
    }

    private func fillImmediately(_ request: VenueRequest, _ answers: inout [VenueResponse]) {
        let crosses = Self.crosses(request.side, request.price, request.top)
        let (price, shown) =
            request.side == .buy
            ? (request.top.askPrice, request.top.askSize) : (request.top.bidPrice, request.top.bidSize)
        let filled = crosses ? UInt32(clamping: min(Int64(request.size), shown)) : 0
        let rest = request.size - filled
        if filled > 0 {
            answers.append(
                VenueResponse(kind: .filled, size: filled, orderID: request.orderID, price: price, remaining: rest))
        }
        if rest > 0 { answers.append(VenueResponse(kind: .cancelled, size: rest, orderID: request.orderID)) }
    }

    private mutating func cancel(_ request: VenueRequest, _ answers: inout [VenueResponse]) {
        guard let index = orders.firstIndex(where: { $0.id == request.orderID }) else {
            answers.append(VenueResponse(kind: .cancellationRejected, orderID: request.orderID))
            return
        }
        let order = orders.remove(at: index)
        answers.append(VenueResponse(kind: .cancelled, size: UInt32(order.remaining), orderID: order.id))
    }

    /// Applies a trade of the feed. Shares that trade beyond our price, or that remain after the queue ahead of us,
    /// fill our orders.
    private mutating func trade(_ request: VenueRequest, _ answers: inout [VenueResponse]) {
        var left = Int64(request.size)
        for index in orders.indices where orders[index].side == request.side {
            let sign = Price(request.side.rawValue)
            let advantage = (orders[index].price &- request.price) &* sign
            guard advantage >= 0 else { continue }
            if advantage == 0 {
                let eaten = min(orders[index].queueAhead, left)
                orders[index].queueAhead -= eaten
                left -= eaten
            }
            left -= fill(index, atMost: left, &answers)
        }
        orders.removeAll { $0.remaining == 0 }
    }

    /// Shortens the queues. The venue is not told which orders left a queue, but a queue is never longer than the size
    /// shown.
    private mutating func noteQueues(_ top: TopOfBook) {
        for index in orders.indices {
            let (price, size) =
                orders[index].side == .buy ? (top.bidPrice, top.bidSize) : (top.askPrice, top.askSize)
            if orders[index].price == price { orders[index].queueAhead = min(orders[index].queueAhead, size) }
        }
    }

    /// Fills orders whose price the market's other side has reached: an order there would have met ours first.
    private mutating func fillCrossed(_ top: TopOfBook, _ answers: inout [VenueResponse]) {
        var hasFilled = false
        for index in orders.indices where Self.crosses(orders[index].side, orders[index].price, top) {
            _ = fill(index, atMost: orders[index].side == .buy ? top.askSize : top.bidSize, &answers)
            hasFilled = true
        }
        if hasFilled { orders.removeAll { $0.remaining == 0 } }
    }

    private mutating func fill(_ index: Int, atMost limit: Int64, _ answers: inout [VenueResponse]) -> Int64 {
        let size = min(orders[index].remaining, limit)
        guard size > 0 else { return 0 }
        orders[index].remaining -= size
        let order = orders[index]
        answers.append(
            VenueResponse(
                kind: .filled, size: UInt32(size), orderID: order.id, price: order.price,
                remaining: UInt32(order.remaining)))
        return size
    }

    private static func crosses(_ side: Side, _ price: Price, _ top: TopOfBook) -> Bool {
        side == .buy ? price >= top.askPrice : price <= top.bidPrice
    }

    /// Returns the shares that rest ahead of an order. An order with a new best price is first. The venue does not know
    /// the length of deeper queues, and assumes the length of the best one.
    private static func queueAhead(of request: VenueRequest) -> Int64 {
        let top = request.top
        return request.side == .buy
            ? (request.price > top.bidPrice ? 0 : top.bidSize)
            : (request.price < top.askPrice ? 0 : top.askSize)
    }
}
