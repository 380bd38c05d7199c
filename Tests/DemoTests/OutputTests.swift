import FoundationEssentials
import Glibc
import Testing

@testable import ringside_demo

@Suite("Report and exact log")
struct OutputTests {
    private func histogram(_ values: [UInt64], _ encoding: HistogramEncoding) -> EmittedHistogram {
        var note = HistogramNote(keepsValues: true)
        for value in values {
            if encoding == .real { note.add(Double(bitPattern: value)) } else { note.add(value) }
        }
        return EmittedHistogram(note, encoding, ticksPerSecond: 2_000_000_000)
    }

    private func rings() -> [EmittedRing] {
        let metrics = [
            EmittedMetric(name: "a_total", labels: [("z", "1"), ("b", "x \"y\"\n")], value: .counter(.max)),
            EmittedMetric(name: "b", labels: [], value: .upDownCounter(-3)),
            EmittedMetric(name: "c_usd", labels: [], value: .gauge(-0.1)),
            EmittedMetric(name: "d_seconds", labels: [], value: .histogram(histogram([100, 3], .ticks))),
            EmittedMetric(name: "e_seconds", labels: [("k", "v w")], value: .histogram(histogram([7], .nanoseconds))),
            EmittedMetric(
                name: "f_bps", labels: [("b", "2"), ("a", "1")],
                value: .histogram(histogram([(-1.5).bitPattern, 0.1.bitPattern], .real))),
        ]
        return [EmittedRing(bot: "demo1", lane: "", metrics: metrics)]
    }

    @Test("the report is JSON with every field of the agreement, null where one does not apply")
    func report() throws {
        let report = try JSONDecoder().decode(DecodedReport.self, from: Data(Report(rings: rings()).json.utf8))
        let ring = try #require(report.rings.first)
        #expect(ring.bot == "demo1" && ring.lane == "" && ring.records == 5)
        #expect(
            ring.metrics.map(\.kind) == ["counter", "up_down_counter", "gauge"]
                + Array(repeating: "histogram", count: 3))
        #expect(ring.metrics[0].labels == ["z": "1", "b": "x \"y\"\n"])
        #expect(ring.metrics[1].value == -3 && ring.metrics[1].count == nil && ring.metrics[1].sum == nil)
        #expect(ring.metrics[2].value == -0.1)
        #expect(ring.metrics[3].count == 2 && ring.metrics[3].value == nil)
        #expect(abs((ring.metrics[3].sum ?? 0) - 103 / 2e9) < 1e-18 && ring.metrics[5].sum == -1.4)
        #expect(Report(rings: rings()).json.contains("\"value\":18446744073709551615"))
    }

    @Test("the exact log has a line for each value, labels sorted, and no separator inside a field")
    func exactLog() throws {
        let path = "/tmp/ringside-demo-exact-\(getpid()).txt"
        defer { unlink(path) }
        try ExactLog(rings: rings()).write(to: path)
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "demo1 d_seconds - 0.000000050000000000", "demo1 d_seconds - 0.000000001500000000",
                "demo1 e_seconds k=v_w 0.000000007000000000", "demo1 f_bps a=1,b=2 -1.5", "demo1 f_bps a=1,b=2 0.1",
            ])
    }

    @Test("decimals are right to the last of their digits, for small and for large numbers", arguments: 1...6)
    func decimals(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let value = random.unit() * [1e-9, 1e-6, 1e-3, 1, 17, 100, 1e6][random.below(7)]
            var bytes: [UInt8] = []
            ExactLog.appendDecimal(value, to: &bytes)
            let read = try #require(Double(String(decoding: bytes, as: UTF8.self)))
            #expect(abs(read - value) <= max(1e-18, value * 1e-15))
        }
    }

    @Test("a file appears whole under its name, and a name that is no file is written as it is")
    func outputFile() throws {
        let path = "/tmp/ringside-demo-output-\(getpid()).txt"
        defer { unlink(path) }
        var file = try OutputFile(path)
        try file.append { $0 += Array(repeating: UInt8(ascii: "x"), count: 3_000_000) }
        #expect(access(path, F_OK) != 0)
        try file.commit()
        #expect(try readFile(path).count == 3_000_000)
        var sink = try OutputFile("/dev/null")
        try sink.append { $0.append(1) }
        try sink.commit()
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a place where no file can be made is reported before the run")
    func checks() throws {
        let error = try #require(throws: FileError.self) { try OutputFile.check("/nonexistent/report.json") }
        #expect(error.description == "cannot write /nonexistent/report.json: No such file or directory")
        try OutputFile.check("/tmp/ringside-demo-check.json")
        try OutputFile.check("relative.json")
    }
}

/// The report as other programs read it.
struct DecodedReport: Decodable {
    struct Ring: Decodable {
        let bot: String
        let lane: String
        let records: UInt64
        let metrics: [Metric]
    }

    struct Metric: Decodable {
        let name: String
        let kind: String
        let labels: [String: String]
        let count: UInt64?
        let sum: Double?
        let value: Double?
    }

    let rings: [Ring]
}
