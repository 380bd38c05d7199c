import CRingside
import FoundationEssentials
import Ringside
import TestSupport
import Testing

@Suite struct DumpCSVTests {
    private let directory = TemporaryRingDirectory()

    private func table(_ arguments: String...) throws -> CSVTable {
        let tool = try Tool.run(["dump"] + arguments + ["--format", "csv"])
        guard tool.exit == .code(0) else { throw Tool.Failed(errors: tool.errors) }
        return try CSVTable(tool.output)
    }

    @Test("csv has every record that the ring holds, with what the JSON says of it")
    func sameAsJSON() throws {
        try withTradingRing("alpha", in: directory, capacity: 64, laps: 100)
        // Every run gives the same for a capture. For a ring, each run measures the length of a tick again.
        let path = directory.path + "/alpha.capture"
        _ = try Tool.run("capture", directory.ring("alpha"), "-o", path)
        let table = try table(path)
        let expected = [
            "sequence", "time", "metric", "labels", "value", "unit", "weight", "failed", "abandoned", "trace_id",
        ]
        #expect(table.header == expected)
        let records = try Tool.dump(path, "-n", "1000").records
        #expect(table.rows.count == 63 && records.count == 63)
        for (row, record) in zip(table.rows, records) {
            #expect(row["sequence"] == "\(record.sequence)" && row["metric"] == record.name)
            #expect(row["time"] == record.time ?? "")
            #expect(row["weight"] == "1" && row["abandoned"] == "false" && row["trace_id"] == "" && row["labels"] == "")
            #expect(row["failed"] == record.failed.map { "\($0)" })
            #expect(row["unit"] == (record.name == "decide_seconds" ? "seconds" : "bps"))
            #expect(row["value"].flatMap(Double.init) == record.value)
        }
        #expect(
            try self.table(path, "--records", "5").rows.map { $0["sequence"] }
                == table.rows.suffix(5).map { $0["sequence"] })
        #expect(try self.table(path, "-n", "0").rows.isEmpty)
    }

    @Test("a label with a comma, quotes, a line break or an accent comes back as it was")
    func labels() throws {
        let value = "a,\"b\"\r\nc;'=\"\u{301}é\\"
        let options = AttachOptions(directory: directory.path, capacityRecords: 16)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.", labels: ["note": value])
        histogram.record(-0.1, trace: 255)
        let row = try #require(try table(directory.ring("alpha")).rows.first)
        let labels = try JSONDecoder().decode([String: String].self, from: Data(try #require(row["labels"]).utf8))
        #expect(labels == ["note": value])
        #expect(row["trace_id"]?.hasSuffix("00000000000000ff") == true)
        #expect(row["value"] == "-0.1" && row["unit"] == "bps")
    }

    @Test("records that cannot be decoded are left out, and counted on standard error")
    func undecodable() throws {
        try withTradingRing("alpha", in: directory)
        let file = RingFile(directory.ring("alpha"))
        file.write(UInt64(0), at: file.header().records.offset + 32 + 16)
        let tool = try Tool.run("dump", file.path, "--format", "csv")
        #expect(try CSVTable(tool.output).rows.map { $0["sequence"] } == ["0", "2", "3"])
        #expect(tool.exit == .code(0) && tool.errors.contains("1 record"))
    }
}
