/// A price in ten-thousandths of a US dollar, the unit in which LOBSTER writes prices: 5,853,300 is 585.33 USD.
typealias Price = Int64

/// The side of a resting order: a buyer's limit order rests among the bids, a seller's among the asks.
enum Side: Int8, CaseIterable, Sendable {
    case buy = 1
    case sell = -1

    var opposite: Side { self == .buy ? .sell : .buy }

    /// +1 for a buyer and -1 for a seller: the change of a position by a fill of one share.
    var sign: Int { Int(rawValue) }
}

/// An order message of a NASDAQ-style feed, as in a line of a LOBSTER message file.
///
/// The format is described at lobsterdata.com ("Output structure"). A line has six fields. It is an event that changed
/// the limit order book, or a trade that left the visible book unchanged.
struct FeedMessage: Equatable, Sendable {
    enum Kind: UInt8, CaseIterable, Sendable {
        case newOrder = 1
        case partialCancellation = 2
        case deletion = 3
        case visibleExecution = 4
        case hiddenExecution = 5
        case crossTrade = 6
        case halt = 7
    }

    /// The state in a message of kind `halt`, from the number in its price field.
    enum HaltState: Price, Sendable {
        case halted = -1
        case quotingResumed = 0
        case tradingResumed = 1
    }

    /// Nanoseconds after midnight.
    var timeNanoseconds: Int64
    var kind: Kind
    /// The side of the resting order: an execution of a `sell` order is a trade that a buyer started.
    var side: Side
    /// Shares: added, withdrawn or traded; 0 in a halt.
    var size: Int64
    /// The exchange's reference of the order; 0 in hidden executions and halts.
    var orderID: UInt64
    /// The order's price, or the state in a halt.
    var price: Price

    /// Whether shares changed hands in the continuous session.
    var isTrade: Bool { kind == .visibleExecution || kind == .hiddenExecution }

    var haltState: HaltState? { kind == .halt ? HaltState(rawValue: price) : nil }
}
