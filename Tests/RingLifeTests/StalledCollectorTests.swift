import Platform
import Collector
import Drain
import RingReader
import Series
import TestSupport
import Testing

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

/// The figures of windows after the collector was stopped, came late, or read records with impossible times.
@Suite struct StalledCollectorTests {
    private let directory = TemporaryRingDirectory()
    private let time = SimulatedTime(start: TimeSource.system.monotonic() + 1_000 * second)
    private let truth = RecordedTruth()

    private func begin() throws -> DrainAgent {
        DrainAgent(
            directory: RingDirectory(path: directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(), logger: Logger(level: .error),
            version: "test", maximumIntervalNanoseconds: 100 * millisecond, time: time.source, clocks: time)
    }

    /// Turns ten times a second, while the bot writes a value and counts each time.
    private func run(_ agent: DrainAgent, _ lane: SimulatedLane, seconds: Double) throws -> Snapshot {
        for _ in 0..<Int(seconds * 10) {
            time.move(to: time.now + 100 * millisecond)
            write(lane)
            _ = agent.doWork()
        }
        return agent.snapshot(now: time.now)
    }

    private func write(_ lane: SimulatedLane) {
        lane.recordUntimed()
        lane.recordTimed(at: time.now)
        lane.count()
        lane.set(Double(time.now % 1_000))
    }

    /// Lets the bot write while nobody reads.
    private func stall(_ lane: SimulatedLane, seconds: Int64) {
        for _ in 0..<seconds * 100 {
            time.move(to: time.now + 10 * millisecond)
            write(lane)
        }
    }

    private func histogram(_ name: String, _ snapshot: Snapshot) throws -> [HistogramWindow] {
        try #require(snapshot.histogram(name)).windows
    }

    private func counter(_ snapshot: Snapshot) throws -> [CounterWindow] {
        guard case .counter(let counter) = try #require(snapshot.bot()?.reading("calls_total")) else { return [] }
        return counter.windows
    }

    private func gauge(_ snapshot: Snapshot) throws -> [GaugeWindow] {
        guard case .gauge(let gauge) = try #require(snapshot.bot()?.reading("level")) else { return [] }
        return gauge.windows
    }

    @Test("a stall that loses nothing blurs values without times, counters too; values with times stay complete")
    func stallWithoutLoss() throws {
        let lane = try SimulatedLane("alpha", directory, capacity: 1 << 14, time, truth)
        defer { lane.close() }
        let agent = try begin()
        var snapshot = try run(agent, lane, seconds: 70)
        #expect(try histogram("untimed", snapshot).allSatisfy(\.isComplete))
        #expect(try counter(snapshot).allSatisfy(\.isComplete) && gauge(snapshot).allSatisfy(\.isComplete))
        stall(lane, seconds: 3)
        snapshot = try run(agent, lane, seconds: 0.1)
        #expect(try histogram("untimed", snapshot).map(\.isComplete) == [false, true, true])
        #expect(try histogram("timed", snapshot).map(\.isComplete) == [true, true, true])
        #expect(try counter(snapshot).map(\.isComplete) == [false, true, true])
        #expect(try gauge(snapshot).map(\.isComplete) == [false, false, false])
        #expect(snapshot.bot()?.windows.map(\.isComplete) == [false, false, false])
        snapshot = try run(agent, lane, seconds: 3)
        #expect(try counter(snapshot).map(\.isComplete) == [true, false, true])
        #expect(try gauge(snapshot).map(\.isComplete) == [true, false, false])
        snapshot = try run(agent, lane, seconds: 65)
        #expect(snapshot.bot()?.windows.map(\.isComplete) == [true, true, true])
    }

    @Test("records lost in a stall are missing from windows for their length after the reader came back")
    func stallWithLoss() throws {
        let lane = try SimulatedLane("alpha", directory, capacity: 64, time, truth)
        defer { lane.close() }
        let agent = try begin()
        var snapshot = try run(agent, lane, seconds: 5)
        stall(lane, seconds: 2)
        // A record that is dated long ago does not show when the records before it were written.
        for _ in 0..<60 { lane.recordTimed(at: time.now - 50 * second) }
        snapshot = try run(agent, lane, seconds: 0.5)
        for window in try histogram("untimed", snapshot) { #expect(!window.isComplete && window.lost > 300) }
        snapshot = try run(agent, lane, seconds: 2)
        #expect(try histogram("timed", snapshot).map(\.isComplete) == [true, false, false])
    }

    @Test("a collector that comes late makes no rate of values without times")
    func lateStart() throws {
        let lane = try SimulatedLane("alpha", directory, capacity: 1 << 14, time, truth)
        defer { lane.close() }
        for _ in 0..<1_000 { lane.recordUntimed() }
        time.move(to: time.now + 3 * second)
        let agent = try begin()
        let snapshot = try run(agent, lane, seconds: 0.1)
        #expect(try histogram("untimed", snapshot).map(\.isComplete) == [false, true, true])
        #expect(try histogram("untimed", snapshot)[1].summary.count == 1_001)
    }

    @Test("records dated ahead are lost to the windows that their time comes to, with their number, and to no others")
    func future() throws {
        let lane = try SimulatedLane("alpha", directory, capacity: 1 << 14, time, truth)
        defer { lane.close() }
        let agent = try begin()
        _ = try run(agent, lane, seconds: 10)
        for _ in 0..<7 { lane.recordTimed(at: time.now + 5 * second) }
        var snapshot = try run(agent, lane, seconds: 4)
        #expect(try histogram("timed", snapshot).map(\.isComplete) == [true, true, true])
        snapshot = try run(agent, lane, seconds: 1.3)
        for window in try histogram("timed", snapshot) { #expect(!window.isComplete && window.lost == 7) }
        #expect(try histogram("untimed", snapshot).map(\.isComplete) == [true, true, true])
        snapshot = try run(agent, lane, seconds: 2)
        #expect(try histogram("timed", snapshot).map(\.lost) == [0, 7, 7])
        #expect(snapshot.ring()?.future == 7)
    }
}
