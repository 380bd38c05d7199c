import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Rings that appear, and files that are not rings") struct RingArrival {
        private let rings = TemporaryRingDirectory()

        /// Starts a bot that emits for a short time and stays.
        private func bot(_ name: String, _ options: [String] = []) throws -> Demo {
            try Demo(rings, ["--name", name, "--rate", "1000", "--duration", "0.2", "--linger", "600"] + options)
        }

        @Test("rings made before, while and after the collector starts are all drained")
        func anyOrder() throws {
            let closed = try Demo(rings, ["--name", "closed", "--rate", "1000", "--duration", "0.2"])
            #expect(try closed.process.wait() == .code(0))
            let before = try bot("before")
            _ = try before.report()
            let meanwhile = try bot("meanwhile")
            let daemon = try Daemon(rings)
            let after = try bot("after")
            for (name, demo) in [
                ("closed1", closed), ("before1", before), ("meanwhile1", meanwhile), ("after1", after),
            ] {
                let records = try demo.report().ring(name).records
                let latest = try daemon.latest(when: "all records of \(name)") {
                    $0.bot(name)?.rings.first?.drained == records
                }
                #expect(latest.bot(name)?.up == (name != "closed1"))
            }
        }

        @Test("a collector that is told to read one ring reads that one alone")
        func oneRing() throws {
            let demo = try bot("demo", ["--bots", "3"])
            _ = try demo.report()
            let daemon = try Daemon(rings, ["--ring", "demo2"])
            try daemon.latest(when: "the ring asked for") { $0.bot("demo2") != nil }
            #expect(try daemon.latest().bots.map(\.bot) == ["demo2"])
        }

        @Test("a ring that is asked for and is not there is named, with the nearest one, and read when it appears")
        func absentRing() throws {
            let demo = try bot("alpha")
            _ = try demo.report()
            let daemon = try Daemon(rings, ["--ring", "alhpa1", "--ring", "alpha1", "--ring", "late1"])
            try daemon.latest(when: "the ring that is there") { $0.bot("alpha1") != nil }
            let absent = daemon.log.filter { $0.contains("no ring has this name yet") }
            #expect(absent.count == 2, "\(absent)")
            #expect(absent.first?.contains("ring=alhpa1 did_you_mean=alpha1") == true, "\(absent)")
            let late = try bot("late")
            _ = try late.report()
            try daemon.latest(when: "the ring that came later") { $0.bot("late1") != nil }
            #expect(try daemon.process.end() == .code(0))
        }

        @Test("files with a ring's name that are not rings are reported once each, and do no harm")
        func strangers() throws {
            let junk = [UInt8](repeating: 0x5a, count: 300_000)
            RingFile.make(rings.ring("junk"), junk)
            RingFile.make(rings.ring("empty"), [])
            #expect(mkfifo(rings.ring("fifo"), 0o640) == 0)
            #expect(symlink("/etc/passwd", rings.ring("link")) == 0)
            #expect(mkdir(rings.ring("folder"), 0o750) == 0)
            let daemon = try Daemon(rings)
            // Each new bot makes the collector scan the directory again.
            for name in ["first", "second", "third"] {
                let demo = try bot(name)
                let records = try demo.report().ring("\(name)1").records
                try daemon.latest(when: "all records of \(name)") {
                    $0.bot("\(name)1")?.rings.first?.drained == records
                }
            }
            for stranger in ["junk", "empty", "fifo", "link", "folder"] {
                #expect(daemon.log.filter { $0.contains("ring=\(stranger) ") }.count == 1, "\(stranger)")
            }
            #expect(RingFile(rings.ring("junk")).bytes() == junk)
            #expect(try daemon.latest().bots.map(\.bot) == ["first1", "second1", "third1"])
            #expect(try daemon.process.end() == .code(0))
        }
    }
}
