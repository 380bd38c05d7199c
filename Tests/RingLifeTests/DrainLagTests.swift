import Ringside
import Series
import TestSupport
import Testing

/// The collector's own figures about its delay behind its bots.
@Suite struct DrainLagTests {
    private let directory = TemporaryRingDirectory()

    @Test("a ring shows the lag of its last drain, the worst of the last minute and the highest backlog")
    func ring() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try Telemetry.attach(
            "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 1 << 16))
        let stage = try telemetry.histogram("stage", help: "")
        var snapshot = try collector.settle()
        #expect(snapshot.ring()?.lag == nil && snapshot.ring()?.worstRecentLag == nil)
        #expect(snapshot.ring()?.backlogMaximum == 0)
        for _ in 0..<40 { stage.record(1, at: telemetry.now()) }
        collector.leap()  // the clock is 300 ms further before the records are read
        for _ in 0..<3 { stage.record(1, at: telemetry.now()) }
        collector.work()
        snapshot = try collector.look()
        let ring = try #require(snapshot.ring())
        #expect(ring.backlogMaximum == 40 && ring.drained == 43)
        let (lag, worst) = (try #require(ring.lag), try #require(ring.worstRecentLag))
        // All lags include the time that the clock was set ahead before, because records use the real clock.
        #expect(lag >= 0.3 && worst >= lag)
        #expect(try #require(snapshot.collector.recordCost) > 0)
        #expect(try #require(snapshot.collector.worstRecentCycle) > 0)
        // Eleven slots of six seconds pass without a record.
        for _ in 0..<230 { collector.leap() }
        snapshot = try collector.look()
        #expect(snapshot.ring()?.worstRecentLag == nil && snapshot.ring()?.backlogMaximum == 40)
        #expect(snapshot.ring()?.lag == ring.lag)
        telemetry.close()
    }

    @Test("a turn counts the records that it read, and none where nothing came")
    func turns() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        let stage = try telemetry.histogram("stage", help: "")
        _ = try collector.settle()
        #expect(collector.work() == 0)
        for _ in 0..<3 { stage.record(1) }
        #expect(collector.work() == 3 && collector.work() == 0)
        telemetry.close()
    }

    @Test("the wait is the time since the ring was read before, whatever times the records carry")
    func wait() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        let stage = try telemetry.histogram("stage", help: "")
        var snapshot = try collector.settle()
        #expect(snapshot.ring()?.worstRecentWait == nil && snapshot.bots.worstRecentWait == 0)
        // A record that is dated back, as an import's records are, has not waited for that long.
        stage.record(1, at: Instant(ticks: telemetry.now().ticks - UInt64(20 * TickClock.ticksPerSecond)))
        collector.work()
        snapshot = try collector.look()
        #expect(try #require(snapshot.ring()?.worstRecentLag) >= 20)
        let short = try #require(snapshot.ring()?.worstRecentWait)
        #expect(short >= 0 && short < 20)
        // The collector stands still for three seconds, and a record waits.
        stage.record(1)
        collector.stand(seconds: 3)
        collector.work()
        snapshot = try collector.look()
        #expect(snapshot.bots.worstRecentWait >= 3)
        // It is forgotten after twelve seconds at most.
        for _ in 0..<40 { collector.leap() }
        #expect(try collector.look().ring()?.worstRecentWait == nil)
        telemetry.close()
    }
}
