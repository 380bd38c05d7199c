import Drain
import Platform
import Ringside
import Series
import TestSupport
import Testing

/// Tests when the alert of a silent bot fires.
@Suite struct SilenceTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory()

    private func attach() throws -> Telemetry {
        try Telemetry.attach(
            "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 131_072, metricCapacity: 8))
    }

    private func write(_ count: Int, _ telemetry: borrowing Telemetry) throws {
        let values = try telemetry.histogram("pattern", help: "Values.")
        for value in 0..<count { values.record(Double(value), at: telemetry.now()) }
    }

    private func collector(checkpoint: CheckpointFile? = nil, memory: CollectorHarness.Memory? = nil) throws
        -> CollectorHarness
    {
        try CollectorHarness(
            directory, configuration: try ConfigurationFile(path: nil, logger: Logger(level: .error, descriptor: -1)),
            checkpoint: checkpoint, memory: memory)
    }

    private func firing(_ collector: CollectorHarness) throws -> [String] {
        try collector.look().alerts.filter { $0.state == .firing }.map(\.alert)
    }

    @Test("a bot that was silent before the collector came is silent from then on")
    func fresh() throws {
        let telemetry = try attach()
        try write(10, telemetry)
        let collector = try collector()
        collector.advance(by: 100_000_000_000)
        for _ in 0..<20 { collector.leap() }
        #expect(!collector.said("alert firing", "alert=bot_silent"))
        #expect(try #require(try collector.look().ring()?.lastRecordAge) > 100)
        collector.advance(by: 31_000_000_000)
        collector.leap()
        #expect(try firing(collector) == ["bot_silent"])
        try write(1, telemetry)
        telemetry.close()
    }

    @Test("a bot whose records wait in the ring is not silent")
    func backlog() throws {
        let telemetry = try attach()
        try write(100_000, telemetry)
        let collector = try collector()
        collector.advance(by: 100_000_000_000)
        collector.work()
        #expect(try #require(try collector.look().ring()?.backlog) > 0)
        #expect(try collector.look().ring()?.silence == 0)
        _ = try collector.settle()
        #expect(!collector.said("alert firing", "alert=bot_silent"))
        telemetry.close()
    }

    @Test("a silent bot stays silent over a restart of the collector")
    func restart() throws {
        let telemetry = try attach()
        try write(10, telemetry)
        var memory: CollectorHarness.Memory
        do {
            let first = try collector(checkpoint: try CheckpointFile(folder))
            _ = try first.settle()
            first.advance(by: 40_000_000_000)
            for _ in 0..<5 { first.leap() }
            #expect(try firing(first) == ["bot_silent"])
            memory = first.memory
            first.end()
        }
        let second = try collector(checkpoint: try CheckpointFile(folder), memory: memory)
        for _ in 0..<5 { second.leap() }
        #expect(try firing(second) == ["bot_silent"])
        #expect(!second.said("alert resolved", "alert=bot_silent"))
        telemetry.close()
    }
}
