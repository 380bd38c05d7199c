import CRingside
import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

private struct DoctorDocument: Decodable {
    struct Check: Decodable {
        let status, what, why: String
        let remedy: String?
    }

    let failed, warned: Int
    let checks: [Check]

    func check(_ what: String, _ part: String = "") -> Check? {
        checks.first { $0.what == what && $0.why.contains(part) }
    }
}

@Suite struct DoctorTests {
    private let directory = TemporaryRingDirectory()

    private func doctor(
        collector: String = "http://127.0.0.1:1", directory path: String? = nil, _ more: String...
    ) throws -> (document: DoctorDocument, exit: ChildProcess.Exit) {
        let tool = try Tool.run(
            ["doctor", "--ring-dir", path ?? directory.path, "--interval", "20ms", "--format", "json"]
                + (collector.isEmpty ? [] : ["--collector", collector]) + more)
        return (try JSONDecoder().decode(DoctorDocument.self, from: Data(tool.output.utf8)), tool.exit)
    }

    /// Returns the members of `/latest` and of `/health` that the doctor reads, in one document, because the server
    /// gives only one answer.
    private func snapshot(lost: String = "{}", gap: Double, reasons: String = "[]") -> String {
        """
        {"time":1,"reasons":\(reasons),"bots":[{"bot":"alpha","up":true,"labels":{},"metrics":[],"rings":[
          {"lane":"","pid":1,"position":9,"drained":9,"backlog":0,"longest_read_gap":\(gap),"lost":\(lost)}]}],"slo":[],"alerts":[]}
        """
    }

    @Test("a ring that the collector does not read is named with the collector's own reason and remedy")
    func unreadRing() throws {
        try withTradingRing("alpha", in: directory) { _ in
            let server = try CannedServer(
                body: """
                    {"time":1,"reasons":[],"bots":[],"slo":[],"alerts":[],"unread_rings":[
                     {"ring":"alpha","reason":"there are 3 bots, as many as max_bots allows; raise max_bots"},
                     {"ring":"elsewhere","reason":"it is in another directory"}]}
                    """)
            let (document, _) = try doctor(collector: server.url)
            let found = document.checks.filter { $0.status == "warn" && $0.what == "ring alpha" }
            #expect(found.count == 1 && found[0].remedy == "raise max_bots", "\(document.checks)")
            #expect(!document.checks.contains { $0.what == "ring elsewhere" })
        }
    }

    @Test("all is well: every line ok but for what the machine itself may lack, and the status is 0")
    func healthy() throws {
        try withTradingRing("alpha", in: directory) { _ in
            let server = try CannedServer(body: snapshot(gap: 0.1))
            let (document, exit) = try doctor(collector: server.url)
            #expect(exit == .code(0) && document.failed == 0)
            for what in ["host-wide switch", "collector", "ring alpha", "free space", "directory \(directory.path)"] {
                #expect(document.check(what)?.status == "ok", "\(what)")
            }
            for what in ["clock", "memory lock", "cpu governor", "file system"] {
                #expect(document.check(what)?.status != nil, "\(what)")
            }
            #expect(document.checks.allSatisfy { ($0.status == "ok") == ($0.remedy == nil) })
            let text = try Tool.run("doctor", "--ring-dir", directory.path, "--collector", server.url)
            #expect(text.output.split(separator: "\n").count == document.checks.count)
            #expect(text.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok ") || $0.hasPrefix("warn ") })
        }
    }

    @Test("what the collector says is wrong with it is a failure")
    func degradedCollector() throws {
        try withTradingRing("alpha", in: directory) { _ in
            let full = "checkpoint_failure: database or disk is full"
            let server = try CannedServer(body: snapshot(gap: 0.1, reasons: "[\"\(full)\"]"))
            let (document, exit) = try doctor(collector: server.url)
            #expect(exit == .code(1) && document.failed == 1)
            let check = try #require(document.check("collector", full))
            #expect(check.status == "fail" && check.remedy == "\(server.url)/health has the details")
            #expect(document.check("collector", "reads 1 of the 1 rings")?.status == "ok")
        }
    }

    @Test("a missing directory and a collector that was named and does not answer are failures; both say what to do")
    func missing() throws {
        let (none, exit) = try doctor(directory: directory.path + "/none")
        #expect(exit == .code(1) && none.check("directory \(directory.path)/none")?.status == "fail")
        let (alone, status) = try doctor()
        #expect(status == .code(1) && alone.failed == 1 && alone.check("collector")?.status == "fail")
        #expect(alone.check("collector")?.remedy?.contains("ringsided") == true)
    }

