import CRingside
import Glibc
import Ringside
import TestSupport
import Testing

/// Tests how a tail continues and how it ends.
@Suite struct TailEndTests {
    private let directory = TemporaryRingDirectory()

    /// Runs a life that writes values from `values` at once, and is closed.
    private func live(_ ring: String, mode: AttachOptions.Mode = .resume, _ values: Range<Int>) throws {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: 1024, metricCapacity: 8, mode: mode)
        let telemetry = try Telemetry.attach(ring, options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        for value in values { histogram.record(Double(value), at: telemetry.now()) }
        telemetry.close()
    }

    private func tail(_ arguments: String...) throws -> ChildProcess {
        let tool = ChildProcess.builtProgram("ringside")
        return try ChildProcess([tool, "tail", "--format", "json", "--ring-dir", directory.path] + arguments)
    }

    @Test("a tail goes on with the ring that replaces its own, and with its own when that is resumed")
    func replaced() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 1024, metricCapacity: 8)
        let telemetry = try Telemetry.attach("alpha.md", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        let tail = try tail("alpha.md", "--from", "oldest", "--linger", "1h", "--count", "50")
        for value in 0..<10 { histogram.record(Double(value), at: telemetry.now()) }
        try Watchdog.wait(for: "the first records") { tail.lines.count == 10 }
        telemetry.close()
        try live("alpha.md", mode: .fresh, 10..<20)
        try Watchdog.wait(for: "the replacement's records") { tail.lines.count == 20 }
        try live("alpha.md", 20..<30)
        unlink(directory.ring("alpha.md"))
        try Watchdog.wait(for: "the resumed ring's records") { tail.lines.count == 30 }
        try live("alpha.md", 30..<50)
        #expect(try tail.wait() == .code(0))
        let lines = try TailLine.all(tail.standardOutput)
        #expect(lines.compactMap(\.value) == (0..<50).map { Double($0) })
        #expect(lines.compactMap(\.sequence) == [0..<10, 0..<20, 0..<20].flatMap { $0.map { UInt64($0) } })
        #expect(tail.standardError.contains("alpha.md was replaced by a new ring"))
    }

    @Test("a bot that dies ends its tail with status 0 and a message, after its last record")
    func died() throws {
        let bot = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "alpha", "records=500", "nap"],
            environment: ["RINGSIDE_DIR": directory.path])
        _ = try bot.line(beginning: "ready")
        let tail = try tail("alpha", "--from", "oldest", "--linger", "10ms")
        try Watchdog.wait(for: "its records") { tail.lines.count == 500 }
        #expect(!tail.hasEnded())
        bot.send(SIGKILL)
        #expect(try tail.wait() == .code(0))
        #expect(tail.lines.count == 500)
        #expect(tail.standardError == "ringside tail: alpha: its bot, pid \(bot.pid), died without closing the ring\n")
    }

    @Test("a tail that is too slow reports its losses: shown and lost together are all that was written")
    func lapped() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        histogram.record(0)
        let json = try tail("alpha", "--from", "oldest", "--linger", "0s")
        let text = try ChildProcess([
            ChildProcess.builtProgram("ringside"), "tail", "alpha", "--from", "oldest", "--ring-dir", directory.path,
            "--linger", "0s",
        ])
        try Watchdog.wait(for: "both tails") { !json.lines.isEmpty && !text.lines.isEmpty }
        for value in 1..<50_000 { histogram.record(Double(value), at: telemetry.now()) }
        telemetry.close()
        #expect(try json.wait() == .code(0) && text.wait() == .code(0))
        let lines = try TailLine.all(json.standardOutput)
        let losses = lines.filter { $0.lost != nil }
        #expect(!losses.isEmpty && losses.allSatisfy { $0.reason == "lapped" && $0.sequence == nil })
        let records = lines.filter { $0.lost == nil }
        #expect(UInt64(records.count) + losses.reduce(0) { $0 + ($1.lost ?? 0) } == 50_000)
        #expect(records.allSatisfy { $0.value == $0.sequence.map { Double($0) } })
        // The losses are at the places where they occurred.
        var next: UInt64 = 0
        for line in lines {
            if let sequence = line.sequence { #expect(sequence == next) }
            next += line.lost ?? 1
        }
        #expect(text.standardError.contains("records lost: overwritten before they could be read"))
    }

    @Test("a tail whose reader goes away ends, though its bot is silent")
    func unread() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 1024, metricCapacity: 8)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        for _ in 0..<5 { histogram.record(1) }
        let shell = try ChildProcess([
            "bash", "-c",
            "\"$0\" tail alpha --from oldest --ring-dir \"$1\" | head -n 2; echo \"status ${PIPESTATUS[0]}\"",
            ChildProcess.builtProgram("ringside"), directory.path,
        ])
        #expect(try shell.wait() == .code(0))
        #expect(shell.lines.count == 3 && shell.lines.last == "status 0" && shell.standardError == "")
        let full = try ChildProcess([
            "sh", "-c", "\"$0\" tail alpha --from oldest --ring-dir \"$1\" > /dev/full",
            ChildProcess.builtProgram("ringside"), directory.path,
        ])
        #expect(try full.wait() == .code(1))
        #expect(full.standardError.contains("cannot write to standard output"))
        telemetry.close()
    }

    @Test("a capture is tailed to its end, like the ring that it was")
    func capture() throws {
        try live("alpha", 0..<300)
        let capture = directory.path + "/alpha.capture"
        _ = try Tool.run("capture", "alpha", "--ring-dir", directory.path, "-o", capture)
        for file in [capture, directory.ring("alpha")] {
            let tail = try tail(file)
            #expect(try tail.wait() == .code(0) && tail.standardError == "")
            let lines = try TailLine.all(tail.standardOutput)
            #expect(lines.compactMap(\.value) == (0..<300).map { Double($0) } && lines.allSatisfy { $0.bot == "alpha" })
        }
        let again = try Tool.run("tail", capture, "--format", "json").output
        #expect(try Tool.run("tail", capture, "--format", "json").output == again)
    }

    @Test("records written by a successor over indexes already shown, after it found a damaged position, are shown too")
    func heir() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8)
        let first = try Telemetry.attach("alpha", options: options)
        let values = try first.histogram("x_bps", unit: .bps, help: "X.")
        for value in 0..<10 { values.record(Double(value)) }
        let tail = try tail("alpha", "--from", "oldest", "--linger", "60s")
        try Watchdog.wait(for: "the first ten") { tail.lines.count == 10 }
        first.close()
        RingFile(directory.ring("alpha")).setPosition(4)
        let second = try Telemetry.attach("alpha", options: options)
        let again = try second.histogram("x_bps", unit: .bps, help: "X.")
        for value in 100..<103 { again.record(Double(value)) }
        try Watchdog.wait(for: "the heir's three") { tail.lines.count == 13 }
        for value in 103..<110 { again.record(Double(value)) }
        try Watchdog.wait(for: "all of the heir's") { tail.lines.count == 20 }
        let lines = try TailLine.all(tail.standardOutput)
        #expect(lines.map(\.value) == ([Int](0..<10) + [Int](100..<110)).map { Double($0) })
        #expect(lines.map(\.sequence) == ([UInt64](0..<10) + [UInt64](4..<14)))
        second.close()
    }

    @Test("a ring that is damaged under a tail is reported, and the tail ends")
    func damaged() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8)
        let telemetry = try Telemetry.attach("sound", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        for value in 0..<20 { histogram.record(Double(value)) }
        RingFile.make(directory.ring("alpha"), RingFile(directory.ring("sound")).bytes())
        let file = RingFile(directory.ring("alpha"))
        let records = file.header().records.offset
        file.write(UInt64(0), at: records + 5 * 32 + 16)
        file.write(file.read(at: records + 7 * 32 + 16, as: UInt64.self) | 5, at: records + 7 * 32 + 16)
        let tail = try tail("alpha", "--from", "oldest")
        #expect(try tail.wait() == .code(0))
        let lines = try TailLine.all(tail.standardOutput)
        #expect(lines.compactMap(\.sequence) == [UInt64](0..<20).filter { $0 != 5 && $0 != 7 })
        #expect(lines.compactMap(\.reason).sorted() == ["corrupt", "unknown_metric"])
        telemetry.close()
    }

    @Test("a ring that is truncated under a tail is reported, with status 1")
    func cut() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 1024, metricCapacity: 8)
        let telemetry = try Telemetry.attach("sound", options: options)
        let histogram = try telemetry.histogram("x_bps", unit: .bps, help: "X.")
        for value in 0..<20 { histogram.record(Double(value)) }
        let path = directory.ring("alpha")
        RingFile.make(path, RingFile(directory.ring("sound")).bytes())
        // The test holds the ring, because otherwise the tail would have ended before.
        let held = open(path, O_RDWR | O_CLOEXEC)
        defer { close(held) }
        #expect(ringside_claim(held) == 0)
        let tail = try tail("alpha", "--from", "oldest")
        try Watchdog.wait(for: "its records") { tail.lines.count == 20 }
        truncate(path, 4096)
        #expect(try tail.wait() == .code(1))
        #expect(
            tail.lines.count == 20 && tail.standardError.contains("truncated") || tail.standardError.contains("bytes"))
        telemetry.close()
    }
}
