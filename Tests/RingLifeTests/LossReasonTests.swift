import CRingside
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Every reason for the loss of a record, each where it occurs. After every turn the account is checked against the
/// rings' own positions.
@Suite struct LossReasonTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ name: String = "alpha", mode: AttachOptions.Mode = .resume) throws -> Telemetry {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: 16, metricCapacity: 8, mode: mode)
        return try Telemetry.attach(name, options: options)
    }

    /// Turns once, and compares the lane's drained, lost and backlog with the positions of its rings.
    @discardableResult
    private func turn(_ collector: CollectorHarness, lane: String = "", _ rings: Segment...) throws -> RingSnapshot {
        collector.leap()
        let account = try #require(collector.look().ring(lane))
        let written = rings.reduce(0) { $0 + $1.position }
        #expect(account.drained + account.totalLost + account.backlog == written, "\(account)")
        #expect(account.backlog == 0)
        return account
    }

    /// Expects a number of records for each reason, and none for any other.
    private func expect(_ account: RingSnapshot, drained: UInt64, _ lost: [LossReason: UInt64]) {
        #expect(account.drained == drained, "\(account)")
        for reason in LossReason.allCases {
            #expect(account.lost(reason) == lost[reason] ?? 0, "\(reason): \(account)")
        }
    }

    /// Returns the offset of the word with a record's metric, flags and lap, by the record's index.
    private func meta(_ index: UInt64) -> UInt64 {
        directory.file().header().records.offset + index % 16 * 32 + 16
    }

    @Test("lapped: records overwritten between two turns")
    func lapped() throws {
        let telemetry = try attach()
        let values = try telemetry.histogram("x", help: "X.")
        let collector = try CollectorHarness(directory)
        let segment = try directory.segment()
        for _ in 0..<5 { values.record(1) }
        expect(try turn(collector, segment), drained: 5, [:])
        for _ in 0..<100 { values.record(1) }
        // A lapped reader leaves an eighth of the ring, 2 of 16 slots, to the producer, so 14 are read.
        expect(try turn(collector, segment), drained: 5 + 14, [.lapped: 86])
        for _ in 0..<15 { values.record(1) }
        expect(try turn(collector, segment), drained: 19 + 15, [.lapped: 86])
        telemetry.close()
        expect(try turn(collector, segment), drained: 34, [.lapped: 86])
        #expect(try collector.look().histogram("x")?.calls == 120)
    }

    @Test("before_attach: records overwritten before the collector came, none of which counts as lapped")
    func beforeAttach() throws {
        let telemetry = try attach()
        let values = try telemetry.histogram("x", help: "X.")
        for _ in 0..<100 { values.record(1) }
        let segment = try directory.segment()
        let oldest = segment.oldestHeld(head: 100)
        #expect(oldest > 84)
        let collector = try CollectorHarness(directory)
        expect(try turn(collector, segment), drained: 100 - oldest, [.beforeAttach: oldest])
        values.record(1)
        expect(try turn(collector, segment), drained: 101 - oldest, [.beforeAttach: oldest])
        telemetry.close()
    }

    @Test(
        "corrupt: a record without a kind, one of another lap, one whose value is no number; and a position gone back")
    func corrupt() throws {
        let telemetry = try attach()
        let values = try telemetry.histogram("x", help: "X.")
        let collector = try CollectorHarness(directory)
        let segment = try directory.segment()
        try turn(collector, segment)
        for _ in 0..<5 { values.record(1) }
        let whole = directory.file().read(at: meta(1), as: UInt64.self)
        directory.file().write(whole & ~(0xf << 32), at: meta(1))
        directory.file().write(whole &+ 1 << 48, at: meta(3))
        expect(try turn(collector, segment), drained: 3, [.corrupt: 2])
        values.record(.nan)
        expect(try turn(collector, segment), drained: 3, [.corrupt: 3])
        values.record(2)
        expect(try turn(collector, segment), drained: 4, [.corrupt: 3])
        // The position's word is overwritten. The producer has a count of its own, and corrects the word with its next
        // record.
        directory.file().setPosition(2)
        collector.leap()
        expect(try #require(collector.look().ring()), drained: 4, [.corrupt: 3])
        values.record(3)
        expect(try turn(collector, segment), drained: 5, [.corrupt: 3])
        telemetry.close()
    }

    @Test("unknown_metric: a record of a metric that its ring does not have")
    func unknownMetric() throws {
        let telemetry = try attach()
        let values = try telemetry.histogram("x", help: "X.")
        let collector = try CollectorHarness(directory)
        let segment = try directory.segment()
        for _ in 0..<3 { values.record(1) }
        directory.file().write(UInt16(5), at: meta(1))
        expect(try turn(collector, segment), drained: 2, [.unknownMetric: 1])
        values.record(1)
        directory.file().write(UInt16.max, at: meta(3))
        expect(try turn(collector, segment), drained: 2, [.unknownMetric: 2])
        telemetry.close()
    }

    @Test("refused: records of a metric whose name another lane has with another kind")
    func refused() throws {
        let md = try attach("alpha.md")
        let known = try md.histogram("x", help: "X.")
        let collector = try CollectorHarness(directory)
        known.record(1)
        try turn(collector, lane: "md", directory.segment("alpha.md"))
        let orders = try attach("alpha.orders")
        let wrong = try orders.gauge("x", help: "X.", recording: .everyChange)
        let right = try orders.histogram("y", help: "Y.")
        for _ in 0..<3 { wrong.set(1) }
        right.record(1)
        expect(try turn(collector, lane: "orders", directory.segment("alpha.orders")), drained: 1, [.refused: 3])
        expect(try turn(collector, lane: "md", directory.segment("alpha.md")), drained: 1, [:])
        #expect(collector.said("metric refused", "ring=alpha.orders"))
        orders.close()
        md.close()
    }

    @Test("clock: records of a life whose ticks mean nothing, and none of the next life")
    func clock() throws {
        let first = try attach()
        let values = try first.histogram("x", help: "X.")
        for _ in 0..<4 { values.record(1) }
        first.close()
        let kind =
            directory.file().header().lives.offset + UInt64(MemoryLayout<ringside_life>.offset(of: \.clock_kind)!)
        directory.file().write(UInt32(0), at: kind)
        let collector = try CollectorHarness(directory)
        let segment = try directory.segment()
        expect(try turn(collector, segment), drained: 0, [.clock: 4])
        let second = try attach()
        let again = try second.histogram("x", help: "X.")
        for _ in 0..<3 { again.record(1) }
        expect(try turn(collector, segment), drained: 3, [.clock: 4])
        second.close()
    }

    @Test("unlinked: records of a bot whose ring was removed and whose name another has taken")
    func unlinked() throws {
        let old = try attach()
        let lost = try old.histogram("x", help: "X.")
        let collector = try CollectorHarness(directory)
        let removed = try directory.segment()
        for _ in 0..<3 { lost.record(1) }
        expect(try turn(collector, removed), drained: 3, [:])
        #expect(unlink(directory.ring("alpha")) == 0)
        for _ in 0..<4 { lost.record(1) }
        // It is only removed, so it is still read.
        expect(try turn(collector, removed), drained: 7, [:])
        #expect(collector.said("ring removed while its bot lives", "ring=alpha"))

        let new = try attach()
        let read = try new.histogram("x", help: "X.")
        let taken = try directory.segment()
        #expect(taken.ringID != removed.ringID)
        for _ in 0..<2 { lost.record(1) }
        read.record(1)
        // It was drained to its end when the other ring was found in its place.
        try collector.turn(until: "the ring that has the name now") { $0.ring()?.drained == 10 }
        expect(try turn(collector, removed, taken), drained: 10, [:])
        #expect(!collector.log.contains("displaced"))
        for _ in 0..<20 { lost.record(1) }
        read.record(1)
        expect(try turn(collector, removed, taken), drained: 11, [.unlinked: 20])
        #expect(collector.said("ring displaced while its bot lives", "ring=alpha"))
        #expect(try collector.look().bot()?.windows.contains { $0.lost == 20 && !$0.isComplete } == true)
        lost.record(1)
        old.close()
        expect(try turn(collector, removed, taken), drained: 11, [.unlinked: 21])
        read.record(1)
        expect(try turn(collector, removed, taken), drained: 12, [.unlinked: 21])
        new.close()
    }

    @Test(
        "records published and unread when a ring is closed are lost once, for the reason of its closing"
    )
    func letGo() throws {
        for reason in [LossReason.unlinked, .corrupt] {
            let options = AttachOptions(directory: directory.path, capacityRecords: 4096, mode: .fresh)
            let telemetry = try Telemetry.attach("alpha", options: options)
            let values = try telemetry.histogram("x", help: "X.")
            for _ in 0..<1000 { values.record(1) }
            let series = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
            let drain = RingDrain(
                segment: try directory.segment(), lane: series.lane(""), calibration: TickCalibration(),
                wasWatched: true,
                now: 0)
            #expect(drain.drain(limit: 300, now: 1).isCaughtUp == false)
            let drained = drain.drained
            drain.end(losingRestAs: reason, now: 2)
            #expect(drained < 1000 && drain.drained == drained && drain.backlog == 0)
            #expect(drain.lost[reason] == 1000 - drained && drain.lost.total == 1000 - drained)
            telemetry.close()
        }
    }
}
