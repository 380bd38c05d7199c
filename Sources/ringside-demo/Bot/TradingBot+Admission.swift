import Ringside

extension TradingBot {
    /// Above this skew the age of a message is not known.
    static let clockSkewLimitNanoseconds: Int64 = 500_000_000
    private static let damageStride: Int64 = 50

    /// Returns the message in the bot's form. Returns nil for a message that is refused: it is counted, and a message
    /// that the book cannot apply is also put aside.
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

/// The last refused messages, kept to find the cause.
struct DeadLetters {
    private static let limit = 64
    private(set) var messages: [FeedMessage] = []

    mutating func add(_ message: FeedMessage) {
        if messages.count == Self.limit { messages.removeFirst() }
        messages.append(message)
    }
}
