import Series
import TestSupport
import Testing

@testable import Exposition

@Suite("Changes from one body of /latest to the next") struct LatestDocumentTests {
    private func fleet(_ values: [[UInt64]], time: Int64 = 1) -> Snapshot {
        snapshot(
            values.enumerated().map { index, counts in
                bot("b\(index)", counts.enumerated().map { counter("m\($0)_total", .unsigned($1)) })
            }, unixNanoseconds: time)
    }

    /// Applies the change between two snapshots, and compares with the whole second one.
    private func change(_ first: Snapshot, _ second: Snapshot) throws -> JSONValue {
        let (old, new) = (LatestJSON.document(first), LatestJSON.document(second))
        let change = try JSONValue(#require(new.change(from: old)))
        var value = try JSONValue(old.bytes)
        value.apply(change: change)
        #expect(value == (try JSONValue(LatestJSON.render(second))))
        return change
    }

    @Test("a change names the bots that changed, and of their metrics the indexes of those that did")
    func metrics() throws {
        let change = try change(fleet([[1, 2, 3], [4]]), fleet([[1, 9, 3], [4]], time: 2))
        #expect(Set(change.members.keys) == ["time", "bots"])
        let bots = change["bots"]?.elements ?? []
        #expect(bots.count == 1 && bots.first?["bot"] == .text("b0"))
        #expect(bots.first.map { Set($0.members.keys) } == ["bot", "metrics"])
        #expect(bots.first?["metrics"].map { Array($0.members.keys) } == ["1"])
    }

    @Test("metrics that come or go replace all of the bot's")
    func replaced() throws {
        for (before, after) in [([1, 2], [1, 2, 3]), ([1, 2], [1]), ([], [1]), ([1], [])] as [([UInt64], [UInt64])] {
            let change = try change(fleet([before]), fleet([after]))
            #expect(change["bots"]?.elements.first?["metrics"]?.elements.count == after.count)
        }
    }

    @Test("two equal snapshots differ in nothing")
    func equal() throws {
        #expect(try change(fleet([[1], [2]]), fleet([[1], [2]])) == .object([:]))
        #expect(try change(fleet([]), fleet([])) == .object([:]))
    }

    @Test("a bot that comes, goes or changes its name asks for a whole document")
    func bots() {
        let old = LatestJSON.document(fleet([[1], [2]]))
        #expect(LatestJSON.document(fleet([[1]])).change(from: old) == nil)
        #expect(LatestJSON.document(fleet([[1], [2], [3]])).change(from: old) == nil)
        #expect(LatestJSON.document(snapshot([bot("b0"), bot("other")])).change(from: old) == nil)
        #expect(LatestJSON.document(snapshot([bot("b1"), bot("b0")])).change(from: old) == nil)
    }

    @Test("what else changes replaces the earlier value", arguments: 0..<8)
    func hostile(seed: UInt64) throws {
        var second = hostileSnapshot(seed: seed)
        second.unixNanoseconds += 1
        second.collector.uptimeSeconds += 1
        second.bots = second.bots.map { bot in
            var bot = bot
            bot.isUp.toggle()
            bot.labels.append(Label("zz", "a\"\n\r\u{2028}b"))
            return bot
        }
        let first = hostileSnapshot(seed: seed)
        let (old, new) = (LatestJSON.document(first), LatestJSON.document(second))
        let bytes = try #require(new.change(from: old))
        #expect(!bytes.contains(UInt8(ascii: "\n")) && !bytes.contains(UInt8(ascii: "\r")))
        #expect(try JSONValue(bytes)["collector"] == JSONValue(new.bytes)["collector"])
    }
}
