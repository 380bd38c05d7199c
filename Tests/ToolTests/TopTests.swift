import TestSupport
import Testing

/// What `ringside top` shows of a collector's answer.
@Suite struct TopTests {
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
}
