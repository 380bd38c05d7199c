import Glibc
import TestSupport
import Testing

@Suite("Importing a telemetry log") struct ImportTests {
    @Test("the ring's totals are the last row's, and gauges what that row says")
    func totals() throws {
        let scene = ImportScene()
        scene.log.append(5000)
        let tool = try scene.importAll("--producer-id", "maker", "--consumer-id", "taker")
        #expect(tool.errors == "ringside import: \(scene.log.path): 5000 lines, 0 bad\n")
        try scene.expectTotals()
        let dump = try Tool.dump(scene.rings.ring("legacy"))
        #expect(dump.producer?.closed == true)
        func metric(_ name: String) -> DumpDocument.Metric? { dump.metrics.first { $0.name == name } }
        #expect(metric("orders_produced_total")?.labels == ["producer_id": "maker"])
        #expect(metric("orders_dropped_total")?.labels == ["producer_id": "maker"])
        #expect(metric("orders_consumed_total")?.labels == ["consumer_id": "taker"])
        #expect(metric("buffer_utilization_ratio")?.value == 0.25)
        #expect(metric("throughput_orders_per_second")?.value == 1234.5)
        #expect(metric("source_latency_mean_seconds")?.value == 4e-5)
        #expect(metric("source_latency_p95_seconds")?.value == 8e-5)
        #expect(metric("source_latency_p99_seconds")?.value == 1.6e-4)
        #expect(metric("source_latency_p99_seconds")?.kind == "gauge")
    }

    @Test("imported again, a file that has grown counts from where it was read to")
    func again() throws {
        let scene = ImportScene()
        for rows in [100, 0, 250, 1] {
            scene.log.append(rows)
            try scene.importAll()
            try scene.expectTotals()
        }
    }

    @Test("a restart of the source counts from 0, and is counted")
    func restarts() throws {
        let scene = ImportScene()
        for _ in 0..<3 {
            scene.log.append(200)
            scene.log.restartSource()
        }
        scene.log.append(10)
        try scene.importAll()
        try scene.expectTotals()
        #expect(try scene.values()["csv_import_source_restarts_total"] == 3)
    }

    @Test("a last line without its end waits for it")
    func partialLine() throws {
        let scene = ImportScene()
        scene.log.append(3)
        let row = scene.log.row()
        scene.log.write(String(row.prefix(30)))
        let tool = try scene.importAll()
        #expect(tool.errors.contains("3 lines, 0 bad, the last has no line end yet and was not taken"))
        #expect(try scene.values()["csv_import_lines_total"] == 3)
        scene.log.write(String(row.dropFirst(30)))
        try scene.importAll()
        try scene.expectTotals()
        scene.log.write(String(scene.log.row().dropLast()))
        try scene.importAll("--complete")
        try scene.expectTotals()
    }

    @Test("bad lines are skipped, reported by file and line, counted, and not reported without end")
    func badLines() throws {
        let scene = ImportScene()
        scene.log.append(2)
        scene.log.write("\r\n1,2,3\nx,1,2,3,4,5,6,7,8,9,10,11\n")
        scene.log.write("1,\"2,3,4,5,6,7,8,9,10,11,12\n1,\u{0}2,3,4,5,6,7,8,9,10,11,12\n")
        scene.log.write(String(repeating: "7", count: 100_000) + "\n")
        scene.log.append(1)
        for _ in 0..<30 { scene.log.write("nothing\n") }
        scene.log.append(2)
        let tool = try scene.importAll()
        let lines = tool.errors.split(separator: "\n")
        let path = scene.log.path
        #expect(lines[0] == "ringside import: \(path):5: 3 fields, expected 12 as in the header")
        #expect(lines[1].hasPrefix("ringside import: \(path):6: column timestamp_ns is \"x\", expected a time"))
        #expect(lines[2] == "ringside import: \(path):7: a quote is not closed, expected its end in the same line")
        #expect(lines[3].contains(":8: column orders_produced is \"\\u{0}2\", expected a whole number"))
        #expect(lines[4].contains(":9: 100000 bytes, expected 65536 at most"))
        #expect(lines.count == 12)
        #expect(lines[10] == "ringside import: 25 more bad lines like these")
        #expect(lines[11] == "ringside import: \(path): 5 lines, 35 bad")
        try scene.expectTotals()
        #expect(try scene.values()["csv_import_bad_lines_total"] == 35)
    }