    @Test("dead and closed rings, rings of another version, damage and leftovers are told apart")
    func rings() throws {
        try withTradingRing("closed", in: directory)
        try withTradingRing("alpha", in: directory) { _ in
            let bytes = RingFile(directory.ring("alpha")).bytes()
            RingFile.make(directory.ring("dead"), bytes)
            RingFile.make(directory.ring("other"), bytes)
            RingFile(directory.ring("other")).write(UInt32(7 << 16), at: 12)
            RingFile.make(directory.ring("cut"), [UInt8](bytes.prefix(5000)))
            RingFile.make(directory.ring("a b"), bytes)
            RingFile.make("\(directory.path)/.ringside-new-0123456789abcdef", bytes)
            let old = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
            utimensat(AT_FDCWD, "\(directory.path)/.ringside-new-0123456789abcdef", old, 0)
            let (document, _) = try doctor()
            #expect(document.check("ring closed")?.status == "ok")
            #expect(document.check("ring alpha")?.status == "ok")
            #expect(document.check("ring dead", "down")?.status == "fail")
            #expect(document.check("ring other", "version 7.0")?.status == "warn")
            #expect(document.check("ring cut")?.status == "warn")
            #expect(document.check("file ringside.a b")?.status == "warn")
            #expect(document.check("file .ringside-new-0123456789abcdef")?.remedy?.contains("sweep") == true)
        }
    }

    @Test("disabled and sampled metrics are reported, ring by ring and for the host")
    func levers() throws {
        try withTradingRing("alpha", in: directory) { _ in
            _ = try Tool.control(directory, "alpha", "--sampling", "1/10")
            #expect(try doctor().document.check("ring alpha", "1 call in 10")?.status == "warn")
            _ = try Tool.control(directory, "alpha", "--metric", "slippage_bps", "--disable")
            #expect(try doctor().document.check("ring alpha", "some of its metrics")?.status == "warn")
            _ = try Tool.control(directory, "--all", "--disable")
            let (document, _) = try doctor()
            #expect(document.check("ring alpha", "disabled")?.status == "warn")
            #expect(document.check("host-wide switch")?.why.hasSuffix("off 1/10") == false)
            #expect(document.check("host-wide switch", "all bots begin with: off")?.status == "warn")
        }
    }

    @Test("a ring that was removed under its bot is a failure that names the bot")
    func removed() throws {
        try withTradingRing("alpha", in: directory) { _ in
            // A reader has the ring open too, but is not its writer.
            let tail = try ChildProcess([
                ChildProcess.builtProgram("ringside"), "tail", "alpha", "--from", "oldest", "--ring-dir",
                directory.path,
            ])
            try Watchdog.wait(for: "the tail") { tail.lines.count >= 4 }
            unlink(directory.ring("alpha"))
            let (document, exit) = try doctor()
            #expect(exit == .code(1))
            #expect(document.check("removed ring", "pid \(getpid()) ")?.status == "fail")
            #expect(document.checks.count { $0.what == "removed ring" } == 1)
        }
        #expect(try doctor().document.check("removed ring") == nil)
    }

    @Test("a ring that the collector came too late for should be twice as large, where no rate says more")
    func lapped() throws {
        try withTradingRing("alpha", in: directory) { _ in
            let server = try CannedServer(body: snapshot(lost: "{\"lapped\":500,\"corrupt\":2}", gap: 2))
            let (document, exit) = try doctor(collector: server.url)
            #expect(exit == .code(0))
            let check = try #require(document.check("ring alpha", "500 records were overwritten"))
            #expect(check.status == "warn" && check.remedy?.contains("capacity of 1024") == true)
            #expect(document.check("ring alpha", "corrupt 2")?.status == "warn")
        }
    }

    @Test("a ring smaller than rate x gap fails, and the capacity recommended is the next power of two")
    func tooSmall() throws {
        let server = try CannedServer(body: snapshot(gap: 100))
        try withTradingRing("alpha", in: directory) { _ in
            let file = RingFile(directory.ring("alpha"))
            let child = try ChildProcess([
                ChildProcess.builtProgram("ringside"), "doctor", "--ring-dir", directory.path, "--interval", "500ms",
                "--collector", server.url,
            ])
            var position: UInt64 = 4
            try Watchdog.wait(for: "the doctor") {
                position += 1
                file.setPosition(position)
                return child.hasEnded()
            }
            #expect(try child.wait() == .code(1))
            let line = try #require(child.lines.first { $0.contains("ring alpha") })
            let words = line.split(separator: " ")
            let rate = try #require(words.firstIndex(of: "records/s").flatMap { Double(words[$0 - 1]) })
            let capacity = try #require(words.firstIndex(of: "of").flatMap { Double(words[$0 + 1]) })
            #expect(line.hasPrefix("fail") && line.contains("longest read gap was 100 s"))
            #expect(capacity >= rate * 100 * 0.99 && capacity < max(1025, rate * 201))
            #expect(capacity.significand == 1)
        }
    }
}
