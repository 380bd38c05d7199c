import Glibc
import TestSupport
import Testing

@Suite("Colours and progress on a terminal") struct TerminalTests {
    private let directory = TemporaryRingDirectory(under: "/tmp")

    @Test("colours are used where --color says so, and without it never in a pipe")
    func colours() throws {
        try withTradingRing("alpha", in: directory)
        for verb in [["list"], ["dump", "alpha"], ["doctor"]] {
            var arguments = verb + ["--ring-dir", directory.path]
            if verb[0] != "dump" { arguments += ["--interval", "10ms", "--collector", "http://127.0.0.1:1"] }
            func output(_ color: [String]) throws -> String {
                try Tool.run(arguments + color, environment: ["NO_COLOR": "1"]).output
            }
            let plain = try output([])
            #expect(!plain.isEmpty && !plain.contains("\u{1B}"), "\(verb)")
            #expect(try !output(["--color", "never"]).contains("\u{1B}"), "\(verb)")
            let coloured = try output(["--color", "always"])
            #expect(coloured.contains("\u{1B}[") && coloured.contains("\u{1B}[0m"), "\(verb)")
        }
        let wrong = try Tool.run("list", "--color", "sometimes")
        #expect(wrong.exit == .code(2) && wrong.errors.contains("auto, always, never"))
    }

    @Test("top is a screen on a terminal: it obeys keys, follows a resize, and gives the terminal back")
    func screen() throws {
        let name = String(repeating: "n", count: 60) + "_seconds"
        let window = #"{"count":5,"rate":1,"lost":0,"complete":true,"p50":1,"p95":1,"p99":1,"p999":1,"max":1}"#
        let metric = """
            {"name":"\(name)","kind":"histogram","unit":"seconds","labels":{},"windows":{"5s":\(window)}}
            """
        let server = try CannedServer(
            body: """
                {"time":1.5,"bots":[{"bot":"alpha","up":true,"labels":{},"rings":[],"metrics":[\(metric)]}],"slo":[],"alerts":[]}
                """)
        let (keys, terminal, pid) = ("\(directory.path)/keys", "\(directory.path)/tty", "\(directory.path)/pid")
        try #require(mkfifo(keys, 0o600) == 0)
        // Open for both ends, so that neither side waits for the other.
        let pipe = open(keys, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        func press(_ text: String) { _ = write(pipe, text, text.utf8.count) }
        let work = """
            tty > '\(terminal)'; echo $$ > '\(pid)'; stty rows 24 cols 80
            exec '\(ChildProcess.builtProgram("ringside"))' top --collector \(server.url) --interval 100ms
            """
        let child = try ChildProcess(
            ["/bin/sh", "-c", #"exec script --quiet --flush --return --command "$WORK" /dev/null < "$KEYS""#],
            environment: ["WORK": work, "KEYS": keys, "TERM": "xterm"])
        defer { end(pid, child) }
        try Watchdog.wait(for: "the screen") { child.standardOutput.contains("P99.9") }
        #expect(!child.standardOutput.contains("MAX"))
        let device = try #require(
            String(decoding: RingFile(terminal).bytes(), as: UTF8.self).split(separator: "\n").first)
        let resize = try ChildProcess(["/bin/stty", "-F", String(device), "rows", "30", "cols", "140"])
        #expect(try resize.wait() == .code(0))
        try Watchdog.wait(for: "a wider table") { child.standardOutput.contains("MAX") }
        press("?")
        try Watchdog.wait(for: "help") { child.standardOutput.contains("Any key closes this.") }
        press("?")
        press("/nothing\r")
        try Watchdog.wait(for: "the filter") { child.standardOutput.contains("no bot and no instrument") }
        press("q")
        #expect(try child.wait() == .code(0), "\(child.standardOutput.suffix(300))")
        #expect(child.standardOutput.contains("\u{1B}[?1049l"))
    }

    /// Ends a command that script(1) runs, and script itself.
    private func end(_ file: String, _ child: ChildProcess) {
        let pid = String(decoding: RingFile(file).bytes(), as: UTF8.self).split(separator: "\n").first
        if !child.hasEnded(), let pid = pid.flatMap({ Int32($0) }), pid > 1 { kill(pid, SIGKILL) }
        child.send(SIGKILL)
    }

    @Test("long work shows its progress on a terminal")
    func progress() throws {
        let tool = ChildProcess.builtProgram("ringside")
        let file = "\(directory.path)/pid"
        // script(1) gives the command a terminal, and copies what it shows. The command outlives it, so its own pid is
        // needed.
        let work = "echo $$ > '\(file)'; exec '\(tool)' import --generate 1000000000 > /dev/null"
        let child = try ChildProcess(["/usr/bin/script", "--quiet", "--flush", "--command", work, "/dev/null"])
        defer { end(file, child) }
        try Watchdog.wait(for: "the progress") { child.standardOutput.contains(" rows/s, ") }
        #expect(child.standardOutput.contains("ringside import: 0 %, "))
        #expect(child.standardOutput.contains(" of 1000000000 rows, "))
    }
}
