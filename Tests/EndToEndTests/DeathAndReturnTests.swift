import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Bots that die and come back") struct DeathAndReturn {
        private let rings = TemporaryRingDirectory()

        /// Kills a working bot, and returns the collector's view of it before and after.
        private func killBot(_ daemon: Daemon) throws -> (before: Latest.Bot, after: Latest.Bot) {
            let demo = try Demo(rings, ["--name", "alpha", "--rate", "5000"])
            let before = try daemon.latest(when: "a working bot") { latest in
                guard let bot = latest.bot("alpha1"), bot.up, !bot.gauges.isEmpty else { return false }
                return bot.metric("data_freshness_seconds")?.windows["1s"]?.count ?? 0 > 0
            }
            #expect(try demo.process.end(by: SIGKILL) == .signal(SIGKILL))
            let after = try daemon.latest(when: "a bot that is down") { $0.bot("alpha1")?.up == false }
            return try (#require(before.bot("alpha1")), #require(after.bot("alpha1")))
        }

        @Test("a killed bot loses its gauges and windows, and keeps its totals")
        func death() throws {
            let daemon = try Daemon(rings)
            let (before, after) = try killBot(daemon)
            #expect(after.gauges.isEmpty)
            #expect(after.metrics.allSatisfy { $0.windows.values.allSatisfy { $0.count == nil && $0.complete == nil } })
            #expect(before.totals.allSatisfy { key, total in total <= after.totals[key] ?? 0 })
            let scrape = try daemon.metrics()
            let own = scrape.samples.filter { $0.labels["bot"] == "alpha1" }
            #expect(own.value("ringside_up", ["bot": "alpha1"]) == 0)
            // The windows of objectives go on, because availability counts a death.
            #expect(own.allSatisfy { $0.labels["window"] == nil || $0.name.hasPrefix("ringside_") })
            let left = Set(own.map(\.name)).filter { scrape.types[$0] == "gauge" && !$0.hasPrefix("ringside_") }
            // An up-down counter is a total that may fall. Prometheus sees it as a gauge.
            #expect(left == ["orders_working"])
            let labels = ["bot": "alpha1"].merging(after.labels) { $1 }
            for metric in after.metrics where metric.kind == "counter" {
                #expect(own.value(metric.name, labels.merging(metric.labels) { $1 }) == metric.value, "\(metric.key)")
            }
        }

        @Test("a killed bot that resumes its ring goes on counting from where it was")
        func resume() throws {
            let daemon = try Daemon(rings)
            let (_, dead) = try killBot(daemon)
            let demo = try Demo(
                rings, ["--name", "alpha", "--resume", "--rate", "5000", "--duration", "1", "--linger", "600"])
            let report = try demo.report().ring("alpha1")
            let bot = try #require(daemon.latestWhenDrained().bot("alpha1"))
            #expect(bot.up)
            #expect(bot.totals.differences(from: dead.totals + report.totals) == [])
            #expect(bot.gauges == report.gauges)
            for (key, value) in report.upDownCounters { #expect(bot.metric(key.name, key.labels)?.value == value) }
            #expect(bot.rings.map(\.position) == dead.rings.map { $0.position + report.records })
            #expect(bot.rings.allSatisfy { $0.drained == $0.position })
            #expect(try demo.process.end() == .code(0))
        }

        @Test("a fresh ring under the same name adds to the totals of the one before")
        func replacement() throws {
            let daemon = try Daemon(rings)
            let options = ["--name", "beta", "--rate", "5000", "--duration", "1"]
            let first = try Demo(rings, options)
            #expect(try first.process.wait() == .code(0))
            let second = try Demo(rings, options + ["--linger", "600"])
            let reports = try (first.report().ring("beta1"), second.report().ring("beta1"))
            let records = reports.0.records + reports.1.records
            let latest = try daemon.latest(when: "the records of both rings") {
                $0.bot("beta1")?.rings.first?.drained == records
            }
            let bot = try #require(latest.bot("beta1"))
            #expect(bot.totals.differences(from: reports.0.totals + reports.1.totals) == [])
            #expect(bot.gauges == reports.1.gauges)
            #expect(bot.rings.map(\.position) == [records])
            #expect(try second.process.end() == .code(0))
        }
    }
}
