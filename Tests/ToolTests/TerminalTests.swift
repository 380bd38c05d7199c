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

    @Test("long work shows its progress on a terminal")
    func progress() throws {
        let tool = ChildProcess.builtProgram("ringside")
        let file = "\(directory.path)/pid"
        // script(1) gives the command a terminal, and copies what it shows. The command outlives it, so its own pid is
        // needed.
        let work = "echo $$ > '\(file)'; exec '\(tool)' import --generate 1000000000 > /dev/null"
        let child = try ChildProcess(["/usr/bin/script", "--quiet", "--flush", "--command", work, "/dev/null"])
        defer {
            let pid = String(decoding: RingFile(file).bytes(), as: UTF8.self).split(separator: "\n").first
            if let pid = pid.flatMap({ Int32($0) }), pid > 1 { kill(pid, SIGKILL) }
            child.send(SIGKILL)
        }
        try Watchdog.wait(for: "the progress") { child.standardOutput.contains(" rows/s, ") }
        #expect(child.standardOutput.contains("ringside import: 0 %, "))
        #expect(child.standardOutput.contains(" of 1000000000 rows, "))
    }
}
