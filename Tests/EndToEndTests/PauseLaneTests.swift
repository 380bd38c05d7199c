import TestSupport
import Testing

extension EndToEnd {
    @Suite("A bot with a pause meter") struct PauseLane {
        private let rings = TemporaryRingDirectory()

        @Test("its pause lane is one of its rings, and the bot's totals are those of both, equal to what they report")
        func lane() throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(
                rings, ["--bots", "2", "--rate", "5000", "--duration", "1.5", "--pause-meter", "--linger", "600"],
                keepsValues: true)
            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            #expect(report.rings.map(\.lane) == ["", "pause", ""])
            let bot = try #require(latest.bot("demo1"))
            let (own, pauses) = try (report.ring("demo1"), report.ring("demo1", lane: "pause"))
            #expect(bot.up)
            #expect(bot.rings.map(\.lane) == ["", "pause"])
            #expect(bot.rings.map(\.drained) == [own.records, pauses.records])
            #expect(bot.rings.map(\.lostTotal) == [0, 0])
            #expect(bot.totals.differences(from: own.totals + pauses.totals) == [])
            #expect(bot.gauges == own.gauges)

            let metric = try #require(bot.metric("runtime_pause_seconds", ["cause": "scheduling"]))
            let exact = try demo.exactValues()[ExactKey(bot: "demo1.pause", metric.key)] ?? []
            #expect(UInt64(exact.count) == metric.count && exact.count == Int(pauses.records))
            for (q, value) in metric.quantiles {
                #expect(abs((value ?? .nan) - exact.quantile(q)) <= 0.003 * exact.quantile(q), "\(q)")
            }
            let other = try #require(latest.bot("demo2"))
            #expect(other.rings.map(\.lane) == [""])
            #expect(other.metric("runtime_pause_seconds") == nil)

            let labels = ["bot": "demo1", "cause": "scheduling"].merging(bot.labels) { $1 }
            let samples = try daemon.metrics().samples
            #expect(samples.value("runtime_pause_seconds_count", labels) == Double(pauses.records))
            #expect(
                samples.value("ringside_records_total", ["bot": "demo1", "lane": "pause"]) == Double(pauses.records))
            #expect(try demo.process.end() == .code(0))
            #expect(demo.process.standardError == "")
        }
    }
}
