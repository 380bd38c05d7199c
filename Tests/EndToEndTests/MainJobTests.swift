import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Four bots under a collector") struct MainJob {
        /// The figures of both sides at the end of a run, with the bots silent and still attached.
        private struct Outcome {
            let report: Report
            let exact: [ExactKey: [Double]]
            let latest: Latest
            let scrape: Exposition
        }

        private func runFourBots() throws -> Outcome {
            let rings = TemporaryRingDirectory()
            let daemon = try Daemon(rings)
            let demo = try Demo(
                rings,
                ["--bots", "4", "--rate", "20000", "--duration", isLongRun ? "20" : "3", "--linger", "600"],
                keepsValues: true)
            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            let scrape = try daemon.metrics()
            #expect(try demo.process.end() == .code(0))
            #expect(demo.process.standardError == "")
            return try Outcome(report: report, exact: demo.exactValues(), latest: latest, scrape: scrape)
        }

        @Test(
            "the collector's figures are the bots' own: nothing lost, every total equal, every percentile within 0.3 %")
        func agreement() throws {
            let outcome = try runFourBots()
            #expect(outcome.report.rings.count == 4)
            #expect(outcome.latest.bots.map(\.bot) == outcome.report.rings.map(\.bot))
            for (bot, ring) in zip(outcome.latest.bots, outcome.report.rings) {
                expectAllRecords(of: bot, ring)
                #expect(bot.totals.differences(from: ring.totals) == [])
                #expect(bot.gauges == ring.gauges)
                expectUpDownCounters(of: bot, ring)
                try expectDistributions(of: bot, ring, outcome.exact)
                try expectSameInScrape(bot, outcome.scrape.samples)
            }
        }

        private func expectAllRecords(of bot: Latest.Bot, _ ring: Report.Ring) {
            #expect(bot.up)
            #expect(bot.rings.count == 1)
            #expect(bot.rings.first?.position == ring.records)
            #expect(bot.rings.first?.drained == ring.records)
            #expect(bot.rings.first?.lostTotal == 0)
            // The rate is 20,000 messages a second for 3 s, and each message leaves at least one record.
            #expect(ring.records >= 60_000)
        }

        private func expectUpDownCounters(of bot: Latest.Bot, _ ring: Report.Ring) {
            for (key, value) in ring.upDownCounters {
                #expect(bot.metric(key.name, key.labels)?.value == value, "\(bot.bot) \(key)")
            }
        }

        private func expectDistributions(
            of bot: Latest.Bot, _ ring: Report.Ring, _ exact: [ExactKey: [Double]]
        ) throws {
            for reported in ring.metrics where reported.kind == "histogram" {
                let metric = try #require(bot.metric(reported.name, reported.labels))
                let values = exact[ExactKey(bot: bot.bot, metric.key)] ?? []
                #expect(UInt64(values.count) == metric.count, "\(bot.bot) \(metric.key)")
                let sum = try #require(reported.sum)
                // A sum of values of both signs can be close to 0. Then the size of the values is the measure.
                let magnitude = values.reduce(0) { $0 + abs($1) }
                #expect(
                    abs((metric.sum ?? .nan) - sum) <= 1e-5 * abs(sum) + 1e-9 * magnitude, "\(bot.bot) \(metric.key)")
                for (q, value) in metric.quantiles {
                    expect(value, isQuantile: q, of: values, "\(bot.bot) \(metric.key)")
                }
            }
        }

        private func expect(_ value: Double?, isQuantile q: Double, of values: [Double], _ name: String) {
            guard !values.isEmpty else {
                #expect(value == nil, "\(name) \(q)")
                return
            }
            let exact = values.quantile(q)
            #expect(abs((value ?? .nan) - exact) <= 0.003 * abs(exact), "\(name) \(q): exactly \(exact)")
        }

        /// Expects the same in `/metrics` a moment later, because the bots are silent.
        private func expectSameInScrape(_ bot: Latest.Bot, _ samples: [Exposition.Sample]) throws {
            let own = samples.filter { $0.labels["bot"] == bot.bot }
            let ring = try #require(bot.rings.first)
            let name = ["bot": bot.bot]
            #expect(own.value("ringside_up", name) == 1)
            #expect(own.value("ringside_records_total", name) == Double(ring.drained))
            #expect(own.value("ringside_backlog_records", name) == 0)
            for (reason, count) in ring.lost {
                #expect(own.value("ringside_lost_records_total", ["bot": bot.bot, "reason": reason]) == Double(count))
            }
            for metric in bot.metrics {
                let labels = name.merging(bot.labels) { $1 }.merging(metric.labels) { $1 }
                switch metric.kind {
                case "histogram":
                    let count = metric.count.map { Double($0) }
                    #expect(own.value("\(metric.name)_count", labels) == count, "\(metric.key)")
                    #expect(
                        own.value("\(metric.name)_bucket", labels.merging(["le": "+Inf"]) { $1 }) == count,
                        "\(metric.key)")
                    #expect(
                        own.value("\(metric.name)_calls_total", labels) == metric.calls.map { Double($0) },
                        "\(metric.key)")
                default: #expect(own.value(metric.name, labels) == metric.value, "\(metric.key)")
                }
            }
        }
    }
}
