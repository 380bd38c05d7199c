import Ringside

extension TradingBot {
    /// Above this skew a message's age cannot be told.
    static let clockSkewLimitNanoseconds: Int64 = 500_000_000
    private static let damageStride: Int64 = 50

    /// The message in the bot's form; nil for one that is refused, counted and put aside.
    mutating func admit(_ message: FeedMessage) -> FeedMessage? {
        guard abs(condition.clockSkewNanoseconds) <= Self.clockSkewLimitNanoseconds else {
            instruments.data.clockRejects.increment()
            tally.missedMessages += 1
            return nil
        }
        var message = message
        if condition.isFeedDamaged && pacer.begun % Self.damageStride == 0 { message.size = 0 }
        guard message.isNormal else {
            instruments.data.normalizationErrors.increment()
            deadLetters.add(message)
            instruments.data.deadLetters.increment()
            tally.missedMessages += 1
            return nil
        }
        return message
    }
}

extension FeedMessage {
    /// Whether the book can apply it: an order has shares and a price, a halt has a state.
    var isNormal: Bool { kind == .halt ? haltState != nil : size > 0 && price > 0 }
}

/// The last refused messages, for finding out why.
struct DeadLetters {
    private static let limit = 64
    private(set) var messages: [FeedMessage] = []

    mutating func add(_ message: FeedMessage) {
        if messages.count == Self.limit { messages.removeFirst() }
        messages.append(message)
    }
}
