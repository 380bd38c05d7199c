import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A log of yesterday, in the history") struct Backfill {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")
        private static let minutes = 5
        private static let rowsPerMinute = 40

        private struct Answer: Decodable {
            let series: [Series]

            struct Series: Decodable { let points: [Point] }

            struct Point: Decodable {
                let time: Int64
                let count: UInt64?
                let min, max, last: Double?
                let complete: Bool
            }
        }

        /// The beginning of a minute a day ago, in Unix seconds.
        private let start = Int64(time(nil)) / 60 * 60 - 86_400

        /// Writes rows in the middle of their minutes. The import dates rows of a day ago with an error of some
        /// hundredths of a second.
        private func makeLog(_ path: String) {
            var text = "timestamp_ns,took_us,depth\n"
            for minute in 0..<Self.minutes {
                for row in 0..<Self.rowsPerMinute {
                    let time = (start + Int64(minute) * 60 + 10) * 1_000_000_000 + Int64(row) * 1_000_000_000
                    text += "\(time),\(100 * (minute + 1) + row),\(minute * 1000 + row)\n"
                }
            }
            RingFile.make(path, Array(text.utf8))
        }

        private func mapping() -> String {
            let path = "\(folder.path)/map.json5"
            RingFile.make(
                path,
                Array(
                    """
                    { time: { column: "timestamp_ns", unit: "ns" }, columns: [
                      { column: "took_us", name: "order_seconds", kind: "histogram", unit: "seconds", scale: 1e-6,
                        help: "One order." },
                      { column: "depth", name: "depth", kind: "gauge", help: "Entries." },
                    ] }
                    """.utf8))
            return path
        }

        private func expectYesterday(_ ask: (_ metric: String, _ from: Int64, _ to: Int64) throws -> Answer) throws {
            let end = start + Int64(Self.minutes) * 60
            let orders = try #require(try ask("order_seconds", start, end).series.first?.points)
            #expect(orders.map(\.time) == (0..<Self.minutes).map { start + Int64($0) * 60 })
            #expect(orders.map(\.count) == Array(repeating: UInt64(Self.rowsPerMinute), count: Self.minutes))
            for (minute, point) in orders.enumerated() {
                #expect(abs((point.min ?? 0) / (1e-4 * Double(minute + 1)) - 1) < 1e-9)
                // No collector ran at that time.
                #expect(!point.complete)
            }
            let depths = try #require(try ask("depth", start, end).series.first?.points)
            for (minute, point) in depths.enumerated() {
                let lowest = Double(minute * 1000)
                let highest = lowest + Double(Self.rowsPerMinute - 1)
                #expect(point.min == lowest && point.max == highest && point.last == highest, "minute \(minute)")
            }
            // None of it is elsewhere.
            let since = try ask("order_seconds", end, Int64(time(nil)) / 60 * 60 + 60).series.first?.points
            #expect(since?.allSatisfy { $0.count ?? 0 == 0 } ?? true)
            #expect(try ask("depth", end, Int64(time(nil)) / 60 * 60 + 60).series.isEmpty)
        }

        @Test("values and gauges imported with their own time stand in yesterday's minutes, and in no live window")
        func yesterday() throws {
            let state = "\(folder.path)/state"
            var daemon = try Daemon(rings, ["--state-dir", state])
            let log = "\(folder.path)/log.csv"
            makeLog(log)
            let tool = ChildProcess.builtProgram("ringside")
            let child = try run([
                tool, "import", log, "--ring", "legacy", "--ring-dir", rings.path, "--time", "original", "--mapping",
                mapping(),
            ])
            #expect(child.exit == .code(0), "\(child.errors)")
            let total = UInt64(Self.minutes * Self.rowsPerMinute)
            let latest = try daemon.latest(when: "all values") {
                $0.bot("legacy")?.metric("order_seconds")?.count == total
            }
            let bot = try #require(latest.bot("legacy"))
            let orders = try #require(bot.metric("order_seconds"))
            // There is none if the collector has already seen that the import has ended.
            #expect(orders.windows.mapValues { $0.count ?? 0 }.filter { $0.value != 0 } == [:])
            #expect(bot.metric("depth") == nil)
            func asked(_ metric: String, _ from: Int64, _ to: Int64) throws -> Answer {
                let path = "/stats/history?metric=\(metric)&from=\(from)&to=\(to)&step=1m"
                return try JSONDecoder().decode(Answer.self, from: Data(daemon.get(path).body))
            }
            // The answers come from memory, before the file has the minutes, and then from the file.
            try expectYesterday(asked)
            #expect(try daemon.process.end() == .code(0))
            func read(_ metric: String, _ from: Int64, _ to: Int64) throws -> Answer {
                let answer = try run([
                    tool, "history", "--state-dir", state, "--metric", metric, "--from", "\(from)", "--to", "\(to)",
                    "--step", "1m", "--format", "json",
                ])
                #expect(answer.exit == .code(0) && answer.errors == [])
                return try JSONDecoder().decode(Answer.self, from: Data(answer.output.utf8))
            }
            try expectYesterday(read)
            // Another collector goes on from there.
            daemon = try Daemon(rings, ["--state-dir", state])
            _ = try daemon.latestWhenDrained()
            try expectYesterday(asked)
            #expect(try daemon.process.end() == .code(0))
            try expectYesterday(read)
        }
    }
}
