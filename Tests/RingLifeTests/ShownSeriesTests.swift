import Platform
import Drain
import Glibc
import Ringside
import Series
import TestSupport
import Testing

/// Rules for what is shown, applied to a ring that is written, read, shown by other rules, and read again after
/// restarts.
@Suite struct ShownSeriesTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private var path: String { "\(folder.path)/configuration" }

    private func write(_ text: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
    }

    private func configuration() throws -> ConfigurationFile {
        try ConfigurationFile(path: path, logger: Logger(level: .error))
    }

    /// A bot with one counter and one histogram for each order type that it has met, the newest last.
    private struct Bot: ~Copyable {
        private var telemetry: Telemetry
        private var types: [String] = []
        private(set) var written: UInt64 = 0

        init(_ directory: TemporaryRingDirectory) throws {
            telemetry = try Telemetry.attach(
                "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 4096, metricCapacity: 64))
        }

        mutating func write(_ type: String, _ count: Int) throws {
            let labels = ["type": type, "shard": "\(type.utf8.count % 2)"] as Labels
            let counter = try telemetry.counter("fills_total", help: "Fills.", labels: labels)
            let sizes = try telemetry.histogram("size_usd", unit: .usd, help: "Sizes.", labels: labels)
            for number in 0..<count {
                counter.increment()
                sizes.record(Double(number))
            }
            written += UInt64(count)
        }
    }

    private func expectAll(_ snapshot: Snapshot, _ written: UInt64, _ note: Comment) {
        var (fills, sizes, calls) = (UInt64(0), UInt64(0), UInt64(0))
        for metric in snapshot.bot()?.metrics ?? [] {
            switch metric.reading {
            case .counter(let counter): if case .unsigned(let value) = counter.value { fills += value }
            case .histogram(let histogram): (sizes, calls) = (sizes + histogram.total.count, calls + histogram.calls)
            case .gauge, .upDownCounter: break
            }
        }
        #expect(fills == written && sizes == written && calls == written, note)
    }

    private func types(_ snapshot: Snapshot) -> [String] {
        (snapshot.bot()?.metrics ?? []).filter { $0.name == "fills_total" }.compactMap { metric in
            metric.labels.first { $0.name == "type" }?.value
        }
    }

    private func created(_ snapshot: Snapshot, _ type: String) -> Double? {
        snapshot.bot()?.metrics.first { $0.name == "fills_total" && $0.labels.contains(Label("type", type)) }?
            .createdUnixSeconds
    }

    @Test(
        "the first series stay the first over restarts and reloads, no total falls, and what is shown adds up to the ring"
    )
    func restarts() throws {
        try write("{ metrics: [{ match: '*', drop_labels: ['shard'], max_series: 3 }] }")
        var bot = try Bot(directory)
        var collector: CollectorHarness? = try CollectorHarness(
            directory, configuration: configuration(), checkpoint: CheckpointFile(folder))
        for (place, type) in ["z", "y", "x", "w", "v"].enumerated() { try bot.write(type, place + 1) }
        let first = try #require(collector).settle()
        expectAll(first, bot.written, "at first")
        #expect(types(first) == ["other", "x", "y", "z"])
        #expect(first.bot()?.refusedSeries == ["fills_total": 2, "size_usd": 2])

        var memory = collector?.memory
        collector = nil
        try bot.write("a", 7)
        collector = try CollectorHarness(
            directory, configuration: configuration(), checkpoint: CheckpointFile(folder), memory: memory)
        let second = try #require(collector).settle()
        expectAll(second, bot.written, "after a kill")
        #expect(types(second) == ["other", "x", "y", "z"])
        #expect(second.bot()?.refusedSeries == ["fills_total": 3, "size_usd": 3])
        #expect(created(second, "other") == created(first, "other"))

        // Other types leave `other`, which is a new series from then on.
        memory = collector?.memory.withoutTotals
        collector?.end()
        collector = nil
        try write("{ max_series: 9 }")
        collector = try CollectorHarness(
            directory, configuration: configuration(), checkpoint: CheckpointFile(folder), memory: memory)
        try bot.write("b", 1)
        let third = try #require(collector).settle()
        expectAll(third, bot.written, "after a restart with other rules")
        #expect(types(third) == ["v", "w", "x", "y", "z", "other"])
        #expect(try #require(created(third, "other")) > #require(created(first, "other")))
    }

    @Test(
        "rules taken on while records flow lose none of them: sums stay whole, and all series come back when the rules go"
    )
    func reload() throws {
        try write("{}")
        var bot = try Bot(directory)
        let file = try configuration()
        let collector = try CollectorHarness(directory, configuration: file)
        var random = SeededGenerator(seed: 5)
        let texts = [
            "{ max_series: 2 }", "{ metrics: [{ match: '*', drop_labels: ['type', 'shard'] }] }",
            "{ metrics: [{ match: 'fills_*', max_series: 1 }], max_series: 7 }", "{}",
            "{ metrics: [{ match: 'size_*', add_labels: { type: 'all' } }] }",
        ]
        for step in 0..<60 {
            try bot.write(
                ["a", "bb", "c", "dd", "e"].randomElement(using: &random)!, Int.random(in: 0...9, using: &random))
            let text = texts.randomElement(using: &random)!
            try write(text)
            #expect(file.reload() == .applied(needingRestart: []))
            collector.leap()
            collector.forgetTotals()
            expectAll(try collector.look(), bot.written, "step \(step): \(text)")
        }
        try write("{}")
        #expect(file.reload() == .applied(needingRestart: []))
        collector.leap()
        collector.forgetTotals()
        let last = try collector.look()
        expectAll(last, bot.written, "at the end")
        // They are ordered by their labels, with the shard before the type.
        #expect(types(last) == ["bb", "dd", "a", "c", "e"])
    }
}
