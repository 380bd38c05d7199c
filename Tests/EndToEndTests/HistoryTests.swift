import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The collector's history of every minute") struct History {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")

        private var stateFolder: String { "\(state.path)/state" }
        private var stateOption: [String] { ["--state-dir", stateFolder] }

        /// The answer of `/stats/history` for one metric over the last hour, as one step.
        private struct Answer: Decodable {
            let series: [Series]

            struct Series: Decodable {
                let labels: [String: String]
                let kind: String
                let points: [Point]
            }

            struct Point: Decodable {
                let time: Int64
                let count, calls: UInt64?
                let increase, sum, p50, p95, p99, p999: Double?
                let lost: UInt64
                let complete: Bool
            }
        }

        private static func decoded(_ bytes: [UInt8]) throws -> Answer {
            try JSONDecoder().decode(Answer.self, from: Data(bytes))
        }

        /// Expects each counter and histogram of a bot in the history as in `/latest` and in the demo's report.
        private func expectAll(
            of bot: Latest.Bot, _ report: Report.Ring, _ answer: (_ metric: String) throws -> Answer
        ) throws {
            for name in Set(report.metrics.map(\.name)) {
                let found = try answer(name)
                for metric in report.metrics where metric.name == name {
                    let point = found.series.first { series in
                        metric.labels.allSatisfy { series.labels[$0.key] == $0.value }
                            && Set(series.labels.keys) == Set(metric.labels.keys).union(bot.labels.keys)
                    }?.points.first
                    switch metric.kind {
                    case "counter":
                        // Amounts of money are added up in another order.
                        let (increase, value) = (point?.increase ?? 0, metric.value ?? .nan)
                        let isSame = increase == value || value != value.rounded() && abs(increase / value - 1) < 1e-9
                        #expect(isSame, "\(metric.key): \(increase), expected \(value)")
                    case "histogram":
                        #expect(point?.count ?? 0 == metric.count, "\(metric.key)")
                        guard let point, metric.count ?? 0 > 0 else { continue }
                        let latest = try #require(bot.metric(name, metric.labels))
                        for (own, other) in zip(
                            [point.p50, point.p95, point.p99, point.p999],
                            [latest.p50, latest.p95, latest.p99, latest.p999])
                        {
                            // Both are read from the same buckets, but extremes may be clamped differently.
                            let (own, other) = try (#require(own), #require(other))
                            #expect(abs(own - other) <= 0.0055 * abs(other), "\(metric.key)")
                        }
                        let (sum, expected) = try (#require(point.sum), #require(metric.sum))
                        let size = [latest.p50, latest.p999].compactMap { $0.map(abs) }.max() ?? 0
                        #expect(
                            abs(sum - expected) <= 1e-5 * abs(expected) + 1e-9 * size * Double(metric.count ?? 0),
                            "\(metric.key)")
                    default: break
                    }
                }
            }
        }

        @Test(
            "a bot's emissions are in the open minute at once, in the file at the end, and not twice after a kill")
        func totals() throws {
            let options = ["--name", "alpha", "--rate", "5000", "--duration", "1", "--resume"]
            var daemon = try Daemon(rings, stateOption)
            var demo = try Demo(rings, options + ["--linger", "600"])
            var report = try demo.report().ring("alpha1")
            func asked(_ metric: String) throws -> Answer {
                try Self.decoded(daemon.get("/stats/history?metric=\(metric)&bot=alpha1&from=-59m&step=2h").body)
            }
            try expectAll(of: #require(daemon.latestWhenDrained().bot("alpha1")), report, asked)
            #expect(try daemon.process.end(by: SIGKILL) == .signal(SIGKILL))
            daemon = try Daemon(rings, stateOption)
            try expectAll(of: #require(daemon.latestWhenDrained().bot("alpha1")), report, asked)
            #expect(try daemon.process.end() == .code(0))
            #expect(try demo.process.end() == .code(0))
            // This is a second life, whose end another collector sees.
            daemon = try Daemon(rings, stateOption)
            demo = try Demo(rings, options + ["--linger", "600"])
            let second = try demo.report().ring("alpha1")
            let bot = try #require(daemon.latestWhenDrained().bot("alpha1"))
            report = Report.Ring(sum: report, second)
            try expectAll(of: bot, report, asked)
            #expect(try daemon.process.end() == .code(0))
            try expectAll(of: bot, report) { try Self.decoded(self.read(["--metric", $0, "--bot", "alpha1"])) }
            #expect(try demo.process.end() == .code(0))
        }

        /// Runs `ringside history` over the file, and returns JSON of one step.
        private func read(_ options: [String]) throws -> [UInt8] {
            let (exit, output, errors) = try run(
                [
                    ChildProcess.builtProgram("ringside"), "history", "--state-dir", stateFolder, "--from", "-59m",
                    "--step", "2h", "--format", "json",
                ] + options)
            #expect(exit == .code(0) && errors == [])
            return Array(output.utf8)
        }

        @Test("promtool makes blocks of its export, and they hold each total and each minute's percentiles")
        func prometheus() throws {
            let promtool = try #require(commandPath("promtool"), "promtool is not installed: tools/setup --tests")
            let daemon = try Daemon(rings, stateOption)
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1", "--linger", "600"])
            let report = try demo.report().ring("demo1")
            _ = try daemon.latestWhenDrained()
            #expect(try daemon.process.end() == .code(0))
            let (tool, text, blocks) = (
                ChildProcess.builtProgram("ringside"), "\(state.path)/h.om", "\(state.path)/blocks"
            )
            let export = try run([
                "sh", "-c", "exec \"$0\" history --state-dir \"$1\" --openmetrics > \"$2\"", tool, stateFolder, text,
            ])
            #expect(export.exit == .code(0) && export.errors == [])
            let made = try run([promtool, "tsdb", "create-blocks-from", "openmetrics", text, blocks])
            #expect(made.exit == .code(0), "\(made.errors)")
            // promtool reads a data folder, which has a folder for samples that are in no block yet.
            #expect(mkdir("\(blocks)/wal", 0o755) == 0)
            let dump = try run([promtool, "tsdb", "dump", blocks])
            #expect(dump.exit == .code(0))
            let samples = dump.output.split(separator: "\n").compactMap { Sample($0) }
            for metric in report.metrics where metric.kind == "counter" || metric.kind == "histogram" {
                let isCounter = metric.kind == "counter"
                let name = isCounter ? metric.name : "\(metric.name)_count"
                let own = samples.filter { $0.name == name && $0.has(metric.labels) }
                let total = try #require(isCounter ? metric.value : metric.count.map { Double($0) })
                // The minutes of a fractional counter are added in another order than its calls.
                #expect(abs((own.map(\.value).max() ?? 0) - total) <= 1e-12 * total, "\(name)")
            }
            let window = samples.filter { $0.name == "strategy_order_execution_window_seconds" }
            #expect(window.contains { $0.has(["quantile": "0.99", "window": "1m", "bot": "demo1"]) && $0.value > 0 })
            #expect(try demo.process.end() == .code(0))
        }

        /// `{__name__="x", bot="demo1"} 12 1700000000000`
        private struct Sample {
            let labels: [String: String]
            let value: Double
            var name: String { labels["__name__"] ?? "" }

            init?(_ line: Substring) {
                guard let end = line.lastIndex(of: "}"), let open = line.firstIndex(of: "{"),
                    let value = line[line.index(after: end)...].split(separator: " ").first.flatMap({ Double($0) })
                else { return nil }
                self.value = value
                var labels: [String: String] = [:]
                for pair in line[line.index(after: open)..<end].split(separator: ", ") {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    labels[String(parts[0])] = String(parts[1].dropFirst().dropLast())
                }
                self.labels = labels
            }

            func has(_ wanted: [String: String]) -> Bool { wanted.allSatisfy { labels[$0.key] == $0.value } }
        }

        @Test(
            "the live file is copied while it is written, shown as a table and as CSV, and two times of it are compared"
        )
        func tool() throws {
            let daemon = try Daemon(rings, stateOption)
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1", "--linger", "600"])
            let count = try #require(
                try demo.report().ring("demo1").metrics.first { $0.name == "strategy_order_execution_seconds" }?.count)
            _ = try daemon.latestWhenDrained()
            let tool = ChildProcess.builtProgram("ringside")
            let asked = try run([
                tool, "history", "--collector", "http://127.0.0.1:\(daemon.port)", "--metric",
                "strategy_order_execution_seconds", "--step", "2h",
            ])
            #expect(
                asked.exit == .code(0) && asked.output.contains(" \(count) ") && asked.output.contains("P99.9"),
                "\(count): \(asked.output) \(asked.errors)")
            let refused = try run([
                tool, "history", "--collector", "http://127.0.0.1:\(daemon.port)", "--metric", "x", "--step", "1s",
            ])
            #expect(refused.exit == .code(2) && refused.errors.first?.contains("expected whole minutes") == true)
            let list = try run([tool, "history", "--collector", "http://127.0.0.1:\(daemon.port)", "--bot", "demo1"])
            #expect(list.exit == .code(0) && list.output.contains("p50, p95, p99, p99.9"))
            #expect(list.output.contains("\ndemo1  strategy_order_execution_seconds"))
            for source in [["--collector", "http://127.0.0.1:\(daemon.port)"], ["--state-dir", stateFolder]] {
                for more in [[], ["--metric", "x"]] {
                    let unknown = try run([tool, "history", "--bot", "dmeo1"] + source + more)
                    #expect(unknown.exit == .code(1) && unknown.output == "")
                    // The file knows a bot once its first minute is over. The collector knows it at once.
                    let error = unknown.errors.first ?? ""
                    let isTooEarly =
                        source[0] == "--state-dir" && error.contains("knows no bot 'dmeo1', nor any other bot")
                    #expect(isTooEarly || error.contains("did you mean 'demo1'? There is demo1"), "\(error)")
                }
            }
            let unknown = try run([
                tool, "history", "--collector", "http://127.0.0.1:\(daemon.port)", "--metric",
                "strategy_order_execution_second",
            ])
            #expect(unknown.exit == .code(1) && unknown.output == "")
            #expect(
                unknown.errors.first?.contains(
                    "has no metric strategy_order_execution_second; did you mean 'strategy_order_execution_seconds'?")
                    == true, "\(unknown.errors)")
            let copy = "\(state.path)/copy.db"
            let backup = try run([tool, "history", "--state-dir", stateFolder, "--backup", copy])
            #expect(backup.exit == .code(0) && backup.errors.first?.contains("is sound") == true)
            #expect(try run([tool, "history", "--state-dir", stateFolder, "--backup", copy]).exit == .code(1))
            #expect(try run([tool, "history", "--file", copy]).exit == .code(0))
            #expect(try daemon.process.end() == .code(0))
            let csv = try run([
                tool, "history", "--state-dir", stateFolder, "--metric", "strategy_order_execution_seconds", "--step",
                "2h", "--format", "csv",
            ])
            #expect(
                csv.output.split(separator: "\n").dropFirst().first?.split(separator: ",").contains("\(count)") == true)
            let wrong = try run([tool, "history", "--state-dir", stateFolder, "--metric", "nosuch"])
            #expect(wrong.exit == .code(1) && wrong.errors.first?.contains("has no metric nosuch. There are ") == true)
            let compared = try run([
                tool, "history", "--state-dir", stateFolder, "--compare", "-2h..-1h -1h..now", "--format", "json",
            ])
            #expect(compared.exit == .code(0) && compared.output.contains("\"b\":{\"count\":\(count),"))
            for more in [[], ["--mean"]] {
                let table = try run(
                    [
                        tool, "history", "--state-dir", stateFolder, "--compare", "-2h..now -1h..now", "--metric",
                        "strategy_order_execution_seconds",
                    ] + more)
                let lines = table.output.split(separator: "\n").dropFirst(3).map {
                    $0.split(separator: " ").drop { $0 == "demo1" || $0.hasPrefix("strategy_") }.map(String.init)
                }
                let expected = ["p50", "p99", "p99.9"] + more.map { _ in "mean" } + ["saved", "values"]
                #expect(lines.map(\.first) == expected, "\(table.output)")
                #expect(lines.last == ["values", "\(count)", "\(count)", "0"])
                #expect(lines.first.map { ["us", "ms"].contains($0[2]) } == true, "\(table.output)")
            }
            #expect(try demo.process.end() == .code(0))
        }

        @Test("snapshots are dumped whole, a bounded number is kept, and ringside report reads them like a collector")
        func dumps() throws {
            let folder = "\(state.path)/dumps"
            let daemon = try Daemon(
                rings, ["--export.json-dir", folder, "--export.json-interval", "100ms", "--export.json-keep", "3"])
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1", "--linger", "600"])
            let records = try demo.report().ring("demo1").records
            _ = try daemon.latestWhenDrained()
            let files = {
                try run(["ls", "-A", folder]).output.split(separator: "\n").filter { $0.hasSuffix(".json") }
            }
            let before = try files()
            try Watchdog.wait(for: "other dumps") { try files().count == 3 && files() != before }
            #expect(try daemon.get("/health").text.contains("{\"name\":\"json\",\"ok\":true,\"queue\":0}"))
            let tool = ChildProcess.builtProgram("ringside")
            let live = try run([tool, "report", "--collector", "http://127.0.0.1:\(daemon.port)"])
            #expect(live.exit == .code(0) && live.output.contains("\(records)"))
            #expect(try daemon.process.end() == .code(0))
            let last = try #require(try files().sorted().last)
            #expect(try files().count == 3 && run(["ls", "-A", folder]).output.split(separator: "\n").count == 3)
            for format in ["table", "json", "markdown"] {
                let report = try run([tool, "report", "\(folder)/\(last)", "--format", format])
                #expect(report.exit == .code(0) && report.output.contains("\(records)"), "\(format)")
                #expect(report.output.contains("strategy") && report.output.contains("demo1"))
            }
            #expect(try demo.process.end() == .code(0))
        }

        @Test("a dump that cannot be written is reported once and in /health, and the drain goes on")
        func fullDump() throws {
            let daemon = try Daemon(rings, ["--export.json-dir", "/proc/ringside", "--export.json-interval", "100ms"])
            try Watchdog.wait(for: "a failure in /health") {
                try daemon.get("/health").text.contains("{\"name\":\"json\",\"ok\":false,\"queue\":0}")
            }
            usleep(400_000)
            #expect(daemon.log.filter { $0.contains("no JSON dump is written") }.count == 1)
            #expect(try daemon.get("/metrics").text.contains("ringside_json_up 0"))
            #expect(try daemon.process.end() == .code(0))
        }
    }
}

extension Report.Ring {
    /// Adds up the emissions of two lives of one bot.
    fileprivate init(sum a: Report.Ring, _ b: Report.Ring) {
        let metrics = a.metrics.map { one in
            let other = b.metrics.first { $0.key == one.key }
            return Report.Metric(
                name: one.name, kind: one.kind, labels: one.labels, count: one.count.map { $0 + (other?.count ?? 0) },
                sum: one.sum.map { $0 + (other?.sum ?? 0) },
                value: one.kind == "counter" ? one.value.map { $0 + (other?.value ?? 0) } : other?.value)
        }
        let rest = b.metrics.filter { metric in !a.metrics.contains { $0.key == metric.key } }
        self.init(bot: a.bot, lane: a.lane, records: a.records + b.records, metrics: metrics + rest)
    }
}
