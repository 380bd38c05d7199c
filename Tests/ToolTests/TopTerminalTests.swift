import Glibc
import Ringside
import TestSupport
import Testing

/// Tests `ringside top` in a terminal, as a person uses it.
@Suite("top in a terminal") struct TopTerminalTests {
    private let directory = TemporaryRingDirectory()

    private static func body(_ bot: String) -> String {
        """
        {"time":1.5,"bots":[{"bot":"\(bot)","up":true,"labels":{},"rings":[],"metrics":[]}],"slo":[],"alerts":[]}
        """
    }

    private func window(_ arguments: [String], columns: Int = 80, rows: Int = 24) throws -> TerminalWindow {
        try TerminalWindow(
            [
                ChildProcess.builtProgram("ringside"), "top", "--ring-dir", directory.path, "--interval", "100ms",
                "--duration", "300",
            ] + arguments, columns: columns, rows: rows)
    }

    private func attach(_ bot: String) throws -> Telemetry {
        try Telemetry.attach(bot, options: AttachOptions(directory: directory.path))
    }

    private func recordStages(_ telemetry: borrowing Telemetry) throws {
        for stage in ["orders_submit_to_ack_latency_seconds", "orders_intent_to_submit_latency_seconds"] {
            let histogram = try telemetry.durationHistogram(stage, help: "A stage.", labels: ["symbol": "AAPL"])
            for _ in 0..<100 { histogram.record(.microseconds(200)) }
        }
    }

    @Test(
        "the rings stand in for a collector until it answers, its old figures stay when it is gone, and keys are obeyed"
    )
    func source() throws {
        let telemetry = try attach("alpha")
        let histogram = try telemetry.durationHistogram("decide_seconds", help: "Decisions.")
        for _ in 0..<1000 { histogram.record(.milliseconds(2)) }
        var server: CannedServer? = try CannedServer(body: Self.body("beta"))
        let port = try #require(server?.port)
        server = nil
        let window = try window(["--collector", "http://127.0.0.1:\(port)", "--window", "1m"])
        try window.wait(for: "the rings' figures") {
            $0.contains("no collector answers at http://127.0.0.1:\(port)") && $0.contains("read since")
                && $0.contains("alpha  up") && $0.contains("decide") && $0.contains("  ms  ")
        }
        server = try CannedServer(body: Self.body("beta"), port: port)
        try window.wait(for: "the collector's figures") {
            $0.contains("beta  up") && !$0.contains("alpha") && !$0.contains("no collector")
        }
        server = nil
        try window.wait(for: "word of its absence") { $0.contains("old figures, of ") && $0.contains("beta  up") }
        try window.press("?")
        try window.wait(for: "help") { $0.contains("Any key closes this.") }
        try window.press("?")
        try window.wait(for: "the figures again") { $0.contains("beta  up") }
        try window.press("q")
        #expect(try window.status() == "status 0")
        #expect(server == nil)
        telemetry.close()
    }

    @Test("a collector that hangs, is killed and is started again keeps no key waiting, and its figures come back")
    func collector() throws {
        let telemetry = try attach("alpha")
        try recordStages(telemetry)
        let port = try CannedServer(body: "").port
        func startCollector() throws -> ChildProcess {
            try ChildProcess([
                ChildProcess.builtProgram("ringsided"), "--ring-dir", directory.path, "--web.listen-address",
                "127.0.0.1:\(port)",
            ])
        }
        let window = try window(["--collector", "http://127.0.0.1:\(port)", "--window", "1m"])
        func waitForCollector() throws {
            try window.wait(for: "the collector's figures") {
                $0.contains("http://127.0.0.1:\(port)  ") && $0.contains("alpha  up") && !$0.contains("old figures")
            }
        }
        try window.wait(for: "the rings' figures") { $0.contains("no collector answers") && $0.contains("alpha  up") }
        let first = try startCollector()
        try waitForCollector()
        first.send(SIGSTOP)
        try window.wait(for: "word of its silence") { $0.contains("old figures, of ") }
        try window.press("?")
        try window.wait(for: "help") { $0.contains("Any key closes this.") }
        try window.press("?")
        try window.wait(for: "the figures again") { $0.contains("alpha  up") && $0.contains("old figures, of ") }
        first.send(SIGCONT)
        try waitForCollector()
        first.send(SIGKILL)
        #expect(try first.wait() == .signal(SIGKILL))
        try window.wait(for: "word of its end") { $0.contains("old figures, of ") && !$0.contains("read since") }
        let second = try startCollector()
        try waitForCollector()
        try window.press("q")
        #expect(try window.status() == "status 0")
        second.send(SIGTERM)
        #expect(try second.wait() == .code(0))
        telemetry.close()
    }

    @Test("keys rank, choose the window, and pause")
    func keys() throws {
        let telemetry = try attach("alpha")
        try recordStages(telemetry)
        let window = try window(["--collector", "http://127.0.0.1:1", "--window", "1m"], columns: 120, rows: 40)
        try window.wait(for: "the screen") { $0.contains("window 1m") && $0.contains("alpha  up") }
        try window.press("w")
        try window.wait(for: "the next window") { $0.contains("window 1s") }
        try window.press("s")
        try window.wait(for: "a ranking") { $0.contains("by rate") }
        try window.press("<", "<")
        try window.wait(for: "the last ranking") { $0.contains("by lost") }
        try window.press("Space")
        try window.wait(for: "the pause") { $0.contains("PAUSED") }
        try window.press("3")
        try window.wait(for: "a window during the pause") { $0.contains("PAUSED") && $0.contains("window 1m") }
        try window.press("Space")
        try window.wait(for: "the end of the pause") { $0.contains("window 1m") && !$0.contains("PAUSED") }
        try window.press("q")
        #expect(try window.status() == "status 0")
        telemetry.close()
    }

    @Test("every size has the percentiles and the bots' names; Ctrl-C ends it like q")
    func sizes() throws {
        let alpha = try attach("alpha"), beta = try attach("beta")
        try recordStages(alpha)
        try recordStages(beta)
        let window = try window(["--collector", "http://127.0.0.1:1", "--window", "1m"])
        func shows(_ text: String) -> Bool {
            let rows = text.split(separator: "\n").filter { $0.contains("to_sub") || $0.contains("to_ack") }
            return text.contains("P99.9") && rows.count == 4 && Set(rows).count == 4
                && rows.allSatisfy { $0.hasPrefix("alpha") || $0.hasPrefix("beta") }
        }
        try window.wait(for: "80 columns") { shows($0) && !$0.contains("symbol") }
        try window.resize(columns: 120, rows: 40)
        try window.wait(for: "120 columns") { shows($0) && $0.contains("MAX") && $0.contains("symbol=AAPL") }
        try window.resize(columns: 62, rows: 20)
        try window.wait(for: "62 columns") { shows($0) && !$0.contains("symbol") }
        try window.press("C-c")
        #expect(try window.status() == "status 0")
        alpha.close()
        beta.close()
    }
}
