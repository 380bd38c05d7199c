import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("The real Prometheus scrapes a collector in all three forms") struct Prometheus {
        private let rings = TemporaryRingDirectory()

        /// The figures of both sides once the bots are silent.
        private struct Outcome {
            let prometheus: RealPrometheus
            let exact: [ExactKey: [Double]]
            let latest: Latest
        }

        /// Runs two bots that trade throughout, while others come and go.
        private func runBots(_ daemon: Daemon, seconds: Int) throws -> Outcome {
            let demo = try Demo(
                rings, ["--bots", "2", "--rate", "2000", "--duration", "\(seconds)", "--linger", "900"],
                keepsValues: true)
            let prometheus = try RealPrometheus(scraping: daemon.port)
            for turn in 0..<seconds / 5 {
                let guest = try Demo(rings, ["--name", "guest\(turn % 3)-", "--rate", "500", "--duration", "3"])
                #expect(try guest.process.wait() == .code(0))
                usleep(2_000_000)
            }
            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            let drained = latest.bots.first { $0.bot == "demo1" }?.rings.first?.drained
            #expect(drained == (try report.ring("demo1").records))
            try expectScrapesAfterTheEnd(prometheus, Double(drained ?? 0))
            #expect(try demo.process.end() == .code(0))
            return try Outcome(prometheus: prometheus, exact: demo.exactValues(), latest: latest)
        }

        private func expectScrapesAfterTheEnd(_ prometheus: RealPrometheus, _ drained: Double) throws {
            try Watchdog.wait(for: "a scrape of what is there at the end, in every form") {
                let found = try prometheus.query("ringside_records_total{bot=\"demo1\"}").filter { $0.value == drained }
                return Set(found.compactMap { $0.labels["job"] }) == Set(RealPrometheus.jobs)
            }
        }

        @Test("every scrape succeeds, its quantiles are within its format's resolution, and its exemplars name traces")
        func scrapes() throws {
            let seconds = isLongRun ? 300 : 20
            let daemon = try Daemon(rings)
            let outcome = try runBots(daemon, seconds: seconds)
            let prometheus = outcome.prometheus
            // The collector was up before the first scrape, so no scrape may fail.
            for sample in try prometheus.query("min_over_time(up[\(seconds + 120)s])") {
                #expect(sample.value == 1, "\(sample.labels)")
            }
            #expect(try prometheus.query("count_over_time(up[\(seconds + 120)s]) > \(seconds / 4)").count == 3)
            #expect(prometheus.complaints == [])
            var checked = 0
            for (key, values) in outcome.exact {
                let selector = key.selector
                try expectNativeQuantile(prometheus, selector, values)
                for job in ["openmetrics", "text"] { try expectClassicQuantile(prometheus, job, selector, values) }
                checked += 1
            }
            #expect(checked >= 30)
            try expectTotals(prometheus, outcome.latest)
            for job in ["protobuf", "openmetrics"] {
                let traces = try prometheus.traces("{__name__=~\"exchange_round_trip_seconds.*\",job=\"\(job)\"}")
                // The trace id is the random prefix of the bot's life, followed by the order's number.
                let isRight = traces.allSatisfy {
                    $0.count == 32 && [$0.prefix(16), $0.suffix(16)].allSatisfy { UInt64($0, radix: 16) ?? 0 > 0 }
                }
                #expect(!traces.isEmpty && isRight, "\(job)")
            }
        }

        /// Expects a quantile within 1.1 %: the error of schema 6 and linear interpolation within a bucket.
        private func expectNativeQuantile(_ prometheus: RealPrometheus, _ selector: Selector, _ values: [Double]) throws
        {
            let expression = "histogram_quantile(0.99, \(selector.name){job=\"protobuf\",\(selector.labels)})"
            let found = try prometheus.query(expression)
            let (exact, value) = (values.quantile(0.99), try #require(found.first, "\(expression)").value)
            #expect(found.count == 1 && abs(value - exact) <= 0.011 * abs(exact), "\(expression): exactly \(exact)")
        }

        /// Expects a quantile in the bucket that holds the exact one. For the last bucket Prometheus shows the lower
        /// edge.
        private func expectClassicQuantile(
            _ prometheus: RealPrometheus, _ job: String, _ selector: Selector, _ values: [Double]
        ) throws {
            let series = "\(selector.name)_bucket{job=\"\(job)\",\(selector.labels)}"
            let edges = try prometheus.query(series).compactMap { $0.labels["le"].flatMap { Double($0) } }.sorted()
            let value = try #require(try prometheus.query("histogram_quantile(0.99, \(series))").first).value
            let exact = values.quantile(0.99)
            let place = try #require(edges.firstIndex { exact <= $0 })
            let lower = place > 0 ? edges[place - 1] : -.infinity
            #expect(value >= lower && value <= edges[place], "\(series): exactly \(exact)")
        }

        /// Expects equal counts in every form, also in native histograms.
        private func expectTotals(_ prometheus: RealPrometheus, _ latest: Latest) throws {
            for bot in latest.bots where bot.bot.hasPrefix("demo") {
                for metric in bot.metrics where metric.kind == "histogram" {
                    let selector = Selector(bot: bot.bot, name: metric.name, labels: metric.labels)
                    let count = metric.count.map { Double($0) }
                    for job in ["openmetrics", "text"] {
                        let last = "\(selector.name)_bucket{job=\"\(job)\",le=\"+Inf\",\(selector.labels)}"
                        #expect(try prometheus.query(last).first?.value == count, "\(last)")
                    }
                    let native = "histogram_count(\(selector.name){job=\"protobuf\",\(selector.labels)})"
                    #expect(try prometheus.query(native).first?.value == count, "\(native)")
                }
            }
        }
    }
}

/// A histogram as expressions name it.
private struct Selector: CustomStringConvertible {
    let name: String
    let labels: String

    init(bot: String, name: String, labels: [String: String]) {
        self.name = name
        self.labels = (["bot": bot].merging(labels) { $1 }).map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    }

    var description: String { "\(name){\(labels)}" }
}

extension ExactKey {
    fileprivate var selector: Selector {
        let pairs = labels == "-" ? [] : labels.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
        let labels = Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
        return Selector(bot: bot, name: name, labels: labels)
    }
}
