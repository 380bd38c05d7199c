import Platform
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Collectors that are killed and leave the state of their last checkpoint, and others that continue from it. A killed
/// collector is dropped without its last turn.
@Suite struct RestartTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    /// A bot with a counter and two histograms, and the sums of all its lives.
    private final class Bot {
        private(set) var records: UInt64 = 0
        private(set) var sum = 0.0
        private(set) var good: UInt64 = 0
        private var telemetry: Telemetry?
        private var counter: Counter?
        private var values: Histogram?
        private let directory: String
        private let capacity: Int

        init(_ directory: TemporaryRingDirectory, capacity: Int = 4096) throws {
            self.directory = directory.path
            self.capacity = capacity
            try attach()
        }

        func attach(_ mode: AttachOptions.Mode = .resume) throws {
            telemetry.take()?.close()
            let options = AttachOptions(
                directory: directory, capacityRecords: capacity, metricCapacity: 8, mode: mode, labels: ["env": "test"])
            let attached = try Telemetry.attach("alpha", options: options)
            counter = try attached.counter("writes_total", help: "Writes.")
            values = try attached.histogram("pattern", help: "Values of both signs.")
            telemetry = consume attached
        }

        func write(_ count: Int) {
            for _ in 0..<count {
                let value = Double(Int(records % 41) - 20) / 4
                values?.record(value)
                counter?.increment()
                records += 1
                sum += value
                if value <= 1.25 { good += 1 }
            }
        }

        func close() { telemetry.take()?.close() }
    }

    private func expectAll(_ snapshot: Snapshot, of bot: Bot, _ note: String = "") throws {
        let ring = try #require(snapshot.ring())
        #expect(ring.drained == bot.records && ring.totalLost == 0, "\(note) \(ring)")
        #expect(snapshot.counter("writes_total") == bot.records, "\(note)")
        let values = try #require(snapshot.histogram())
        #expect(values.total.count == bot.records && values.calls == bot.records, "\(note)")
        #expect(abs(values.total.sum - bot.sum) <= 1e-9 * Double(bot.records), "\(note)")
        let counts = EventCounts(good: bot.good, bad: bot.records - bot.good)
        let objective = try #require(snapshot.objectives.first)
        #expect(objective.counts == counts && objective.windows.last?.counts == counts, "\(note) \(objective)")
        #expect(values.total.extremes?.minimum == -5 && values.total.extremes?.maximum == 5, "\(note)")
    }

    /// Drops a collector as SIGKILL would, or lets it end, and starts the next.
    ///
    /// - Parameter mayFall: Whether some of the totals shown are known to be gone.
    private func restart(_ collector: inout CollectorHarness?, inOrder: Bool = false, mayFall: Bool = false) throws {
        if inOrder { collector?.end() }
        let memory = collector?.memory
        collector = nil
        collector = try begin(mayFall ? memory?.withoutTotals : memory)
    }

    private func begin(_ memory: CollectorHarness.Memory? = nil, _ checkpoint: CheckpointFile? = nil) throws
        -> CollectorHarness?
    {
        try CollectorHarness(
            directory, configuration: configuration(), checkpoint: checkpoint ?? CheckpointFile(folder), memory: memory)
    }

    /// Writes a configuration with one objective, for the histogram.
    private func configuration() throws -> ConfigurationFile {
        let text = """
            {
                standard_objectives: false, standard_alerts: false,
                objectives: [{ name: "pattern", instrument: "pattern", threshold: 1.25, target: 0.5 }]
            }
            """
        let path = "\(folder.path)/configuration"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
        return try ConfigurationFile(path: path, logger: Logger(level: .error))
    }

    @Test(
        "killed at any moment between writes, turns, lives of the bot and new rings, it loses nothing and counts nothing twice",
        arguments: 1...(isLongRun ? 200 : 20))
    func anyMoment(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let bot = try Bot(directory)
        var collector = try begin()
        bot.write(41)
        try collector?.turn()
        for step in 1...120 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4: bot.write(Int.random(in: 0...60, using: &random))
            case 5...7: try collector?.turn()
            case 8: collector?.leap()
            case 9: try bot.attach()
            case 10:
                // A running collector reads the ring to its end before it goes to the next.
                try bot.attach(.fresh)
                collector?.leap()
            default:
                try restart(&collector, inOrder: Bool.random(using: &random))
                try collector?.turn()
                #expect(collector?.isReady == true, "after step \(step)")
            }
        }
        bot.write(41)
        try expectAll(try #require(collector).settle(), of: bot, "seed \(seed)")
        bot.close()
    }

    @Test("records overwritten while no collector ran are lost as lapped, and its totals have a new start time")
    func lapped() throws {
        let bot = try Bot(directory, capacity: 64)
        var collector = try begin()
        bot.write(40)
        let before = try #require(collector).settle()
        try restart(&collector, mayFall: true)
        bot.write(200)
        let after = try #require(collector).settle()
        let ring = try #require(after.ring())
        #expect(ring.drained + ring.totalLost == 240 && ring.totalLost == ring.lost(.lapped) && ring.totalLost > 100)
        #expect(after.histogram()?.total.count == ring.drained && after.histogram()?.calls == 240)
        #expect(after.counter("writes_total") == 240)
        #expect(try created(after) > created(before))
        // The counts of the cells have not fallen.
        #expect(try created(after, "writes_total") == created(before, "writes_total"))
        #expect(try cellsCreated(after) == cellsCreated(before))
        // Records that the first collector read are not read again by the third.
        try restart(&collector, inOrder: true)
        let last = try #require(collector).settle()
        #expect(last.ring()?.drained == ring.drained && last.ring()?.lost == ring.lost)
        #expect(try created(last) == created(after))
    }

    private func cellsCreated(_ snapshot: Snapshot) throws -> Double {
        try #require(snapshot.bot()?.metrics.first { $0.name == "pattern" }?.cellsCreatedUnixSeconds)
    }

    private func created(_ snapshot: Snapshot, _ name: String = "pattern") throws -> Double {
        try #require(snapshot.bot()?.metrics.first { $0.name == name }?.createdUnixSeconds)
    }

    @Test("a ring replaced while no collector ran adds to what was kept", arguments: [true, false])
    func replaced(inOrder: Bool) throws {
        let bot = try Bot(directory)
        var collector = try begin()
        bot.write(100)
        let before = try #require(collector).settle()
        try restart(&collector, inOrder: inOrder)
        collector = nil
        try bot.attach(.fresh)
        bot.write(50)
        collector = try begin()
        let after = try #require(collector).settle()
        try expectAll(after, of: bot)
        #expect(collector?.said("ring replaced while no collector ran", "ring=alpha", "read_to=100") == true)
        // After a kill, more may have been shown than was stored.
        #expect(try created(after) > created(before) || inOrder)
        #expect(try created(after) == created(before) || !inOrder)
    }

    @Test("a ring that is gone keeps its totals and labels, and one that comes back is read on from where it was")
    func goneAndBack() throws {
        let bot = try Bot(directory)
        var collector = try begin()
        bot.write(100)
        _ = try #require(collector).settle()
        try restart(&collector, inOrder: true)
        collector = nil
        bot.write(20)
        let (path, aside) = (directory.ring("alpha"), "\(directory.path)/aside")
        #expect(rename(path, aside) == 0)
        collector = try begin()
        for _ in 1...3 {
            let gone = try #require(collector).settle()
            #expect(gone.bot()?.isUp == false && gone.bot()?.labels == [Series.Label("env", "test")])
            #expect(gone.counter("writes_total") == 100 && gone.histogram()?.total.count == 100)
            #expect(gone.ring()?.drained == 100 && gone.ring()?.pid == getpid())
            try restart(&collector)
        }
        #expect(rename(aside, path) == 0)
        try expectAll(try #require(collector).settle(), of: bot)
        bot.close()
    }

    @Test("a ring that was renamed, or a copy of one that is over, is not read again after a restart")
    func otherNames() throws {
        let bot = try Bot(directory)
        var collector = try begin()
        bot.write(100)
        _ = try #require(collector).settle()
        #expect(link(directory.ring("alpha"), "\(directory.path)/kept") == 0)
        try bot.attach(.fresh)
        bot.write(1)
        _ = try #require(collector).settle()
        try restart(&collector)
        #expect(rename("\(directory.path)/kept", directory.ring("copy")) == 0)
        #expect(rename(directory.ring("alpha"), directory.ring("renamed")) == 0)
        try restart(&collector, mayFall: true)
        let snapshot = try #require(collector).settle()
        #expect(snapshot.bots.map(\.name) == ["alpha"] && snapshot.histogram()?.total.count == 101)
        #expect(collector?.said("ring not read", "ring=copy", "it was read before") == true)
        #expect(collector?.said("ring not read", "ring=renamed", "it is the ring alpha") == true)
    }

    @Test("after a restart windows are incomplete until they are filled again")
    func windows() throws {
        let bot = try Bot(directory)
        var collector = try begin()
        func isComplete() throws -> [Bool] {
            bot.write(1)
            let snapshot = try #require(collector).settle()
            return try #require(snapshot.histogram()).windows.map(\.isComplete)
        }
        _ = try #require(collector).settle()
        bot.write(10)
        #expect(try isComplete() == [true, true, true])
        try restart(&collector)
        #expect(try isComplete() == [false, false, false])
        for _ in 1...2 { _ = try #require(collector).settle() }
        #expect(try isComplete() == [true, false, false])
        for _ in 1...8 { _ = try #require(collector).settle() }
        #expect(try isComplete() == [true, true, false])
        // The first collector's counts are not an increase under the second collector.
        guard case .counter(let counter)? = try collector?.look().bot()?.reading("writes_total") else { return }
        #expect(counter.windows.allSatisfy { $0.increase < 10 })
        bot.close()
    }

    @Test("times of another boot are not taken for this one's, and the totals are kept")
    func otherBoot() throws {
        let bot = try Bot(directory)
        var collector = try begin()
        bot.write(10)
        _ = try #require(collector).settle()
        collector?.end()
        collector = nil
        bot.close()
        #expect(unlink(directory.ring("alpha")) == 0)
        do {
            let checkpoint = try CheckpointFile(folder)
            let saved = try #require(checkpoint.saved)
            var moved = Checkpoint(unixNanoseconds: 1, bootID: Segment.Identifier(high: 1, low: 2))
            (moved.isFull, moved.bots, moved.series) = (true, saved.bots, saved.series)
            moved.rings = saved.rings.map {
                var ring = $0
                ring.lastRecordTime = 77
                return ring
            }
            checkpoint.take(moved)
            #expect(checkpoint.outcome == .written)
        }
        collector = try begin()
        let snapshot = try #require(collector).settle()
        #expect(snapshot.ring()?.lastRecordAge == nil && snapshot.ring()?.drained == 10)
        #expect(snapshot.counter("writes_total") == 10)
    }

    @Test("a full disk stops nothing: it is reported, and once there is room everything is saved again")
    func fullDisk() throws {
        let checkpoint = try CheckpointFile(folder)
        let bot = try Bot(directory)
        let collector = try CollectorHarness(directory, checkpoint: checkpoint)
        bot.write(10)
        _ = try collector.settle()
        checkpoint.refusal = "no space"
        for _ in 1...3 {
            bot.write(10)
            let snapshot = try collector.settle()
            #expect(snapshot.counter("writes_total") == bot.records)
        }
        #expect(try collector.look().collector.checkpointFailure == "no space")
        let written = checkpoint.written
        checkpoint.refusal = nil
        for _ in 1...8 { _ = try collector.settle() }
        #expect(checkpoint.written > written)
        #expect(try collector.look().collector.checkpointFailure == nil)
        bot.write(5)
    }

    @Test("while a checkpoint is being written the next one waits, and takes all that has changed")
    func busy() throws {
        let bot = try Bot(directory)
        do {
            let checkpoint = try CheckpointFile(folder)
            let collector = try CollectorHarness(directory, checkpoint: checkpoint)
            try collector.turn()
            #expect(collector.isReady)
            checkpoint.isBusy = true
            let written = checkpoint.written
            for _ in 1...10 {
                bot.write(10)
                _ = try collector.settle()
            }
            #expect(checkpoint.written == written)
            checkpoint.isBusy = false
            _ = try collector.settle()
            #expect(checkpoint.written > written)
        }
        let saved = try #require(CheckpointFile(folder).saved)
        #expect(saved.rings.map(\.position) == [100] && saved.rings.map(\.drained) == [100])
        #expect(saved.series.allSatisfy { $0.state.parts.allSatisfy { $0.live.first == .unsigned(100) } })
        #expect(!saved.wasClosed)
        bot.close()
    }

    @Test("it is not ready before its first checkpoint is written")
    func readiness() throws {
        let checkpoint = try CheckpointFile(folder)
        let collector = try CollectorHarness(directory, checkpoint: checkpoint)
        checkpoint.isBusy = true
        for _ in 1...3 { try collector.turn() }
        #expect(!collector.isReady)
        checkpoint.isBusy = false
        try collector.turn()
        #expect(collector.isReady)
    }
}
