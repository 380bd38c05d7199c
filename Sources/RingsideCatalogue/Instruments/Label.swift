/// The labels of the trading catalogue. The values of the labels in this declaration come from the bot.
public enum Label {
    /// Where data comes from: a feed, a vendor.
    public struct Source: OpenLabel {
        public static let name = "source"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The traded instrument.
    public struct Symbol: OpenLabel {
        public static let name = "symbol"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The trading venue.
    public struct Venue: OpenLabel {
        public static let name = "venue"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// One of the bot's strategies.
    public struct Strategy: OpenLabel {
        public static let name = "strategy"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The kind of error.
    public struct ErrorType: OpenLabel {
        public static let name = "error_type"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The reason, in one word of a small set, never a message.
    public struct Reason: OpenLabel {
        public static let name = "reason"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The kind of check.
    public struct CheckType: OpenLabel {
        public static let name = "check_type"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// How a solver ended.
    public struct SolveStatus: OpenLabel {
        public static let name = "status"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The subject of an event.
    public struct Topic: OpenLabel {
        public static let name = "topic"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The name of a queue.
    public struct Queue: OpenLabel {
        public static let name = "queue"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// A part of the bot; `process` is all of it.
    public struct Component: OpenLabel {
        public static let name = "component"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// A producer of orders.
    public struct ProducerID: OpenLabel {
        public static let name = "producer_id"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// A consumer of orders.
    public struct ConsumerID: OpenLabel {
        public static let name = "consumer_id"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// The kind of connection.
    public struct NetworkType: OpenLabel {
        public static let name = "network_type"
        public let text: String
        public init(_ text: String) { self.text = text }
    }
}
