import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("Pushes of the line protocol") struct InfluxDB {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private func influxDB() throws -> Peer { try .influxDB(in: files.path) }

        private func victoriaMetrics() throws -> Peer {
            try Peer(readyPath: "/health") { port in
                [
                    "victoria-metrics", "-storageDataPath", "\(files.path)/victoria",
                    "-httpListenAddr=127.0.0.1:\(port)",
                    "-retentionPeriod=1", "-search.latencyOffset=0s", "-memory.allowedPercent=10",
                ]
            }
        }

        private func configure(_ exports: [String]) throws {
            try write(
                "{ exports: { influxdb: [\(exports.joined(separator: ", "))] } }", to: "\(files.path)/ringside.json5")
        }

        private func start() throws -> Daemon {
            try Daemon(rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
        }

        // MARK: Contents of the databases

        private struct Answer: Decodable {
            let results: [Result]

            struct Result: Decodable { let series: [Series]? }

            struct Series: Decodable {
                let name: String
                let tags: [String: String]
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

        /// Returns the last point of each series of a bot, by the names of the demo's report.
        private func totals(in peer: Peer, of bot: String) throws -> Totals {
            let query =
                "SELECT%20*%20FROM%20/.*/%20WHERE%20bot='\(bot)'%20GROUP%20BY%20*%20ORDER%20BY%20time%20DESC%20LIMIT%201"
            let body = try peer.get("/query?db=desk&q=\(query)").body
            var totals: Totals = [:]
            for series in try JSONDecoder().decode(Answer.self, from: Data(body)).results.first?.series ?? [] {
                let row = try #require(series.values.first)
                let fields = Dictionary(uniqueKeysWithValues: zip(series.columns, row.map(\.number)))
                totals.note(series.name, series.tags) { fields[$0] ?? nil }
            }
            return totals
        }

        /// Returns the same from VictoriaMetrics, which has a series for each field, `NAME_FIELD`.
        private func totalsInVictoria(_ peer: Peer, of bot: String, _ names: Set<String>) throws -> Totals {
            struct Series: Decodable {
                let metric: [String: String]
                let values: [Double]
            }
            _ = try peer.get("/internal/force_flush")
            let body = try peer.get("/api/v1/export?match%5B%5D=%7Bbot%3D%22\(bot)%22%7D").body
            var fields: [MetricKey: [String: Double]] = [:]
            for line in body.split(separator: UInt8(ascii: "\n")) {
                let series = try JSONDecoder().decode(Series.self, from: Data(line))
                let name = series.metric["__name__"] ?? ""
                for field in ["value", "count", "calls"] where name.hasSuffix("_\(field)") {
                    let base = String(name.dropLast(field.count + 1))
                    guard names.contains(base) else { continue }
                    let tags = series.metric.filter { $0.key != "__name__" && $0.key != "db" }
                    fields[MetricKey(name: base, labels: tags), default: [:]][field] = series.values.last
                }
            }
            var totals: Totals = [:]
            for (key, values) in fields { totals.note(key.name, key.labels) { values[$0] } }
            return totals
        }

        private func expect(_ found: Totals, _ ring: Report.Ring) throws {
            // Counters whose total is 0 are in the report too, and all of them must be there.
            let names = Set(ring.metrics.filter { $0.kind == "counter" || $0.kind == "histogram" }.map(\.name))
            let mine = found.filter { names.contains($0.key.metric.name) }
            #expect(mine.differences(from: ring.totals) == [])
            #expect(!ring.totals.isEmpty)
        }

        @Test(
            "InfluxDB, away in the middle, and VictoriaMetrics hold at the end exactly what the bots emitted, one of two bots here, both there"
        )
        func exact() throws {
            let (influx, victoria) = (try influxDB(), try victoriaMetrics())
            try configure([
                "{ name: 'influx', url: '\(influx.url)', database: 'desk', interval: '500ms', retry_max: '500ms', batch_lines: 200 }",
                "{ name: 'victoria', url: '\(victoria.url)', database: 'desk', interval: '500ms', gzip: false, bots: 'demo2', collector: false }",
            ])
            let daemon = try start()
            let seconds = isLongRun ? 90 : 7
            let demo = try Demo(
                rings, ["--bots", "2", "--rate", "5000", "--duration", "\(seconds)", "--linger", "600"])
            try Watchdog.wait(for: "points in InfluxDB") { try !totals(in: influx, of: "demo1").isEmpty }
            try influx.stop()
            let back = monotonicNanoseconds() + UInt64(isLongRun ? 60 : 3) * 1_000_000_000
            try Watchdog.wait(for: "the time without InfluxDB", limitSeconds: 120) { monotonicNanoseconds() >= back }
            func status(_ metric: String, _ export: String) throws -> Double {
                try daemon.metrics().samples.first { $0.name == metric && $0.labels["export"] == export }?.value ?? 0
            }
            #expect(try status("ringside_export_queue_entries", "influx") > 0)
            #expect(try status("ringside_export_sent_total", "victoria") >= 3)
            try influx.start()
            let report = try demo.report()
            _ = try daemon.latestWhenDrained()
            // The last push comes after the last drain.
            #expect(try daemon.process.end() == .code(0))
            for bot in ["demo1", "demo2"] { try expect(totals(in: influx, of: bot), report.ring(bot)) }
            let ring = try report.ring("demo2")
            let names = Set(ring.metrics.map(\.name))
            // VictoriaMetrics may not yet show points that it has just accepted.
            var found: Totals = [:]
            try? Watchdog.wait(for: "totals in VictoriaMetrics", limitSeconds: 30) {
                found = try totalsInVictoria(victoria, of: "demo2", names)
                usleep(100_000)
                return found.filter { ring.totals[$0.key] != nil }.differences(from: ring.totals).isEmpty
            }
            try expect(found, ring)
            #expect(try totalsInVictoria(victoria, of: "demo1", names).isEmpty)
            let line = daemon.log.filter { $0.contains("rejected") || $0.contains("accepted a part") }
            #expect(line == [])
            // No snapshot was lost while the database was away: there is one each half second, except those that a
            // loaded machine left out.
            let points = try points(in: influx)
            #expect(points >= (isLongRun ? 60 : 5), "\(points) points")
            #expect(try demo.process.end() == .code(0))
        }

        /// Returns the number of points of one series of the first bot.
        private func points(in peer: Peer) throws -> Int {
            let query = "SELECT%20count(value)%20FROM%20ringside_up%20WHERE%20bot='demo1'"
            let body = try peer.get("/query?db=desk&q=\(query)").body
            let answer = try JSONDecoder().decode(Points.self, from: Data(body))
            return answer.results.first?.series?.first?.values.first?.last?.number.map { Int($0) } ?? 0
        }

        private struct Points: Decodable {
            let results: [Result]
            struct Result: Decodable { let series: [Series]? }
            struct Series: Decodable { let values: [[Answer.Value]] }
        }

        @Test(
            "a collector that is killed while InfluxDB is away leaves what it queued to the next, and the 2.x path has its token"
        )
        func killed() throws {
            let port = try freePort()
            try configure([
                "{ name: 'two', url: 'http://127.0.0.1:\(port)', org: 'the desk', bucket: 'b&b', token: 'tok', interval: '300ms', retry_max: '300ms' }"
            ])
            var daemon = try start()
            let demo = try Demo(rings, ["--rate", "1000", "--duration", "1", "--linger", "600"])
            _ = try demo.report()
            try Watchdog.wait(for: "a queue") {
                try daemon.metrics().samples.first { $0.name == "ringside_export_queue_entries" }?.value ?? 0 >= 3
            }
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            var killedAt = timespec()
            clock_gettime(CLOCK_REALTIME, &killedAt)
            let killedSeconds = Double(killedAt.tv_sec) + Double(killedAt.tv_nsec) / 1e9
            let receiver = try HTTPReceiver(port: port)
            daemon = try start()
            try Watchdog.wait(for: "what was queued") { receiver.taken.count >= 4 }
            let first = try #require(receiver.taken.first)
            #expect(first.path == "/api/v2/write?org=the%20desk&bucket=b%26b&precision=ns")
            #expect(first.headers["authorization"] == "Token tok" && first.headers["content-encoding"] == "gzip")
            let texts = try receiver.taken.map { try gunzip($0.body) }
            let times = texts.compactMap { $0.split(separator: "\n").first?.split(separator: " ").last }.compactMap {
                Double($0)
            }
            #expect(times == times.sorted() && times.count == texts.count)
            // The first was made by the collector that was then killed.
            #expect(times.first.map { $0 / 1e9 < killedSeconds } == true)
            #expect(try daemon.process.end() == .code(0))
            #expect(try demo.process.end() == .code(0))
        }

        private func gunzip(_ bytes: [UInt8]) throws -> String {
            let path = "\(files.path)/body.gz"
            RingFile.make(path, bytes)
            let (exit, output, _) = try run(["gzip", "-dc", path])
            #expect(exit == .code(0))
            return output
        }
    }
}

extension Totals {
    /// - Parameter field: Reads a field; nil if there is none.
    fileprivate mutating func note(_ name: String, _ tags: [String: String], _ field: (String) -> Double?) {
        // The report has neither the collector's additions nor the demo's constant labels.
        let added = ["bot", "host", "lane", "env", "service"]
        let labels = tags.filter { !$0.value.isEmpty && !added.contains($0.key) }
        let key = MetricKey(name: name, labels: labels)
        self[TotalKey(metric: key, of: .value)] = field("calls") == nil ? field("value") : nil
        self[TotalKey(metric: key, of: .count)] = field("calls").flatMap { _ in field("count") }
        self[TotalKey(metric: key, of: .calls)] = field("calls")
    }
}
