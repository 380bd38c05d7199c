import Glibc
import Ringside
import TestSupport
import Testing

@Suite struct ListTests {
    private let directory = TemporaryRingDirectory()

    @Test("list tells a held ring from a closed and an abandoned one, and shows the content of each")
    func states() throws {
        try withTradingRing("closed", in: directory)
        try withTradingRing("alpha.md", in: directory, laps: 3) { _ in
            // The copy has the bytes of a ring that is held, under another name. Nobody holds the copy, and nobody
            // closed it.
            RingFile.make(directory.ring("dead"), RingFile(directory.ring("alpha.md")).bytes())
            let rings = try Tool.list(directory)
            #expect(rings.map(\.ring) == ["alpha.md", "closed", "dead"])
            #expect(rings.map(\.state) == ["up", "closed", "down"])
            #expect(rings.map(\.position) == [12, 4, 12])
            #expect(rings[0].bot == "alpha" && rings[0].lane == "md")
            #expect(rings[1].bot == "closed" && rings[1].lane == "")
            for ring in rings {
                #expect(ring.pid == Int(getpid()))
                #expect(ring.capacity == 16 && ring.metrics == 6 && ring.sampling == "all")
                #expect(ring.rate == 0 && ring.error == nil)
                #expect(try #require(ring.age_seconds) >= 0)
                #expect(ring.backlog == nil && ring.lost == nil)
            }
        }
    }

    @Test("list measures the rate of a ring while it is written")
    func rate() throws {
        let name = directory.ring("busy")
        try withTradingRing("busy", in: directory, capacity: 1024) { _ in
            let file = RingFile(name)
            let child = try ChildProcess([
                ChildProcess.builtProgram("ringside"), "list", "--ring-dir", directory.path, "--interval", "500ms",
            ])
            var position: UInt64 = 4
            try Watchdog.wait(for: "the list") {
                position += 1
                file.setPosition(position)
                return child.hasEnded()
            }
            let row = try #require(child.lines.first { $0.hasPrefix("busy") }).split(separator: " ")
            #expect(row[1] == "up")
            #expect(try #require(Double(row[4])) > 0)
        }
    }

    @Test("a ring that cannot be read is listed with the reason, and the others are listed too")
    func unreadable() throws {
        try withTradingRing("good", in: directory)
        let sound = RingFile(directory.ring("good")).bytes()
        RingFile.make(directory.ring("cut"), [UInt8](sound.prefix(5000)))
        RingFile.make(directory.ring("empty"), [])
        RingFile.make(directory.ring("foreign"), [UInt8](repeating: 0x41, count: 4096))
        mkfifo(directory.ring("pipe"), 0o600)
        symlink(directory.ring("good"), directory.ring("link"))
        let rings = try Tool.list(directory)
        #expect(rings.map(\.ring) == ["cut", "empty", "foreign", "good", "link", "pipe"])
        for ring in rings {
            #expect((ring.state == "unreadable") == (ring.ring != "good"))
            #expect((ring.error == nil) == (ring.ring == "good"))
        }
        let text = try Tool.run("list", "--ring-dir", directory.path)
        #expect(text.exit == .code(0))
        #expect(text.errors == "")
        for name in ["cut", "empty", "foreign", "link", "pipe"] { #expect(text.output.contains("\n\(name): ")) }
    }

    @Test("the sampling of a ring is that of its control words")
    func sampling() throws {
        try withTradingRing("alpha", in: directory)
        let file = RingFile(directory.ring("alpha"))
        func sampling(_ words: [UInt32]) throws -> String? {
            for (id, word) in words.enumerated() { file.setControlWord(word, ofMetric: UInt32(id)) }
            return try Tool.list(directory)[0].sampling
        }
        #expect(try sampling([UInt32](repeating: 0x1000a, count: 6)) == "1/10")
        #expect(try sampling([UInt32](repeating: 0x00001, count: 6)) == "off")
        #expect(try sampling([0x10001, 0x10001, 0x10001, 0x10001, 0x10001, 0x10002]) == "mixed")
        #expect(try sampling([UInt32](repeating: 0x10001, count: 6)) == "all")
    }

    @Test("an empty directory is no failure, a missing one is")
    func directories() throws {
        let empty = try Tool.run("list", "--ring-dir", directory.path)
        #expect(empty.exit == .code(0) && empty.output == "")
        #expect(empty.errors == "ringside list: no ring in \(directory.path)\n")
        #expect(try Tool.list(directory).isEmpty)
        let missing = try Tool.run("list", "--ring-dir", directory.path + "/none")
        #expect(missing.exit == .code(1) && missing.output == "")
        #expect(missing.errors.contains(directory.path + "/none"))
        #expect(missing.errors.contains("--ring-dir"))
    }

    @Test("RINGSIDE_DIR names the directory where no option does")
    func environment() throws {
        try withTradingRing("alpha", in: directory)
        let tool = try Tool.run("list", "--interval", "10ms", environment: ["RINGSIDE_DIR": directory.path])
        #expect(tool.output.contains("\nalpha  closed"))
        #expect(try Tool.run("dump", "alpha", environment: ["RINGSIDE_DIR": directory.path]).exit == .code(0))
    }

    @Test("wrong usage is status 2 and leaves standard output alone")
    func usage() throws {
        for arguments in [
            ["list", "--interval", "0s"], ["list", "--format", "xml"], ["list", "x"], ["dump"], ["dump", "a b"],
            ["dump", "a", "--records", "-1"], ["nothing"], [],
        ] {
            let tool = try Tool.run(arguments)
            #expect(tool.exit == .code(2), "\(arguments)")
            #expect(tool.output == "" && tool.errors.hasPrefix("ringside"), "\(arguments)")
        }
        #expect(try Tool.run("list", "--help").output.contains("Examples:"))
    }
}
