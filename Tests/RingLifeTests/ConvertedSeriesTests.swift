import Drain
import Glibc
import Platform
import Ringside
import Series
import TestSupport
import Testing

/// Series that are shown in another unit, over reloads and restarts of the collector.
@Suite struct ConvertedSeriesTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private var path: String { "\(folder.path)/configuration" }

    private func write(_ rules: String) throws {
        let text = "{ metrics: [\(rules)] }"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
    }

    private func configuration() throws -> ConfigurationFile {
        try ConfigurationFile(path: path, logger: Logger(level: .error))
    }

    private func counter(_ snapshot: Snapshot, _ name: String) throws -> (value: Double, created: Double) {
        let metric = try #require(snapshot.bot()?.metrics.first { $0.name == name })
        guard case .counter(let counter) = metric.reading else { throw Missing() }
        return (counter.value.double, try #require(metric.createdUnixSeconds))
    }

    private struct Missing: Error {}

    @Test(
        "a converted total goes on over reloads of other rules and restarts, and counts from anew when its factor is another"
    )
    func totals() throws {
        let rename = "{ match: 'sent_bytes_total', rename: 'sent_total', scale: 10 }"
        try write(rename)
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        let sent = try telemetry.counter("sent_bytes_total", unit: .bytes, help: "Sent.")
        let other = try telemetry.counter("other_total", help: "Other.")
        sent.increment(by: 7)
        other.increment()
        var file = try configuration()
        var collector: CollectorHarness? = try CollectorHarness(
            directory, configuration: file, checkpoint: CheckpointFile(folder))
        func look(_ rules: String? = nil) throws -> (value: Double, created: Double) {
            let collector = try #require(collector)
            if let rules {
                try write(rules)
                #expect(file.reload() == .applied(needingRestart: []))
                collector.leap()
                collector.forgetTotals()
            }
            return try counter(try collector.settle(), "sent_total")
        }
        let first = try look()
        #expect(first.value == 70)
        sent.increment(by: 3)
        let unrelated = try look("\(rename), { match: 'other_total', drop: true }")
        #expect(unrelated.value == 100 && unrelated.created == first.created)
        let hundredfold = try look(rename.replacing("10", with: "100"))
        #expect(hundredfold.value == 1000 && hundredfold.created > first.created)

        func restart(_ rules: String? = nil) throws -> (value: Double, created: Double) {
            let memory = try #require(collector).memory.withoutTotals
            collector?.end()
            collector = nil
            if let rules { try write(rules) }
            file = try configuration()
            collector = try CollectorHarness(
                directory, configuration: file, checkpoint: CheckpointFile(folder), memory: memory)
            return try look()
        }
        let same = try restart()
        #expect(same.value == 1000 && same.created == hundredfold.created)
        let fewer = try restart(rename.replacing("10", with: "2"))
        #expect(fewer.value == 20 && fewer.created > same.created)
        let plain = try look("{ match: 'sent_bytes_total', rename: 'sent_total' }")
        #expect(plain.value == 10 && plain.created > fewer.created)
        #expect(try restart().created == plain.created)
    }

    @Test(
        "a histogram is shown in the new unit from the reload on, and in its own again when the rule goes, with all values"
    )
    func histograms() throws {
        try write("")
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        let latency = try telemetry.histogram("order_seconds", unit: .seconds, help: "Orders.")
        for value in 1...1000 { latency.record(Double(value) * 1e-6) }
        let file = try configuration()
        let collector = try CollectorHarness(directory, configuration: file)
        for (rules, name, unit, factor) in [
            ("", "order_seconds", MetricUnit.seconds, 1),
            ("{ match: 'order_*', rename: 'order_us' }", "order_us", .us, 1e6),
            ("{ match: 'order_*', rename: 'order_ms' }", "order_ms", .ms, 1e3), ("", "order_seconds", .seconds, 1),
        ] {
            try write(rules)
            #expect(file.reload() == .applied(needingRestart: []))
            collector.leap()
            collector.forgetTotals()
            let snapshot = try collector.settle()
            #expect(snapshot.bot()?.metrics.map(\.name) == [name])
            let metric = try #require(snapshot.bot()?.metrics.first)
            guard case .histogram(let histogram) = metric.reading else { throw Missing() }
            #expect(metric.unit == unit && histogram.total.count == 1000 && histogram.sketch.count == 1000)
            let extremes = try #require(histogram.total.extremes)
            #expect(abs(extremes.maximum - 1e-3 * factor) < 1e-9 * factor)
            #expect(abs(histogram.total.sum / (0.5005 * factor) - 1) < 1e-12)
            let edge = try #require(
                histogram.classicBuckets.first { abs($0.upperBound - 5e-4 * factor) < 1e-9 * factor })
            #expect(edge.cumulativeCount == 500)
        }
    }

    @Test("a series that a rule cannot convert is reported in the snapshot until another rule replaces it")
    func refusal() throws {
        try write("{ match: '*', rename: 'order_us' }")
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        try telemetry.counter("sent_bytes_total", unit: .bytes, help: "Sent.").increment()
        let file = try configuration()
        let collector = try CollectorHarness(directory, configuration: file)
        let refused = try #require(try collector.settle().bot())
        #expect(refused.metrics.isEmpty && refused.hiddenSeries == [.unit: 1])
        #expect(refused.unconvertedSeries.map(\.key.name) == ["sent_bytes_total"])
        try write("{ match: 'other_*', keep: true }")
        #expect(file.reload() == .applied(needingRestart: []))
        collector.leap()
        let kept = try #require(try collector.settle().bot())
        #expect(kept.metrics.isEmpty && kept.hiddenSeries == [.keep: 1] && kept.unconvertedSeries.isEmpty)
        try write("{ match: '*', rename: 'sent_kib_total' }")
        #expect(file.reload() == .applied(needingRestart: []))
        collector.leap()
        let shown = try #require(try collector.settle().bot())
        #expect(shown.metrics.map(\.name) == ["sent_kib_total"] && shown.hiddenSeries.isEmpty)
    }
}
