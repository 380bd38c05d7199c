import Drain
import Glibc
import Platform
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// When a lane was last active, and the state of a bot that is idle, gone or has closed its ring.
@Suite struct ActivityTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private func attach(_ ring: String = "alpha") throws -> Telemetry {
        try Telemetry.attach(ring, options: AttachOptions(directory: directory.path, capacityRecords: 1 << 12))
    }

    /// Starts a collector with the ready-made alerts and objectives.
    private func collector(checkpoint: CheckpointFile? = nil, memory: CollectorHarness.Memory? = nil) throws
        -> CollectorHarness
    {
        try CollectorHarness(
            directory, configuration: try ConfigurationFile(path: nil, logger: Logger(level: .error, descriptor: -1)),
            checkpoint: checkpoint, memory: memory)
    }

    private func firing(_ snapshot: Snapshot) -> [String] {
        snapshot.alerts.filter { $0.state == .firing }.map(\.alert)
    }

    private static let tenth: Int64 = 100_000_000

    /// Lets tenths of seconds pass, and calls `act` in each of them.
    private func pass(_ tenths: Int, _ collector: CollectorHarness, _ act: () -> Void = {}) throws -> Snapshot {
        for _ in 0..<tenths {
            act()
            collector.advance(by: Self.tenth)
            collector.work()
        }
        return try collector.look()
    }

    private func lane(_ snapshot: Snapshot, _ name: String = "") throws -> RingSnapshot {
        try #require(snapshot.bots.first?.rings.first { $0.lane == name })
    }

    private enum Sign: CaseIterable {
        case record, counter, gauge
    }

    @Test(
        "records, counters and gauges that move are activity, and its age grows when they stop",
        arguments: Sign.allCases)
    private func ages(sign: Sign) throws {
        let collector = try collector()
        let telemetry = try attach()
        let histogram = try telemetry.histogram("h", help: "")
        let counter = try telemetry.counter("c_total", help: "")
        let gauge = try telemetry.gauge("g", help: "")
        var level = 0.0
        var snapshot = try pass(400, collector) {
            switch sign {
            case .record: histogram.record(1)
            case .counter: counter.increment()
            case .gauge:
                level += 1
                gauge.set(level)
            }
        }
        var found = try lane(snapshot)
        #expect(try #require(found.activityAge) <= 0.6)
        #expect(try #require(found.usualPause) <= 0.6)
        snapshot = try pass(60, collector)
        found = try lane(snapshot)
        #expect(try #require(found.activityAge) > 5.3, "\(sign)")
        #expect(snapshot.bots.first?.condition == .hung)
        _ = try pass(10, collector) {
            histogram.record(1)
        }
        #expect(try collector.look().bots.first?.condition == .up)
        telemetry.close()
    }

    @Test("availability counts the seconds in which a bot hangs as bad")
    func availability() throws {
        let collector = try collector()
        let telemetry = try attach()
        let counter = try telemetry.counter("c_total", help: "")
        _ = try pass(400, collector) { counter.increment() }
        let before = try #require(collector.look().objectives.first { $0.bot == "alpha" }?.windows.first)
        #expect(before.counts.bad == 0)
        let after = try #require(pass(300, collector).objectives.first { $0.bot == "alpha" }?.windows.first)
        #expect((25...29).contains(after.counts.bad), "\(after)")
        telemetry.close()
    }

    @Test("a pause meter's lane that misses its beat shows that its bot hangs before it has a habit")
    func pauseMeter() throws {
        let collector = try collector()
        let telemetry = try attach()
        let pause = try attach("alpha.pause")
        let (counter, beat) = (try telemetry.counter("c_total", help: ""), try pause.histogram("p", help: ""))
        _ = try pass(30, collector) {
            counter.increment()
            beat.record(1)
        }
        #expect(try pass(24, collector).bots.first?.condition == .up)
        let snapshot = try pass(16, collector)
        #expect(snapshot.bots.first?.condition == .hung)
        #expect(snapshot.alerts.contains { $0.alert == "bot_hung" && $0.state == .firing })
        telemetry.close()
        pause.close()
    }

    @Test("a ring that is removed under its bot changes nothing; a clean end is no death")
    func removed() throws {
        let collector = try collector()
        let telemetry = try attach()
        let counter = try telemetry.counter("c_total", help: "")
        _ = try pass(20, collector) { counter.increment() }
        unlink(directory.ring("alpha"))
        var snapshot = try pass(20, collector) { counter.increment() }
        #expect(snapshot.bots.first?.condition == .up)
        telemetry.close()
        snapshot = try pass(20, collector)
        #expect(snapshot.bots.first?.condition == .closed)
        #expect(!snapshot.alerts.contains { $0.state == .firing })
    }

    /// The events of a ring while no collector runs.
    private enum Fate: CaseIterable {
        case goesOn, isClosedAndThere, vanishes, wasClosedAndVanishes
        /// The first collector sees that the ring of a closed bot is removed, as a sweep does it.
        case wasClosedAndSwept
    }

    @Test(
        "after a restart a ring that vanished unclosed is a bot that is down, and no other is",
        arguments: Fate.allCases)
    private func restart(fate: Fate) throws {
        let telemetry = try attach()
        let counter = try telemetry.counter("c_total", help: "")
        let memory: CollectorHarness.Memory
        do {
            let first = try collector(checkpoint: try CheckpointFile(folder))
            _ = try pass(20, first) { counter.increment() }
            if fate == .wasClosedAndVanishes || fate == .wasClosedAndSwept { telemetry.close() }
            _ = try pass(20, first)
            if fate == .wasClosedAndSwept {
                unlink(directory.ring("alpha"))
                _ = try pass(20, first)
            }
            first.end()
            memory = first.memory
        }
        if fate == .isClosedAndThere { telemetry.close() }
        // A reboot or a person removes it.
        if fate == .vanishes || fate == .wasClosedAndVanishes { unlink(directory.ring("alpha")) }
        let second = try collector(checkpoint: try CheckpointFile(folder), memory: memory)
        let snapshot = try pass(30, second)
        let expected: [Fate: BotCondition] = [
            .goesOn: .up, .isClosedAndThere: .closed, .vanishes: .down, .wasClosedAndVanishes: .closed,
            .wasClosedAndSwept: .closed,
        ]
        #expect(snapshot.bots.first?.condition == expected[fate], "\(fate)")
        #expect(firing(snapshot) == (fate == .vanishes ? ["bot_down"] : []), "\(fate)")
        #expect(second.said("alert firing") == (fate == .vanishes), "\(fate): \(second.log)")
        telemetry.close()
    }
}
