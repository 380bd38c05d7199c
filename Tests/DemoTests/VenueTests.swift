import Testing

@testable import ringside_demo

@Suite("Venue protocol")
struct VenueProtocolTests {
    @Test("requests and answers read back as they were written", arguments: 1...50)
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let request = VenueRequest(
            kind: [.newOrder, .cancellation, .marketTrade][random.below(3)], side: random.below(2) == 0 ? .buy : .sell,
            isImmediate: random.below(2) == 0, size: UInt32(truncatingIfNeeded: random.next()),
            orderID: random.next(), price: Price(random.next() >> 2),
            top: TopOfBook(
                bidPrice: Price(random.next() >> 2), askPrice: Price(random.next() >> 2),
                bidSize: Int64(random.below(1 << 32)), askSize: Int64(random.below(1 << 32))))
        var bytes: [UInt8] = []
        request.encode(to: &bytes)
        #expect(bytes.count == VenueRequest.byteCount)
        #expect(bytes.withUnsafeBytes(VenueRequest.decode) == request)

        let response = VenueResponse(
            kind: .rejected, reason: VenueRejection.allCases[random.below(3)], size: 3, orderID: random.next(),
            price: Price(random.next() >> 2), remaining: UInt32(truncatingIfNeeded: random.next()))
        bytes = []
        response.encode(to: &bytes)
        #expect(bytes.count == VenueResponse.byteCount)
        #expect(bytes.withUnsafeBytes(VenueResponse.decode) == response)
    }

    @Test("any bytes give a frame or none, and what a frame asks never traps the venue", arguments: 1...20)
    func survivesNoise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var engine = MatchingEngine()
        for _ in 0..<2_000 {
            var bytes = (0..<VenueRequest.byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes[0] = UInt8(random.below(5))
            bytes[1] = [1, 255, 0][random.below(3)]
            // Extremes of every field are as frequent as ordinary numbers.
            if random.below(2) == 0 { for index in 16..<40 { bytes[index] = [0, 0x7f, 0x80, 0xff][random.below(4)] } }
            _ = bytes.withUnsafeBytes(VenueResponse.decode)
            guard let request = bytes.withUnsafeBytes(VenueRequest.decode) else { continue }
            let restingBefore = engine.restingCount
            var answers: [VenueResponse] = []
            engine.handle(request, &answers)
            #expect(engine.restingCount <= restingBefore + 1)
        }
        #expect(bytes(of: 7).withUnsafeBytes(VenueRequest.decode) == nil)
    }

    private func bytes(of count: Int) -> [UInt8] { Array(repeating: 1, count: count) }
}

@Suite("Matching engine")
struct MatchingEngineTests {
    private static let top = TopOfBook(bidPrice: 1_000, askPrice: 1_010, bidSize: 50, askSize: 70)

    private func order(
        _ side: Side, _ size: UInt32, at price: Price, id: UInt64 = 1, isImmediate: Bool = false
    ) -> VenueRequest {
        VenueRequest(
            kind: .newOrder, side: side, isImmediate: isImmediate, size: size, orderID: id, price: price, top: Self.top)
    }

    private func trade(_ side: Side, _ size: UInt32, at price: Price) -> VenueRequest {
        VenueRequest(kind: .marketTrade, side: side, size: size, orderID: 99, price: price, top: Self.top)
    }

    private func handle(_ requests: [VenueRequest]) -> [VenueResponse] {
        var engine = MatchingEngine()
        return requests.reduce(into: []) { engine.handle($1, &$0) }
    }

    @Test("an order that joins a queue is filled only after what rested before it")
    func queues() {
        let answers = handle([
            order(.buy, 100, at: 1_000), trade(.buy, 30, at: 1_000), trade(.buy, 40, at: 1_000),
            trade(.sell, 500, at: 1_010), trade(.buy, 90, at: 1_000),
        ])
        #expect(answers.map(\.kind) == [.accepted, .filled, .filled])
        #expect(answers.map(\.size) == [0, 20, 80] && answers.map(\.remaining) == [100, 80, 0])
    }

