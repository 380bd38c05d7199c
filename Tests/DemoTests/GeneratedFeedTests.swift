import Testing

@testable import ringside_demo

@Suite("Generated feed")
struct GeneratedFeedTests {
    @Test("a seed gives the same messages each time, another seed or stream gives others")
    func isDeterministic() {
        let messages = generatedMessages(seed: 3, count: 5_000)
        #expect(messages == generatedMessages(seed: 3, count: 5_000))
        #expect(messages != generatedMessages(seed: 4, count: 5_000))
        var first = GeneratedFeed(seed: 3, stream: 1)
        var second = GeneratedFeed(seed: 3, stream: 2)
        #expect((0..<100).map { _ in first.next() } != (0..<100).map { _ in second.next() })
    }

    @Test("every message applies to a book that has seen all before it", arguments: 1...4)
    func isConsistent(seed: UInt64) {
        var book = OrderBook()
        for message in generatedMessages(seed: seed, count: 10_000) {
            #expect(book.apply(message) == .applied)
        }
    }

    @Test("both sides always have a price and never cross, and the book keeps its size", arguments: 1...4)
    func isAMarket(seed: UInt64) throws {
        var book = OrderBook()
        for (index, message) in generatedMessages(seed: seed, count: 20_000).enumerated() {
            _ = book.apply(message)
            guard index > 300 else { continue }
            let top = try #require(book.top)
            #expect((1...400).contains((top.askPrice - top.bidPrice) / GeneratedFeed.tick))
            #expect((100...3_000).contains(book.orderCount))
            #expect(abs(top.mid / 5_850_000 - 1) < 0.2)
        }
    }

    @Test("all kinds of a morning occur, most of them new orders and deletions")
    func mixesKinds() {
        let messages = generatedMessages(seed: 11, count: 40_000)
        let shares = Dictionary(grouping: messages, by: \.kind).mapValues { Double($0.count) / 40_000 }
        #expect((0.35...0.60).contains(shares[.newOrder] ?? 0))
        #expect((0.25...0.50).contains(shares[.deletion] ?? 0))
        #expect((0.03...0.15).contains(shares[.visibleExecution] ?? 0))
        #expect((0.01...0.10).contains(shares[.hiddenExecution] ?? 0))
        #expect((0.002...0.03).contains(shares[.partialCancellation] ?? 0))
    }

    @Test("a halt is followed by the two messages that end it")
    func haltsEnd() {
        var feed = GeneratedFeed(seed: 2)
        var states: [FeedMessage.HaltState] = []
        for _ in 0..<400_000 {
            guard case .message(let message) = feed.next(), let state = message.haltState else { continue }
            states.append(state)
        }
        #expect(!states.isEmpty)
        for (index, state) in states.enumerated() {
            #expect(state == [.halted, .quotingResumed, .tradingResumed][index % 3])
        }
    }

    @Test("time never runs backwards within a session, and a day ends at the close")
    func sessionsEnd() {
        let start = GeneratedFeed.closeNanoseconds - 100_000_000_000
        var feed = GeneratedFeed(seed: 5, startNanoseconds: start)
        var last: Int64 = 0
        var sessions = 0
        for _ in 0..<30_000 where sessions < 1 {
            switch feed.next() {
            case .message(let message):
                #expect(message.timeNanoseconds >= last)
                last = message.timeNanoseconds
            case .sessionEnd: sessions += 1
            case .exhausted: Issue.record("a generated feed has no end")
            }
        }
        #expect(sessions == 1)
        #expect((57_599_000_000_000...57_901_000_000_000).contains(last))
        guard case .message(let first) = feed.next() else { return #expect(Bool(false), "a new day begins at once") }
        #expect(first.kind == .newOrder && first.timeNanoseconds < GeneratedFeed.openNanoseconds + 1_000_000_000)
    }
}
