/// The next item of a feed.
enum FeedStep: Equatable, Sendable {
    case message(FeedMessage)
    /// A trading day is over or a recording begins anew: the orders known so far are void.
    case sessionEnd
    /// A recording that is not looped has ended.
    case exhausted
}

/// The source of a bot's messages: a seeded process, or a recording.
enum Feed {
    case generated(GeneratedFeed)
    case recorded(RecordedFeedCursor)

    /// Returns the next step. Generating one costs about as much as applying it to an order book.
    mutating func next() -> FeedStep {
        switch consume self {
        case .generated(var feed):
            let step = feed.next()
            self = .generated(feed)
            return step
        case .recorded(var cursor):
            let step = cursor.next()
            self = .recorded(cursor)
            return step
        }
    }
}

/// A place in a recording, one for each bot that plays it.
struct RecordedFeedCursor {
    let feed: RecordedFeed
    let isLooped: Bool
    private var index = 0

    init(_ feed: RecordedFeed, isLooped: Bool) {
        self.feed = feed
        self.isLooped = isLooped
    }

    mutating func next() -> FeedStep {
        if index < feed.messages.count {
            index += 1
            return .message(feed.messages[index - 1])
        }
        guard isLooped, !feed.messages.isEmpty else { return .exhausted }
        index = 0
        return .sessionEnd
    }
}