    @Test("an order that betters the market is first, and trades past its price are its own")
    func betters() {
        let answers = handle([order(.sell, 60, at: 1_005), trade(.sell, 25, at: 1_005), trade(.sell, 90, at: 1_008)])
        #expect(answers.map(\.kind) == [.accepted, .filled, .filled])
        #expect(answers.map(\.size) == [0, 25, 35] && answers.allSatisfy { $0.price == 1_005 || $0.price == 0 })
    }

    @Test("the market coming across an order's price fills it at that price")
    func crossing() {
        var later = trade(.sell, 1, at: 1_020)
        later.top = TopOfBook(bidPrice: 990, askPrice: 1_000, bidSize: 10, askSize: 40)
        let answers = handle([order(.buy, 100, at: 1_000), later])
        #expect(answers.map(\.kind) == [.accepted, .filled])
        #expect(answers[1].size == 40 && answers[1].price == 1_000 && answers[1].remaining == 60)
    }

    @Test("an immediate order takes what is shown, and its rest is withdrawn")
    func immediate() {
        let answers = handle([order(.buy, 100, at: 1_010, isImmediate: true)])
        #expect(answers.map(\.kind) == [.accepted, .filled, .cancelled])
        #expect(answers.map(\.size) == [0, 70, 30] && answers[1].price == 1_010)
        #expect(handle([order(.buy, 100, at: 1_009, isImmediate: true)]).map(\.kind) == [.accepted, .cancelled])
    }

    @Test("orders that make no sense are rejected with their reason")
    func rejects() {
        #expect(handle([order(.buy, 0, at: 1_000)]).map(\.reason) == [.invalid])
        #expect(handle([order(.buy, 5, at: 0)]).map(\.reason) == [.invalid])
        #expect(handle([order(.buy, 5, at: 1_000), order(.buy, 5, at: 999)]).map(\.reason) == [nil, .invalid])
        #expect(handle([order(.buy, 5, at: 1_010)]).map(\.reason) == [.wouldCross])
        #expect(handle([order(.sell, 5, at: 1_200)]).map(\.reason) == [.priceBand])
    }

    @Test("a cancellation gives back what is left, and a second one is too late")
    func cancels() {
        var cancellation = order(.buy, 0, at: 1_000)
        cancellation.kind = .cancellation
        let answers = handle([order(.buy, 100, at: 1_000), trade(.buy, 60, at: 1_000), cancellation, cancellation])
        #expect(answers.map(\.kind) == [.accepted, .filled, .cancelled, .cancellationRejected])
        #expect(answers[2].size == 90)
    }

    @Test("no order is ever filled beyond its size, and every answer is accounted for", arguments: 1...6)
    func conserves(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var engine = MatchingEngine()
        var answers: [VenueResponse] = []
        for id in 1...400 as ClosedRange<UInt64> {
            let side: Side = random.below(2) == 0 ? .buy : .sell
            let price = 1_000 + Price(random.below(15)) - 2
            engine.handle(order(side, 100, at: price, id: id, isImmediate: random.below(5) == 0), &answers)
            engine.handle(trade(side, UInt32(1 + random.below(80)), at: price), &answers)
            if random.below(3) == 0 {
                engine.handle(
                    VenueRequest(kind: .cancellation, side: side, size: 0, orderID: id, price: price, top: Self.top),
                    &answers)
            }
        }
        var finished = 0
        for (_, story) in Dictionary(grouping: answers, by: \.orderID) {
            let filled = story.filter { $0.kind == .filled }.reduce(0) { $0 + Int($1.size) }
            let withdrawn = story.filter { $0.kind == .cancelled }.reduce(0) { $0 + Int($1.size) }
            #expect(filled + withdrawn <= 100)
            if filled + withdrawn == 100 || story[0].kind == .rejected { finished += 1 }
        }
        #expect(finished + engine.restingCount == 400)
    }
}
