import Testing

@testable import ringside_demo

@Suite("LOBSTER lines")
struct FeedLineTests {
    @Test("a line is read field by field, its time to the nanosecond")
    func readsLine() throws {
        let message = try parse("34200.004241176,1,16113575,18,5853300,1")
        let expected = FeedMessage(
            timeNanoseconds: 34_200_004_241_176, kind: .newOrder, side: .buy, size: 18, orderID: 16_113_575,
            price: 5_853_300)
        #expect(message == expected)
    }

    @Test(
        "times with fewer, more or no decimals are read",
        arguments: [
            ("34200.00426064", 34_200_004_260_640), ("34200", 34_200_000_000_000), ("0.5", 500_000_000),
            ("1.0000000019", 1_000_000_001),
        ] as [(String, Int64)])
    func readsTimes(text: String, nanoseconds: Int64) throws {
        #expect(try parse("\(text),3,7,1,100,-1").timeNanoseconds == nanoseconds)
    }

    @Test("a carriage return at the end is no part of the last field")
    func ignoresCarriageReturn() throws {
        #expect(try parse("1,4,7,5,100,-1\r").side == .sell)
    }

    @Test("a halt says its state in the price field and has no size")
    func readsHalts() throws {
        #expect(try parse("1,7,0,0,-1,-1").haltState == .halted)
        #expect(try parse("1,7,0,0,0,-1").haltState == .quotingResumed)
        #expect(try parse("1,7,0,0,1,-1").haltState == .tradingResumed)
        #expect(try parse("1,1,7,5,100,1").haltState == nil)
    }

    @Test(
        "a line that is not a message is refused by the name of its field",
        arguments: [
            ("1,0,7,5,100,1", "type"), ("1,8,7,5,100,1", "type"), ("1,11,7,5,100,1", "type"), ("1,,7,5,100,1", "type"),
            ("x,1,7,5,100,1", "time"), ("-1,1,7,5,100,1", "time"), ("1.,1,7,5,100,1", "time"),
            (".5,1,7,5,100,1", "time"), ("1.2.3,1,7,5,100,1", "time"), ("99999999,1,7,5,100,1", "time"),
            ("1,1,-7,5,100,1", "order id"), ("1,1,1234567890123456789,5,100,1", "order id"),
            ("1,1,7,0,100,1", "size"), ("1,1,7,-5,100,1", "size"), ("1,1,7,5.5,100,1", "size"),
            ("1,1,7,5,0,1", "price"), ("1,1,7,5,-100,1", "price"), ("1,1,7,5,1e5,1", "price"),
            ("1,7,0,0,2,-1", "price"), ("1,1,7,5,100,0", "direction"), ("1,1,7,5,100,buy", "direction"),
            ("1,1,7,5,100, 1", "direction"),
        ])
    func namesWrongField(line: String, field: String) throws {
        let error = try #require(throws: FeedLineError.self) { try parse(line) }
        #expect(error.description.hasPrefix("\(field) is \""))
    }

    @Test("a wrong number of fields is reported with the number", arguments: [("", 0), ("a", 1), ("1,2,3,4,5,6,7", 7)])
    func countsFields(line: String, count: Int) {
        #expect(throws: FeedLineError.fieldCount(count)) { try parse(line) }
    }

    @Test("every message that is written reads back the same", arguments: 1...5)
    func roundTrip(seed: UInt64) throws {
        for message in generatedMessages(seed: seed, count: 1_000) {
            var bytes: [UInt8] = []
            FeedLine.write(message, to: &bytes)
            #expect(bytes.last == UInt8(ascii: "\n"))
            #expect(try FeedLine.parse(bytes.dropLast()) == message)
        }
    }

    @Test("random bytes give a message or an error, never a trap", arguments: 1...20)
    func survivesNoise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("0123456789,.-+\r x\u{0}".utf8) + [0xff]
        for _ in 0..<2_000 {
            var line = Array("34200.004241176,1,16113575,18,5853300,1".utf8)
            for _ in 0...random.below(4) { line[random.below(line.count)] = alphabet[random.below(alphabet.count)] }
            guard let message = try? FeedLine.parse(line[...]) else { continue }
            #expect(message.size >= 0 && message.timeNanoseconds >= 0)
        }
    }

    private func parse(_ line: String) throws -> FeedMessage { try FeedLine.parse(Array(line.utf8)[...]) }
}

/// Returns the first messages of a generated feed. Ends of sessions are left out.
func generatedMessages(seed: UInt64, count: Int) -> [FeedMessage] {
    var feed = GeneratedFeed(seed: seed)
    var messages: [FeedMessage] = []
    while messages.count < count {
        if case .message(let message) = feed.next() { messages.append(message) }
    }
    return messages
}
