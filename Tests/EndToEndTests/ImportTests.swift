import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Telemetry that exists as CSV") struct Import {
        private let rings = TemporaryRingDirectory()
        private let folder = TemporaryRingDirectory(under: "/tmp")

        private func importer(_ log: TelemetryLog, _ options: [String] = []) throws -> ChildProcess {
            try ChildProcess(
                [
                    ChildProcess.builtProgram("ringside"), "import", log.path, "--ring", "legacy", "--ring-dir",
                    rings.path,
                ]
                    + options)
        }

        private func totals(_ latest: Latest) -> [UInt64] {
            TelemetryLog.counters.map { UInt64(latest.bot("legacy")?.metric($0)?.value ?? 0) }
        }

        @Test("the collector shows the log's totals over rotations and kills of the import, and never more")
        func killsAndRotations() throws {
            let daemon = try Daemon(rings)
            let log = TelemetryLog("\(folder.path)/log.csv", seed: 11)
            var random = SeededGenerator(seed: 11)
            var child = try importer(log, ["--follow"])
            // The import cannot know a file that is rotated away before it starts.
            log.append(5)
            try daemon.latest(when: "the log's first totals") { totals($0) == log.totals }
            for round in 0..<12 {
                log.append(300)
                usleep(UInt32.random(in: 0...200_000, using: &random))
                if round % 3 == 1 {
                    child.send(SIGKILL)
                    #expect(try child.wait() == .signal(SIGKILL))
                }
                log.append(200)
                switch round % 4 {
                case 0: log.rotateByRename()
                case 2: log.rotateByCopy()
                default: break
                }
                if round % 5 == 0 { log.restartSource() }
                log.append(100)
                #expect(zip(totals(try daemon.latest()), log.totals).allSatisfy { $0 <= $1 })
                if round % 3 == 1 { child = try importer(log, ["--follow"]) }
            }
            try daemon.latest(when: "all totals of the log") { totals($0) == log.totals }
            child.send(SIGTERM)
            #expect(try child.wait() == .code(0))
            let latest = try daemon.latest(when: "the end of the import") { $0.bot("legacy")?.up == false }
            #expect(totals(latest) == log.totals)
            #expect(latest.bot("legacy")?.metric("csv_import_lines_total")?.value == Double(log.rows))
        }

        @Test("a live import's gauges are exported under names that say what computed them")
        func gauges() throws {
            let daemon = try Daemon(rings)
            let log = TelemetryLog("\(folder.path)/log.csv")
            log.append(5)
            let child = try importer(log, ["--follow"])
            try daemon.latest(when: "the log's gauges") {
                $0.bot("legacy")?.metric("source_latency_p99_seconds")?.value == 1.6e-4
            }
            let metrics = try daemon.get("/metrics").text
            #expect(metrics.contains("as computed by the source"))
            #expect(metrics.contains("# TYPE source_latency_p95_seconds gauge"))
            #expect(metrics.contains("orders_produced_total{bot=\"legacy\",producer_id=\"legacy\"}"))
            child.send(SIGTERM)
            #expect(try child.wait() == .code(0))
        }

        @Test("values with the source's own time are in the totals, and in no live window")
        func originalTime() throws {
            let daemon = try Daemon(rings)
            let log = TelemetryLog("\(folder.path)/log.csv")
            let mapping = "\(folder.path)/map.json5"
            RingFile.make(
                mapping,
                Array(
                    """
                    { time: { column: "timestamp_ns", unit: "ns" }, columns: [
                      { column: "avg_latency_ns", name: "order_seconds", kind: "histogram", unit: "seconds", scale: 1e-9,
                        help: "One order." },
                      { column: "buffer_size", name: "buffer_entries", kind: "gauge", help: "Entries." },
                      { column: "batch_count", name: "batches_sent_total", kind: "counter", help: "Batches." },
                    ] }
                    """.utf8))
            log.append(500)
            let child = try importer(log, ["--time", "original", "--mapping", mapping, "--follow"])
            let latest = try daemon.latest(when: "all values") {
                $0.bot("legacy")?.metric("order_seconds")?.count == 500
            }
            let bot = try #require(latest.bot("legacy"))
            #expect(bot.metric("order_seconds")?.windows.values.allSatisfy { $0.count == 0 } == true)
            #expect(bot.metric("order_seconds")?.p50 == 4e-5)
            #expect(bot.metric("batches_sent_total") == nil)
            #expect(child.standardError.contains("left out, as a counter's cell has no time: batches_sent_total"))
            child.send(SIGTERM)
            #expect(try child.wait() == .code(0))
            // A clock that was measured for a second dates years with an error of some seconds, the same for all rows.
            let tail = try run([
                ChildProcess.builtProgram("ringside"), "dump", rings.ring("legacy"), "--records", "2000", "--format",
                "json",
            ])
            struct Dump: Decodable {
                struct Record: Decodable {
                    let name: String?
                    let unix_seconds: Double?
                }
                let records: [Record]
            }
            let records = try JSONDecoder().decode(Dump.self, from: Data(tail.output.utf8)).records
            #expect(records.count == 1000)
            let first = try #require(records.first?.unix_seconds)
            let last = try #require(records.last?.unix_seconds)
            #expect(abs(first - 1_700_000_000.1) < 60)
            #expect(abs(last - first - 49.9) < 1)
        }

        @Test("promtool makes blocks of the OpenMetrics form, which hold every row at its own time")
        func backfill() throws {
            let promtool = try #require(commandPath("promtool"), "promtool is missing: tools/setup --tests")
            let log = TelemetryLog("\(folder.path)/log.csv")
            for _ in 0..<3 {
                log.append(100)
                log.restartSource()
            }
            let child = try importer(log, ["--openmetrics", "--producer-id", "a \"b\" \\c"])
            #expect(try child.wait() == .code(0))
            #expect(child.standardError.contains("300 lines, 0 bad, 0 left out"))
            let text = child.standardOutput
            #expect(text.hasSuffix("# EOF\n"))
            let (input, blocks) = ("\(folder.path)/log.om", "\(folder.path)/blocks")
            RingFile.make(input, Array(text.utf8))
            let made = try run([promtool, "tsdb", "create-blocks-from", "openmetrics", input, blocks])
            #expect(made.exit == .code(0), "\(made.output) \(made.errors)")
            // promtool looks for this folder in every database.
            #expect(mkdir("\(blocks)/wal", 0o750) == 0)
            let dump = try run([promtool, "tsdb", "dump", blocks])
            #expect(dump.exit == .code(0))
            let lines = dump.output.split(separator: "\n")
            // There are ten columns of 300 rows.
            #expect(lines.count == 3000)
            let produced = lines.filter { $0.contains("__name__=\"orders_produced_total\"") }
            #expect(produced.count == 300)
            let last = try #require(produced.last)
            #expect(last.contains("bot=\"legacy\""))
            #expect(last.hasSuffix(" \(log.totals[0]) \(1_700_000_000_000 + 300 * 100)"), "\(last)")
            #expect(
                lines.contains { $0.contains("source_latency_p99_seconds") && $0.contains(" 0.00016 1700000000100") })
        }
    }
}
