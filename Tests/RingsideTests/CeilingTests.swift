import CRingside
import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

/// Tests the ceiling on a real ring, by the real clock.
@Suite struct CeilingTests {
    private let directory = TemporaryRingDirectory()

    private func attach(ceiling: Int, records: Int = 1 << 18) throws -> Telemetry {
        var options = directory.options(records: records)
        options.maximumRecordsPerSecond = ceiling
        return try Telemetry.attach("alpha", options: options)
    }

    private func seconds(since start: UInt64) -> Double { Double(ringside_monotonic_ns() - start) * 1e-9 }

    @Test("a bot that emits as fast as it can is held below its ceiling, and its weights add up to its calls")
    func held() throws {
        let telemetry = try attach(ceiling: 20_000)
        let values = try telemetry.histogram("value", help: "")
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let changes = try telemetry.gauge("level", help: "", recording: .everyChange)
        let hits = try telemetry.counter("hits_total", help: "")
        let start = ringside_monotonic_ns()
        var rounds: UInt64 = 0
        while seconds(since: start) < 1.5 {
            for _ in 0..<100 {
                values.record(1)
                spans.measure {}
                hits.increment()
            }
            rounds += 100
        }
        let elapsed = seconds(since: start)
        for level in 0..<50 { changes.set(Double(level)) }
        let segment = try directory.segment()
        let records = segment.records()
        #expect(Double(records.count - 50) <= 20_000 * (elapsed + 0.08) * 1.02)
        #expect(try segment.cell(of: "value").first == rounds && segment.cell(of: "hits_total").first == rounds)
        #expect(segment.sampledOut == 2 * rounds - UInt64(records.count - 50))
        #expect(segment.position == UInt64(records.count))
        for metric in 0..<2 {
            let weights = records.filter { $0.metric == metric }.reduce(0) { $0 + $1.weight }
            #expect(abs(Double(weights) / Double(rounds) - 1) < 0.1)
        }
        #expect(records.count { $0.metric == 2 } == 50)
        // The debt is paid off, and the clock is read after 16 calls at most.
        usleep(200_000)
        for _ in 0..<16 { values.record(2) }
        let position = segment.position
        for _ in 0..<100 { values.record(3) }
        #expect(segment.position == position + 100)
        #expect(segment.records(from: .position(position)).allSatisfy { $0.weight == 1 })
        telemetry.close()
    }

    @Test("the operator's N and the ceiling's combine: the larger wins, and disabling is obeyed")
    func combined() throws {
        let telemetry = try attach(ceiling: 5000)
        let values = try telemetry.histogram("value", help: "")
        directory.file().setControlWord(sampledWord(7), ofMetric: 0)
        for _ in 0..<500 { values.record(1) }
        let segment = try directory.segment()
        #expect(segment.records().allSatisfy { $0.weight == 7 })
        for _ in 0..<300_000 { values.record(1) }
        let weights = Set(segment.records().map(\.weight))
        #expect(weights.isSubset(of: Set([7] + (3...15).map { 1 << $0 })) && weights.count > 1)
        directory.file().setControlWord(disabledWord, ofMetric: 0)
        let calls = segment.cell(0).first
        for _ in 0..<1000 { values.record(1) }
        #expect(segment.cell(0).first == calls)
        telemetry.close()
    }

    @Test("a ceiling out of range is refused", arguments: [0, -5, 99, 10_000_001, Int.max])
    func range(ceiling: Int) {
        var options = directory.options()
        options.maximumRecordsPerSecond = ceiling
        let refusal = directory.refusal("alpha", options)
        #expect(refusal?.reason == .invalidOption)
        #expect(refusal?.description.contains("100 to 10000000") == true)
    }

    @Test("RINGSIDE_MAX_RATE sets the ceiling of a bot that names none")
    func environment() throws {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "alpha", "records=200000"],
            environment: ["RINGSIDE_DIR": directory.path, "RINGSIDE_MAX_RATE": "1000"])
        #expect(try child.wait() == .code(0))
        let segment = try directory.segment()
        #expect(segment.cell(0).first == 200_000 && segment.sampledOut > 0)
        #expect(segment.position + segment.sampledOut == 200_000)
    }

    @Test("memory is locked on request, and where it cannot be the bot attaches all the same and is told the limit")
    func locked() throws {
        var options = directory.options()
        options.locksMemory = true
        let telemetry = try Telemetry.attach("alpha", options: options)
        #expect(telemetry.warning == nil)
        #expect(lockedKilobytes(of: directory.ring("alpha")) > 0)
        telemetry.close()
        let plain = try directory.attach("beta")
        #expect(plain.warning == nil && lockedKilobytes(of: directory.ring("beta")) == 0)
        plain.close()
        chmod(directory.path, 0o777)
        let child = try ChildProcess(
            ["prlimit", "--memlock=65536:65536", ChildProcess.builtProgram("RingProbe"), "attach", "gamma", "lock"]
                + (OrdinaryUser.isNeeded ? ["uid=\(OrdinaryUser.id)"] : []),
            environment: ["RINGSIDE_DIR": directory.path, "RINGSIDE_CAPACITY": "65536"])
        #expect(try child.wait() == .code(0))
        let warning = try #require(child.lines.first { $0.hasPrefix("warning ") })
        #expect(warning.contains("RLIMIT_MEMLOCK is 64 KiB") && warning.contains("gamma"))
        #expect(child.lines.last == "ready")
    }

    /// Returns the figure from /proc/self/smaps. It is found by the file's number, because the file had no name when it
    /// was mapped.
    private func lockedKilobytes(of path: String) -> Int {
        var status = stat()
        lstat(path, &status)
        var isIt = false
        for line in String(decoding: RingFile.stream("/proc/self/smaps"), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count >= 5, fields[0].contains("-") { isIt = fields[4] == "\(status.st_ino)" }
            if isIt, fields[0] == "Locked:" { return Int(fields[1]) ?? 0 }
        }
        return 0
    }
}
