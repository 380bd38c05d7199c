import RingReader
import Ringside
import Series
import TestSupport
import Testing

@Suite struct ActorsExampleTests {
    private let directory = TemporaryRingDirectory()

    /// Returns the records of one lane, each with the name of its metric, oldest first.
    private func records(_ lane: String) throws -> [(metric: String, record: DecodedRecord)] {
        let segment = try directory.segment("alpha.\(lane)")
        #expect(segment.isClosed && !segment.isProducerAlive && segment.lifeCount == 1)
        var context = RecordContext(segment)
        var found: [(metric: String, record: DecodedRecord)] = []
        segment.forEachRecord(from: 0, to: segment.position) { _, content in
            guard let record = try? content.get() else { return }
            found.append((metric: context.explain(record).metric?.name ?? "", record: record))
        }
        #expect(found.count == Int(segment.position))
        return found
    }

    @Test("the bot of three actors of the example leaves exact totals, and each order's way in three lanes")
    func trades() async throws {
        let pieces = 4
        let lines = 250
        // Every other tick is a whole number, on which an order is sent. One in ten cannot be read.
        let feed = (0..<pieces).map { _ in
            (1...lines).map { $0 % 10 == 0 ? "none" : $0 % 2 == 1 ? "\($0)" : "\($0).25" }
        }
        try await trade(
            "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 4096, metricCapacity: 8),
            feed: feed)

        let ticks = (0..<pieces).flatMap { piece in (1...lines).map { UInt64(piece * 1000 + $0) } }
        let orders = ticks.filter { $0 % 1000 % 2 == 1 }
        let md = try records("md")
        let strategy = try records("strategy")
        let gateway = try records("gateway")
        #expect(md.map(\.record.traceID).sorted() == ticks)
        #expect(
            strategy.map(\.record.traceID).sorted() == orders && strategy.allSatisfy { $0.metric == "decide_seconds" })
        let sent = gateway.filter { $0.metric == "tick_to_order_seconds" }
        let answered = gateway.filter { $0.metric == "submit_seconds" }
        #expect(sent.map(\.record.traceID).sorted() == orders && answered.map(\.record.traceID).sorted() == orders)
        #expect(answered.allSatisfy { $0.record.isFailed == ($0.record.traceID % 5 == 0) })

        // Each order's stages end one after the other, in any lane.
        for order in orders {
            let ends = [md, strategy, sent, answered].compactMap { lane in
                lane.first { $0.record.traceID == order }?.record.timeTicks
            }
            #expect(ends.count == 4 && ends == ends.sorted(), "order \(order)")
        }

        let snapshot = try CollectorHarness(directory).settle()
        let bot = try #require(snapshot.bot())
        #expect(snapshot.counter("ticks_received_total") == UInt64(ticks.count) && !bot.isUp)
        for (metric, calls) in [
            ("decode_seconds", ticks.count), ("decide_seconds", orders.count), ("tick_to_order_seconds", orders.count),
            ("submit_seconds", orders.count),
        ] {
            let histogram = try #require(snapshot.histogram(metric))
            #expect(histogram.calls == UInt64(calls) && histogram.total.count == UInt64(calls), "\(metric)")
            #expect(histogram.abandoned == 0)
        }
        #expect(try directory.segment("alpha.gateway").total("open_orders") == 0)
        #expect(bot.rings.map(\.lane) == ["gateway", "md", "strategy"] && bot.rings.allSatisfy { $0.totalLost == 0 })
    }
}
