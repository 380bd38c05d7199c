import enum TestSupport.Watchdog
import Testing

@testable import ringside_demo

@Suite("Venue behind its socket")
struct VenueLinkTests {
    private static let top = TopOfBook(bidPrice: 1_000, askPrice: 1_010, bidSize: 50, askSize: 70)

    private func order(_ id: UInt64) -> VenueRequest {
        VenueRequest(kind: .newOrder, side: .buy, size: 10, orderID: id, price: 1_000 - Price(id % 50), top: Self.top)
    }

    private func noFaults() -> FaultSchedule { FaultSchedule(startNanoseconds: monotonicNanoseconds()) }

    private func submit(_ request: VenueRequest, over link: inout VenueLink) throws {
        let result = link.send(request)
        try #require(result == .sent)
    }

    private func answer(_ link: inout VenueLink) throws -> VenueResponse {
        var response: VenueResponse?
        try Watchdog.wait(for: "the venue's answer") {
            guard link.receive() else { throw HungUp() }
            response = link.nextResponse()
            return response != nil
        }
        return try #require(response)
    }

    private struct HungUp: Error {}

    @Test("each order is acknowledged through the socket, in its order")
    func acknowledges() throws {
        let venue = try Venue.start(named: "test.venue", faults: noFaults())
        var link = VenueLink(to: venue.address)
        try link.connect()
        for id in 1...500 as ClosedRange<UInt64> {
            try submit(order(id), over: &link)
            let response = try answer(&link)
            #expect(response.kind == .accepted && response.orderID == id)
        }
        link.disconnect()
        venue.stop()
    }

    @Test("trades are told before the order that follows them")
    func tellsTrades() throws {
        let venue = try Venue.start(named: "test.venue", faults: noFaults())
        var link = VenueLink(to: venue.address)
        try link.connect()
        try submit(order(100), over: &link)
        let answer1 = try answer(&link)
        #expect(answer1.kind == .accepted)
        link.tell(
            VenueRequest(kind: .marketTrade, side: .buy, size: 60, orderID: 5, price: 1_000, top: Self.top))
        try submit(order(200), over: &link)
        let kinds = try [answer(&link).kind, answer(&link).kind]
        #expect(kinds == [.filled, .accepted])
        link.disconnect()
        venue.stop()
    }

    @Test("a venue that is down drops its connection and refuses others, and is there again afterwards")
    func comesBack() throws {
        let start = monotonicNanoseconds()
        let fault = try #require(Fault("api-down@1+4"))
        let venue = try Venue.start(
            named: "test.venue", faults: FaultSchedule(faults: [fault], startNanoseconds: start))
        var link = VenueLink(to: venue.address)
        try link.connect()
        try submit(order(1), over: &link)
        let answer2 = try answer(&link)
        #expect(answer2.kind == .accepted)
        try Watchdog.wait(for: "the venue's hanging up") { !link.receive() }
        link.disconnect()
        #expect(monotonicNanoseconds() - start >= 1_000_000_000)
        let withoutConnection = link.send(order(2))
        #expect(withoutConnection == .disconnected)
        var refusals = 0
        try Watchdog.wait(for: "a new connection") {
            do { try link.connect() } catch { refusals += 1 }
            return link.isConnected
        }
        #expect(refusals > 0)
        try submit(order(1), over: &link)
        let again = try answer(&link)
        #expect(again.kind == .accepted, "the orders of the lost connection are forgotten")
        link.disconnect()
        venue.stop()
    }

    @Test("a slow venue makes each answer wait")
    func isSlow() throws {
        let venue = try Venue.start(
            named: "test.venue",
            faults: FaultSchedule(
                faults: [try #require(Fault("slow-venue@0"))], startNanoseconds: monotonicNanoseconds()))
        var link = VenueLink(to: venue.address)
        try link.connect()
        let start = monotonicNanoseconds()
        for id in 1...3 as ClosedRange<UInt64> { try submit(order(id), over: &link) }
        for _ in 1...3 {
            let response = try answer(&link)
            #expect(response.kind == .accepted)
        }
        #expect(monotonicNanoseconds() - start >= 3 * Venue.slowAnswerNanoseconds)
        link.disconnect()
        venue.stop()
    }

    @Test("a venue that does not read fills the link, which drops and counts trades and refuses orders")
    func isFull() throws {
        // A listening socket that nobody serves accepts connections and reads nothing.
        let (_, address) = try listenLocally()
        var link = VenueLink(to: address)
        try link.connect()
        let trade = VenueRequest(kind: .marketTrade, side: .buy, size: 1, orderID: 1, price: 1_000, top: Self.top)
        for _ in 0..<50_000 where link.droppedTrades == 0 {
            link.tell(trade)
            if link.hasFullBatch { link.flush() }
        }
        let (dropped, fill) = (link.droppedTrades, link.fillRatio)
        #expect(dropped > 0 && fill >= 0.5 && fill < 0.6)
        var results: [VenueLink.SendResult] = []
        for id in 1...5_000 as ClosedRange<UInt64> { results.append(link.send(order(id))) }
        #expect(results.first == .sent && results.last == .full)
    }
}
