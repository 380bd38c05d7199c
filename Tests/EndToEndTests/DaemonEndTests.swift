import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("How a collector ends") struct DaemonEnd {
        private let rings = TemporaryRingDirectory()

        @Test("SIGTERM ends it with status 0, once the records in the rings are drained", arguments: [SIGTERM, SIGINT])
        func orderly(signal: Int32) throws {
            let daemon = try Daemon(rings)
            let demo = try Demo(rings, ["--rate", "20000", "--duration", "1"])
            try daemon.latest(when: "the bot's ring") { $0.bot("demo1") != nil }
            // A stopped collector drains nothing, so all later records are left for its last turn.
            daemon.process.send(SIGSTOP)
            #expect(try demo.process.wait() == .code(0))
            let records = try demo.report().ring("demo1").records
            daemon.process.send(signal)
            daemon.process.send(SIGCONT)
            #expect(try daemon.process.wait() == .code(0))
            let last = try #require(daemon.log.first { $0.contains("msg=\"last drain\"") })
            #expect(last.contains(" rings=1 drained=\(records) lost=0"))
        }

        @Test("a port that is taken is one line and status 1")
        func takenPort() throws {
            let daemon = try Daemon(rings)
            let second = try refused(["--ring-dir", rings.path, "--web.listen-address", "127.0.0.1:\(daemon.port)"])
            #expect(second.exit == .code(1))
            #expect(second.errors.count == 1)
            #expect(second.errors.first?.contains("127.0.0.1:\(daemon.port)") == true)
            #expect(second.errors.first?.contains("--web.listen-address") == true)
        }

        @Test("a ring directory that is not there is one line and status 1")
        func missingDirectory() throws {
            let missing = "\(rings.path)/missing"
            let daemon = try refused(["--ring-dir", missing, "--web.listen-address", "127.0.0.1:0"])
            #expect(daemon.exit == .code(1))
            #expect(daemon.errors.count == 1)
            #expect(daemon.errors.first?.contains(missing) == true)
            #expect(daemon.errors.first?.contains("--ring-dir") == true)
        }

        @Test(
            "wrong usage is one line and status 2",
            arguments: [
                ["--ring-dri", "/tmp"], ["--ring-dir"], ["operand"], ["--web.listen-address", "127.0.0.1:99999"],
            ])
        func wrongUsage(arguments: [String]) throws {
            let daemon = try refused(arguments)
            #expect(daemon.exit == .code(2))
            #expect(daemon.errors.count == 1)
            #expect(daemon.errors.first?.contains("ringsided --help") == true)
        }

        private func refused(_ arguments: [String]) throws -> (exit: ChildProcess.Exit, errors: [Substring]) {
            let (exit, output, errors) = try run([ChildProcess.builtProgram("ringsided")] + arguments)
            #expect(output == "")
            return (exit, errors)
        }
    }
}
