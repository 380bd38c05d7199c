/// The labels of the trading catalogue. Here those whose values a bot brings.
public enum Label {
    /// Where data comes from: a feed, a vendor.
    public struct Source: OpenLabel {
        public static let name = "source"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// What is traded.
    public struct Symbol: OpenLabel {
        public static let name = "symbol"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Where it is traded.
    public struct Venue: OpenLabel {
        public static let name = "venue"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Which of the bot's strategies.
    public struct Strategy: OpenLabel {
        public static let name = "strategy"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// What was wrong.
    public struct ErrorType: OpenLabel {
        public static let name = "error_type"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Why, in a word: few words, never a message.
    public struct Reason: OpenLabel {
        public static let name = "reason"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Which check.
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

    /// What an event is about.
    public struct Topic: OpenLabel {
        public static let name = "topic"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Which queue.
    public struct Queue: OpenLabel {
        public static let name = "queue"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Which part of the bot; `process` is all of it.
    public struct Component: OpenLabel {
        public static let name = "component"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Who makes orders.
    public struct ProducerID: OpenLabel {
        public static let name = "producer_id"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Who takes orders.
    public struct ConsumerID: OpenLabel {
        public static let name = "consumer_id"
        public let text: String
        public init(_ text: String) { self.text = text }
    }

    /// Which kind of connection.
    public struct NetworkType: OpenLabel {
        public static let name = "network_type"
        public let text: String
        public init(_ text: String) { self.text = text }
    }
}