    @Test("bytes that are no UTF-8, line ends of two bytes and a mark before the header harm nothing")
    func bytes() throws {
        let scene = ImportScene()
        scene.log.append(3)
        scene.edit(scene.log.path) { "\u{FEFF}" + $0.split(separator: "\n").joined(separator: "\r\n") + "\r\n" }
        try scene.importAll()
        try scene.expectTotals()
        let row: [UInt8] = Array("1,\u{FFFD}".utf8.dropLast(2)) + Array(",3,4,5,6,7,8,9,10,11,12\n".utf8)
        RingFile.make(scene.log.path, RingFile(scene.log.path).bytes() + row)
        let tool = try scene.importAll()
        #expect(tool.errors.contains(":5: column orders_produced is "))
        #expect(tool.errors.contains("0 lines, 1 bad"))
    }

    @Test("a file without the columns is refused, and they are named")
    func missingColumns() throws {
        let scene = ImportScene()
        RingFile.make(scene.log.path, Array("timestamp_ns,orders_produced\n1,2\n".utf8))
        let tool = try scene.importAll(expecting: .code(1))
        #expect(tool.errors.contains("\(scene.log.path):1: the header lacks orders_consumed, orders_dropped, "))
    }

    @Test("two files may be imported into one ring, one after the other")
    func twoFiles() throws {
        let scene = ImportScene()
        scene.log.append(100)
        try scene.importAll()
        let second = TelemetryLog("\(scene.folder.path)/second.csv", seed: 9)
        second.append(50)
        let tool = try Tool.run("import", second.path, "--ring", "legacy", "--ring-dir", scene.rings.path)
        #expect(tool.exit == .code(0))
        scene.log.append(100)
        try scene.importAll()
        let values = try scene.values()
        #expect(values["orders_produced_total"] == Double(scene.log.totals[0] + second.totals[0]))
        #expect(values["csv_import_lines_total"] == 250)
    }

    @Test("wrong usage is reported, and nothing is done")
    func wrongUse() throws {
        let scene = ImportScene()
        #expect(try Tool.run("import").exit == .code(2))
        #expect(try Tool.run("import", scene.log.path).errors.contains("--ring is missing"))
        #expect(try Tool.run("import", "/nowhere/x.csv", "--ring", "a").errors.contains("cannot open /nowhere/x.csv"))
        #expect(
            try Tool.run("import", scene.folder.path, "--ring", "a", "--ring-dir", scene.rings.path).exit == .code(1))
        scene.log.append(1)
        try scene.importAll()
        let other = try Tool.run("import", scene.log.path, "--ring", "other", "--ring-dir", scene.rings.path)
        #expect(other.errors.contains("is the state of an import into ring legacy; name another with --state"))
        RingFile.make(scene.statePath, Array("{}".utf8))
        #expect(try scene.importAll(expecting: .code(1)).errors.contains("is no state of an import"))
    }

    @Test("sample data has the header, is the same for the same seed, and is imported whole")
    func generate() throws {
        let scene = ImportScene()
        let tool = try Tool.run("import", "--generate", "2000", "--seed", "5")
        #expect(tool.exit == .code(0))
        #expect(tool.output.hasPrefix(TelemetryLog.header))
        let lines = tool.output.split(separator: "\n")
        #expect(lines.count == 2001)
        #expect(try Tool.run("import", "--generate", "2000", "--seed", "5").output == tool.output)
        #expect(try Tool.run("import", "--generate", "2000", "--seed", "6").output != tool.output)
        RingFile.make(scene.log.path, Array(tool.output.utf8))
        try scene.importAll()
        let last = lines[2000].split(separator: ",").map { Double($0) }
        let values = try scene.values()
        #expect(values["orders_produced_total"] == last[1])
        #expect(values["orders_consumed_total"] == last[2])
        #expect(values["orders_dropped_total"] == last[3])
        #expect(values["batches_sent_total"] == last[11])
    }
}
