import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector that is told to forget a bot, and one whose state others hold or damage") struct ForgetTests {
        private let rings = TemporaryRingDirectory()
        private let state = TemporaryRingDirectory(under: "/tmp")
        private var stateOption: [String] { ["--state-dir", "\(state.path)/state"] }

        private func forget(_ bot: String, _ daemon: Daemon) throws -> (exit: ChildProcess.Exit, said: String) {
            let words = ["forget", bot, "--collector", "http://127.0.0.1:\(daemon.port)"]
            let answer = try run([ChildProcess.builtProgram("ringside")] + words)
            return (answer.exit, answer.output + answer.errors.joined(separator: "\n"))
        }

        @Test(
            "a bot that is gone leaves every page and the state for good; a running one and an unknown one are refused"
        )
        func forgotten() throws {
            let gone = try Demo(rings, ["--name", "gone", "--rate", "2000", "--duration", "1"])
            #expect(try gone.process.wait() == .code(0))
            let alive = try Demo(rings, ["--name", "alive", "--rate", "2000", "--duration", "1", "--linger", "600"])
            _ = try alive.report()
            var daemon = try Daemon(rings, stateOption)
            #expect(try daemon.latestWhenDrained().bots.map(\.bot).sorted() == ["alive1", "gone1"])
            let refused = try forget("alive1", daemon)
            #expect(
                refused.exit == .code(1) && refused.said.contains("status 409") && refused.said.contains("runs (pid"))
            let unknown = try forget("nobody", daemon)
            #expect(unknown.exit == .code(1) && unknown.said.contains("knows no bot 'nobody'. There are alive1, gone1"))
            #expect(try forget("a.b.c", daemon).exit == .code(2))
            let done = try forget("gone1", daemon)
            #expect(done.exit == .code(0) && done.said.contains("gone1 is forgotten"), "\(done.said)")
            for restart in [false, true] {
                if restart {
                    #expect(try daemon.process.end() == .code(0))
                    daemon = try Daemon(rings, stateOption)
                }
                #expect(try daemon.latestWhenDrained().bots.map(\.bot) == ["alive1"])
                for path in ["/metrics", "/latest", "/health"] {
                    #expect(try !daemon.get(path).text.contains("gone1"), "\(path)")
                }
            }
            let get = try HTTPClient.request("/-/forget?bot=alive1", port: daemon.port)
            #expect(get.status == 405)
            let bare = try HTTPClient.request("/-/forget", port: daemon.port, method: "POST")
            #expect(bare.status == 400)
        }

        @Test("a state that another process reads for seconds is waited for, and no total falls")
        func locked() throws {
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1"])
            #expect(try demo.process.wait() == .code(0))
            var daemon = try Daemon(rings, stateOption)
            let before = try daemon.latestWhenDrained()
            #expect(try daemon.process.end() == .code(0))
            let script = """
                import sqlite3, sys, time
                c = sqlite3.connect(sys.argv[1], isolation_level=None)
                c.execute("BEGIN"); c.execute("SELECT count(*) FROM entry").fetchone()
                print("reads", flush=True); time.sleep(600)
                """
            let reader = try ChildProcess(["python3", "-c", script, "\(state.path)/state/state.sqlite"])
            _ = try reader.line(beginning: "reads")
            let process = try Daemon.start(rings, stateOption)
            try Watchdog.wait(for: "word of the lock") {
                process.standardError.contains("another process has locked") || process.hasEnded()
            }
            #expect(!process.hasEnded(), "\(process.standardError)")
            // The collector can be ended meanwhile.
            #expect(try process.end() == .code(0))
            let second = try Daemon.start(rings, stateOption)
            try Watchdog.wait(for: "word of the lock") { second.standardError.contains("another process has locked") }
            _ = try reader.end(by: SIGKILL)
            try Watchdog.wait(for: "the state") { second.standardError.contains("state restored") || second.hasEnded() }
            #expect(try second.end() == .code(0))
            daemon = try Daemon(rings, stateOption)
            let after = try daemon.latestWhenDrained()
            #expect(
                try #require(after.bot("demo1")).totals.differences(from: #require(before.bot("demo1")).totals) == [])
        }

        @Test("after three ends by a fault soon after the start the state is set aside, and the collector works")
        func faults() throws {
            let demo = try Demo(rings, ["--rate", "5000", "--duration", "1"])
            #expect(try demo.process.wait() == .code(0))
            for fault in 0..<3 {
                let process = try ChildProcess(
                    [
                        ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address",
                        "127.0.0.1:0",
                    ] + stateOption)
                try Watchdog.wait(for: "a collector that listens") { process.standardError.contains("msg=listening") }
                #expect(!process.standardError.contains("state set aside"), "after \(fault) faults")
                #expect(try process.end(by: SIGTRAP) == .signal(SIGTRAP))
            }
            let daemon = try Daemon(rings, stateOption)
            #expect(daemon.log.filter { $0.contains("state set aside") && $0.contains("ended repeatedly") }.count == 1)
            #expect(try daemon.get("/health").text.contains("\"state_set_aside\":{\"file\":"))
            #expect(try daemon.get("/metrics").text.contains("\nringside_state_set_aside 1\n"))
            #expect(try daemon.process.end() == .code(0))
            #expect(try Daemon(rings, stateOption).log.contains { $0.contains("state restored") })
        }
    }
}
