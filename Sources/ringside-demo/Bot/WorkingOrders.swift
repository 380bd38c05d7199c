import Ringside

/// An order from its decision until it is filled, withdrawn or refused.
struct WorkingOrder {
    enum State {
        /// Sent and not answered.
        case pending
        case resting
        /// Its cancellation is sent and not answered.
        case cancelling
    }

    let id: UInt64
    let intent: OrderIntent
    /// The middle price at the decision, in USD. Slippage is measured against it.
    let decisionMidUSD: Double
    let decidedAt: Instant
    let submittedAt: Instant
    var state = State.pending
    var remaining: Int
    var acknowledgedAt: Instant?
    var cancellationSentAt: Instant?
    /// When to send the cancellation again, on the monotonic clock.
    var cancellationRepeatNanoseconds: Int64 = 0
    var cancelReason = CancelReason.unfilled
}

/// The orders at the venue or on their way to it. They are few, so a linear search is faster than a hash.
struct WorkingOrders {
    private(set) var orders: [WorkingOrder] = []
    private var lastID: UInt64 = 0

    init() { orders.reserveCapacity(16) }

    var count: Int { orders.count }

    /// Requests that the venue has not answered yet.
    var unansweredCount: Int { orders.count { $0.state != .resting } }

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ order: WorkingOrder) { orders.append(order) }

    func index(of id: UInt64) -> Int? { orders.firstIndex { $0.id == id } }

    mutating func update<Result>(at index: Int, _ body: (inout WorkingOrder) -> Result) -> Result {
        body(&orders[index])
    }

    mutating func remove(at index: Int) { orders.remove(at: index) }

    mutating func removeAll() { orders.removeAll(keepingCapacity: true) }

    /// Returns the index of a side's quote, resting or under way.
    func quoteIndex(_ side: Side) -> Int? {
        orders.firstIndex { $0.intent.side == side && !$0.intent.isImmediate }
    }

    var hasImmediate: Bool { orders.contains { $0.intent.isImmediate } }

    /// Returns the shares that would be bought or sold if every order of the side were filled.
    func shares(_ side: Side) -> Int {
        orders.reduce(0) { $1.intent.side == side ? $0 + $1.remaining : $0 }
    }
}
