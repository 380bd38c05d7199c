import Drain
import Glibc
import Platform
import Ringside
import Series
import TestSupport
import Testing

/// Usual levels from a bot's counter to the alert, over a restart of the collector.
@Suite("Usual levels in a collector") struct UsualLevelLifeTests {
    private let rings = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private func collector(memory: CollectorHarness.Memory? = nil) throws -> CollectorHarness {
        let path = "\(folder.path)/configuration"
        let text = "{ standard_alerts: false, standard_objectives: false, unusual_level_alerts: true }"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
        return try CollectorHarness(
            rings, configuration: ConfigurationFile(path: path, logger: Logger(level: .error, descriptor: -1)),
            checkpoint: try CheckpointFile(folder), memory: memory,
            // Slices of a second allow cells to be read as rarely.
            options: SeriesOptions(windows: [
                WindowSpan(name: "1m", lengthNanoseconds: 60_000_000_000, sliceNanoseconds: 1_000_000_000)
            ]))
    }

    /// Lets minutes pass on both clocks, with a number of ticks a second in the feed.
    private func pass(_ collector: CollectorHarness, minutes: Int, _ ticks: borrowing Counter, by amount: UInt64) {
        for _ in 0..<minutes * 60 {
            ticks.increment(by: amount)
            collector.wallOffset += 1_000_000_000
            collector.advance(by: 1_000_000_000)
            collector.work()
        }
    }

    private func rate(_ snapshot: Snapshot) -> LevelSnapshot? {
        snapshot.bot()?.levels.first { $0.metric == "ticks_total" && $0.statistic == .rate }
    }

    @Test("a feed that dries up is low and its alert fires; after a restart it is judged by what was learned before")
    func driesUp() throws {
        let telemetry = try Telemetry.attach(
            "alpha", options: AttachOptions(directory: rings.path, capacityRecords: 1024, metricCapacity: 16))
        let ticks = try telemetry.counter("ticks_total", help: "Ticks.")
        var collector: CollectorHarness! = try self.collector()
        _ = try collector.settle()
        pass(collector, minutes: 10, ticks, by: 5000)
        var level = try #require(rate(collector.look()))
        #expect(level.state == .learning && level.readings >= 6 && level.usual == nil)
        pass(collector, minutes: 25, ticks, by: 5000)
        level = try #require(rate(collector.look()))
        #expect(level.state == .usual && abs(level.value / 5000 - 1) < 0.1)
        #expect(try collector.look().alerts.allSatisfy { $0.state == .inactive })

        collector.end()
        let (memory, wall) = (collector.memory, collector.wallOffset)
        collector = nil
        collector = try self.collector(memory: memory)
        collector.wallOffset = wall
        _ = try collector.settle()
        pass(collector, minutes: 3, ticks, by: 5000)
        #expect(try #require(rate(collector.look())).state == .usual, "learned before")
        pass(collector, minutes: 6, ticks, by: 50)
        level = try #require(rate(collector.look()))
        #expect(level.state == .low && abs(level.value / 50 - 1) < 0.2, "\(level)")
        #expect(try #require(level.usual).low > 2500)
        let alert = try #require(collector.look().alerts.first { $0.alert == "level_unusually_low" })
        #expect(alert.state == .firing && alert.labels.contains(Label("metric", "ticks_total")))
        #expect(try collector.look().alerts.first { $0.alert == "level_unusually_high" }?.state == .inactive)
        #expect(collector.said("rate is unusually low", "bot=alpha", "metric=ticks_total"))
        telemetry.close()
    }
}
