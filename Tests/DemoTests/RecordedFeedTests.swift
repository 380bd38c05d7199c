import Testing

@testable import ringside_demo

@Suite("Recorded feed")
struct RecordedFeedTests {
    /// The first 300 messages that the generator made from a seed, in the form of `FeedLine.write`.
    static let fixture = #filePath.dropLast("RecordedFeedTests.swift".count) + "Fixtures/generated-seed-7.csv"

    @Test("a file is read whole, its messages fit one book, and written again they are the same bytes")
    func readsFixture() throws {
        let path = String(Self.fixture)
        let feed = try RecordedFeed(path: path)
        #expect(feed.malformed.isEmpty && feed.messages.count == 300)
        var book = OrderBook()
        var bytes: [UInt8] = []
        for message in feed.messages {
            #expect(book.apply(message) == .applied)
            FeedLine.write(message, to: &bytes)
        }
        let isSame = try bytes == readFile(path)
        #expect(isSame)
    }

    @Test("malformed lines are told by their number and do not hide the others")
    func reportsMalformedLines() {
        let feed = RecordedFeed(Array("1,1,7,5,100,1\nwhat\n\n2,3,7,5,100,1\r\n3,9,7,5,100,1\n".utf8))
        #expect(feed.messages.map(\.timeNanoseconds) == [1_000_000_000, 2_000_000_000])
        #expect(feed.malformed.map(\.number) == [2, 3, 5])
    }

    @Test("the last line counts with and without its line feed")
    func lastLine() {
        let line = "1,1,7,5,100,1"
        #expect(RecordedFeed(Array(line.utf8)).messages.count == 1)
        let withLineFeed = RecordedFeed(Array("\(line)\n".utf8))
        #expect(withLineFeed.messages.count == 1 && withLineFeed.malformed.isEmpty)
    }

    @Test("a file that is not there, and one without a message, are errors that name it")
    func refusesFiles() throws {
        let missing = try #require(throws: FeedFileError.self) { try RecordedFeed(path: "/nonexistent/feed.csv") }
        #expect(missing.description.contains("/nonexistent/feed.csv"))
        let empty = try #require(throws: FeedFileError.self) { try RecordedFeed(path: "/dev/null") }
        #expect(empty.description.contains("/dev/null holds no message"))
    }

    @Test("a recording ends once, and a looped one begins anew after the end of a session")
    func plays() {
        let feed = RecordedFeed(Array("1,1,7,5,100,1\n2,3,7,5,100,1\n".utf8))
        var once = Feed.recorded(RecordedFeedCursor(feed, isLooped: false))
        let messages = feed.messages.map(FeedStep.message)
        #expect((0..<4).map { _ in once.next() } == messages + [.exhausted, .exhausted])
        var looped = Feed.recorded(RecordedFeedCursor(feed, isLooped: true))
        #expect((0..<5).map { _ in looped.next() } == messages + [.sessionEnd] + messages)
    }
}
