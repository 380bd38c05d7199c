import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Which series go to which export") struct Routing {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")
        private var path: String { "\(files.path)/ringside.json5" }

        /// - Parameters:
        ///   - influx: The series that go to InfluxDB, as keys of the configuration.
        ///   - otlp: The series that go to VictoriaMetrics by OTLP.
        private func configure(_ influxDB: Peer, _ influx: String, _ victoria: MetricStore, _ otlp: String) throws {
            let common = "interval: '200ms', collector: false"
            try write(
                """
                { exports: {
                  influxdb: [{ name: 'i', url: '\(influxDB.url)', database: 'desk', \(common), \(influx) }],
                  otlp: [{ name: 'o', url: '\(victoria.peer.url)/opentelemetry', \(common), \(otlp) }],
                } }
                """, to: path)
        }

        private struct Answer: Decodable {
            let results: [Result]
            struct Result: Decodable { let series: [Series]? }
            struct Series: Decodable {
                let name: String
                let tags: [String: String]?
                let columns: [String]
                let values: [[Value]]
            }
            struct Value: Decodable {
                let number: Double?
                init(from decoder: any Decoder) throws {
                    number = try? decoder.singleValueContainer().decode(Double.self)
                }
            }
        }

        private static let ticks = "data_ticks_received_total"

        /// Returns a bot's ticks in InfluxDB: the time of the last point in seconds, and its value.
        private func ticks(in influxDB: Peer, of bot: String) throws -> (time: Double, value: Double)? {
            let query = "SELECT%20last(value)%20FROM%20\(Self.ticks)%20WHERE%20bot='\(bot)'"
            let body = try influxDB.get("/query?db=desk&epoch=ms&q=\(query)").body
            let row = try JSONDecoder().decode(Answer.self, from: Data(body)).results.first?.series?.first?.values.first
            guard let row, let time = row[0].number, let value = row[1].number else { return nil }
            return (time / 1000, value)
        }

        private func ticks(in victoria: MetricStore, of bot: String) throws -> (time: Double, value: Double)? {
            let selector = "\(Self.ticks){bot=\"\(bot)\"}[10m]"
            guard let value = try victoria.query("sum(last_over_time(\(selector)))").first?.value,
                let last = try victoria.query("max(tlast_over_time(\(selector)))").first?.value
            else { return nil }
            return (last, value)
        }

        /// Returns the same from VictoriaMetrics once it shows all points that it accepted: the same value twice.
        private func settledTicks(in victoria: MetricStore, of bot: String) throws -> (time: Double, value: Double)? {
            var last = try ticks(in: victoria, of: bot)
            try Watchdog.wait(for: "a total that stands") {
                usleep(1_500_000)
                let next = try ticks(in: victoria, of: bot)
                defer { last = next }
                return next.map { $0 == last ?? (0, 0) } ?? false
            }
            return last
        }

        @Test(
            "one bot to InfluxDB alone and the other to OTLP alone, swapped by SIGHUP under load: each holds exactly its share"
        )
        func swap() throws {
            let influxDB = try Peer.influxDB(in: files.path)
            let victoria = try MetricStore.victoriaMetrics(takesOTLP: true, in: files.path)
            try configure(influxDB, "bots: 'demo1'", victoria, "bots: 'demo2'")
            let daemon = try Daemon(rings, ["--config", path, "--state-dir", "\(files.path)/state"])
            let demo = try Demo(
                rings, ["--bots", "2", "--rate", "3000", "--duration", isLongRun ? "30" : "7", "--linger", "600"])
            try Watchdog.wait(for: "the first bot in InfluxDB") { try ticks(in: influxDB, of: "demo1") != nil }
            try victoria.wait(for: "the second bot in VictoriaMetrics", "\(Self.ticks){bot=\"demo2\"}") { !$0.isEmpty }
            #expect(try ticks(in: influxDB, of: "demo2") == nil)
            #expect(try victoria.query("\(Self.ticks){bot=\"demo1\"}").isEmpty)

            try configure(influxDB, "bots: 'demo2'", victoria, "bots: 'demo1'")
            daemon.process.send(SIGHUP)
            try Watchdog.wait(for: "the second bot in InfluxDB") { try ticks(in: influxDB, of: "demo2") != nil }
            try victoria.wait(for: "the first bot in VictoriaMetrics", "\(Self.ticks){bot=\"demo1\"}") { !$0.isEmpty }
            let swapped = try (
                #require(try ticks(in: influxDB, of: "demo1")), #require(try settledTicks(in: victoria, of: "demo2"))
            )

            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            #expect(latest.bots.flatMap(\.rings).allSatisfy { $0.lostTotal == 0 && $0.drained == $0.position })
            #expect(try daemon.process.end() == .code(0))
            // The points of each bot before the swap stay in their database, and no point was added there.
            #expect(try ticks(in: influxDB, of: "demo1")! == swapped.0)
            #expect(try settledTicks(in: victoria, of: "demo2")! == swapped.1)
            let (first, second) = try (report.ring("demo1"), report.ring("demo2"))
            func total(_ ring: Report.Ring) -> Double {
                ring.metrics.filter { $0.name == Self.ticks }.compactMap(\.value).reduce(0, +)
            }
            #expect(swapped.0.value < total(first) && swapped.1.value < total(second))
            // Each bot's other database has all that the bot emitted.
            var differences: [String] = []
            try? Watchdog.wait(for: "the first bot's totals", limitSeconds: 30) {
                differences = try victoria.totals(of: "demo1", first).differences(from: first.totals)
                if !differences.isEmpty { usleep(300_000) }
                return differences.isEmpty
            }
            #expect(differences == [])
            #expect(try ticks(in: influxDB, of: "demo2")!.value == total(second))
            #expect(try demo.process.end() == .code(0))
        }

        @Test("series go by metric and by label, and with all exports off draining goes on")
        func patterns() throws {
            let receiver = try HTTPReceiver()
            func configure(_ keys: String, enabled: Bool) throws {
                try write(
                    """
                    { exports: { enabled: \(enabled), influxdb: [{ url: '\(receiver.url)', database: 'd', interval: '200ms',
                      gzip: false, collector: false, \(keys) }] } }
                    """, to: path)
            }
            try configure(
                "metrics: 'data_*', leave_metrics: ['data_bars_*'], match_labels: { symbol: 'AA*' }, leave_labels: { source: 'x*' }",
                enabled: true)
            let daemon = try Daemon(rings, ["--config", path])
            let demo = try Demo(rings, ["--rate", "3000", "--duration", "6", "--linger", "600"])
            try Watchdog.wait(for: "lines") { receiver.taken.count >= 2 }
            let lines = receiver.taken.flatMap { $0.text.split(separator: "\n") }
            #expect(lines.contains { $0.hasPrefix(Self.ticks) })
            #expect(
                lines.allSatisfy { $0.hasPrefix("data_") && !$0.hasPrefix("data_bars_") && $0.contains(",symbol=AA") })

            try configure("metrics: '*'", enabled: false)
            daemon.process.send(SIGHUP)
            try Watchdog.wait(for: "no export") {
                usleep(20_000)
                return try !daemon.metrics().samples.contains { $0.name == "ringside_export_sent_total" }
            }
            let count = receiver.requests.count
            let drained = try daemon.latest().bots[0].rings[0].drained
            try daemon.latest(when: "more records") { $0.bots[0].rings[0].drained > drained + 1000 }
            #expect(receiver.requests.count == count)
            let report = try demo.report()
            let latest = try daemon.latestWhenDrained()
            #expect(latest.bots[0].totals.differences(from: try report.ring("demo1").totals) == [])
            #expect(try daemon.process.end() == .code(0))
            #expect(receiver.requests.count == count)
        }
    }
}
