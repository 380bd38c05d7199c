import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Bots that come and go before, while and after a collector does, and rings that are removed, remade and replaced.
@Suite struct ComingAndGoingTests {
    private let directory = TemporaryRingDirectory()

    private func attach(
        _ name: String = "alpha", capacity: Int = 64, mode: AttachOptions.Mode = .resume
    ) throws -> Telemetry {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: capacity, metricCapacity: 8, mode: mode)
        return try Telemetry.attach(name, options: options)
    }

    /// Runs a life that writes a number of records, each counted, and ends.
    private func live(
        _ count: Int, of name: String = "alpha", capacity: Int = 64, mode: AttachOptions.Mode = .resume
    ) throws {
        let telemetry = try attach(name, capacity: capacity, mode: mode)
        try write(count, telemetry)
        telemetry.close()
    }

    private func write(_ count: Int, _ telemetry: borrowing Telemetry) throws {
        let total = try telemetry.counter("writes_total", help: "Records.")
        let values = try telemetry.histogram("pattern", help: "Values.")
        for value in 0..<count {
            total.increment()
            values.record(Double(value), at: telemetry.now())
        }
    }

    /// Expects these totals of the bot, no loss and no backlog.
    private func expect(_ snapshot: Snapshot, of bot: String = "alpha", _ total: UInt64) throws {
        let account = try #require(snapshot.ring(of: bot))
        #expect(snapshot.counter("writes_total", of: bot) == total)
        #expect(snapshot.histogram(of: bot)?.calls == total && snapshot.histogram(of: bot)?.total.count == total)
        #expect(account.drained == total && account.position == total && account.totalLost == 0, "\(account)")
    }

    @Test("bots that ended before the collector came, live through its coming, and come after it are counted alike")
    func comingAtAnyTime() throws {
        try live(10, of: "before")
        let through = try attach("through")
        try write(20, through)
        let collector = try CollectorHarness(directory)
        var snapshot = try collector.settle()
        try expect(snapshot, of: "before", 10)
        try expect(snapshot, of: "through", 20)
        #expect(snapshot.bot("before")?.isUp == false && snapshot.bot("through")?.isUp == true)

        try write(5, through)
        try live(30, of: "after")
        try live(1, of: "before")
        snapshot = try collector.settle()
        for (bot, total) in [("before", 11), ("through", 25), ("after", 30)] as [(String, UInt64)] {
            try expect(snapshot, of: bot, total)
            #expect(snapshot.bot(bot)?.isUp == (bot == "through"))
        }
        // Another collector, started last, has the same figures for rings that were never lapped.
        let late = try CollectorHarness(directory).settle()
        for (bot, total) in [("before", 11), ("through", 25), ("after", 30)] as [(String, UInt64)] {
            try expect(late, of: bot, total)
        }
        through.close()
        #expect(try collector.settle().bot("through")?.isUp == false)
    }

    @Test("a ring that is removed and made anew adds to the totals of the one before", arguments: [true, false])
    func madeAnew(isLookedAtBetween: Bool) throws {
        let collector = try CollectorHarness(directory)
        var total: UInt64 = 0
        for life in 1...5 {
            try live(life * 3)
            total += UInt64(life * 3)
            try expect(try collector.settle(), total)
            #expect(unlink(directory.ring("alpha")) == 0)
            guard isLookedAtBetween else { continue }
            try expect(try collector.settle(), total)
            #expect(collector.said("ring detached", "ring=alpha", "removed"))
        }
        try expect(try collector.settle(), total)
        #expect(!collector.log.contains("level=error") && !collector.log.contains("displaced"), "\(collector.log)")
    }

    @Test(
        "a ring replaced by a fresh one, or by one of another size, adds to it, drained to its end or not yet looked at"
    )
    func replaced() throws {
        let collector = try CollectorHarness(directory)
        var total: UInt64 = 0
        for (count, capacity, mode) in [
            (7, 64, .resume), (9, 64, .fresh), (11, 128, .resume), (13, 32, .resume), (15, 32, .resume),
            (17, 32, .fresh),
        ] as [(Int, Int, AttachOptions.Mode)] {
            let telemetry = try attach(capacity: capacity, mode: mode)
            try write(count, telemetry)
            total += UInt64(count)
            try collector.turn()
            try expect(try collector.look(), total)
            // These are written after the last read of this ring. Half of the time they are found only when its
            // successor is found.
            try write(2, telemetry)
            total += 2
            if count % 4 == 1 { collector.leap() }
            telemetry.close()
        }
        try expect(try collector.settle(), total)
        let account = try #require(collector.look().ring())
        #expect(account.pid == getpid())
        #expect(!collector.log.contains("level=error") && !collector.log.contains("displaced"), "\(collector.log)")
    }

    @Test("a collector that comes after a replacement reads the ring with the name, and nothing of the one before")
    func afterReplacement() throws {
        try live(7)
        try live(9, mode: .fresh)
        try expect(try CollectorHarness(directory).settle(), 9)
    }
}
