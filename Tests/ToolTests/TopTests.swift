import Glibc
import TestSupport
import Testing

/// Tests the output of `ringside top` for a collector's answer.
@Suite struct TopTests {
    private static let body = """
        {"time":1.5,"bots":[{"bot":"alpha","up":true,"labels":{},"rings":[],"metrics":[]}],"slo":[],"alerts":[]}
        """

    private func top(unread: String) throws -> Tool {
        let server = try CannedServer(
            body: """
                {"time":1.5,\(unread)"bots":[{"bot":"alpha","up":true,"labels":{},"rings":[],"metrics":[]}],"slo":[],"alerts":[]}
                """)
        return try Tool.run("top", "--collector", server.url, "--duration", "0.2", "--interval", "10s")
    }

    @Test("rings that are not read stand first, with why and what to do; no more than three of them")
    func unreadRings() throws {
        let none = try top(unread: #""unread_rings":[],"#)
        #expect(none.exit == .code(0) && none.output.hasPrefix("BOT "))
        #expect(try top(unread: "").output.hasPrefix("BOT "))
        let one = try top(unread: #""unread_rings":[{"ring":"b.md","reason":"owned by uid 7; add \u001b7"}],"#)
        #expect(one.output.hasPrefix("ring b.md is not read: owned by uid 7; add \\u{1b}7\n\nBOT "))
        let rings = (1...5).map { #"{"ring":"b\#($0)","reason":"damaged"}"# }.joined(separator: ",")
        let five = try top(unread: "\"unread_rings\":[\(rings)],")
        let lines = (1...3).map { "ring b\($0) is not read: damaged\n" }.joined()
        #expect(five.output.hasPrefix(lines + "… and 2 more; 'ringside doctor' names them\n\nBOT "))
    }

    @Test("--once prints one table and ends; with --duration it is refused")
    func once() throws {
        let server = try CannedServer(body: Self.body)
        let tool = try Tool.run("top", "--collector", server.url, "--once")
        #expect(tool.exit == .code(0) && tool.errors == "")
        #expect(tool.output.split(separator: "\n").count { $0.hasPrefix("alpha ") } == 1)
        #expect(try Tool.run("top", "--once", "--duration", "1").exit == .code(2))
    }

    @Test("a collector that no longer answers is waited for: it is said once, and the tables go on when it is back")
    func restart() throws {
        var server: CannedServer? = try CannedServer(body: Self.body)
        let port = try #require(server?.port)
        let child = try ChildProcess([
            ChildProcess.builtProgram("ringside"), "top", "--collector", "http://127.0.0.1:\(port)", "--interval",
            "100ms",
        ])
        func tables() -> Int { child.standardOutput.split(separator: "\n").count { $0.hasPrefix("alpha ") } }
        try Watchdog.wait(for: "tables") { tables() >= 2 }
        server = nil
        try Watchdog.wait(for: "word of it") { child.standardError.contains("the figures are of ") }
        let before = tables()
        server = try CannedServer(body: Self.body, port: port)
        try Watchdog.wait(for: "tables again") { tables() >= before + 2 }
        child.send(SIGKILL)
        #expect(try child.wait() == .signal(SIGKILL))
        #expect(child.standardError.split(separator: "\n").count == 1, "\(child.standardError)")
        #expect(server != nil)
    }
}
