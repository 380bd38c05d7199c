import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

@Suite struct HostSwitchTests {
    private let directory = TemporaryRingDirectory()
    private var path: String { "\(directory.path)/.ringside-control" }
    private var text: String? {
        access(path, F_OK) == 0 ? String(decoding: RingFile(path).bytes(), as: UTF8.self) : nil
    }

    @Test("--all changes every ring, dead ones too, and those made later; --enable removes the switch again")
    func all() throws {
        try withTradingRing("dead", in: directory)
        try withTradingRing("alpha.md", in: directory) { _ in
            let off = try Tool.control(directory, "--all", "--disable")
            #expect(off.host_switch == "off" && off.rings.map(\.ring) == ["alpha.md", "dead"])
            #expect(text == "off\n")
            try withTradingRing("later", in: directory)
            #expect(try Tool.list(directory).map(\.sampling) == ["off", "off", "off"])
            #expect(try Tool.dump(directory.ring("later")).records_held == 0)
            // The dead ring obeys if it is resumed, and also as a fresh ring.
            try withTradingRing("dead", in: directory)
            #expect(try Tool.dump(directory.ring("dead")).records_held == 4)
            #expect(try Tool.control(directory, "--all", "--enable").host_switch == nil)
            #expect(text == nil && directory.entries() == ["ringside.alpha.md", "ringside.dead", "ringside.later"])
            #expect(try Tool.list(directory).map(\.sampling) == ["all", "all", "all"])
        }
    }

    @Test("a ring that is made while the switch is turned obeys it, whichever comes first")
    func racing() throws {
        for round in 0..<10 {
            let isOff = round % 2 == 0
            let bots = try (0..<6).map { bot in
                try ChildProcess(
                    [ChildProcess.builtProgram("RingProbe"), "attach", "bot\(bot)", "fresh"],
                    environment: ["RINGSIDE_DIR": directory.path, "RINGSIDE_CAPACITY": "1024"])
            }
            // The moment differs in each round: some, all or none of the bots are through by then.
            usleep(useconds_t(round * 700))
            let turned = isOff ? "--disable" : "--enable"
            #expect(try Tool.run("control", "--all", turned, "--ring-dir", directory.path).exit == .code(0))
            for bot in bots { #expect(try bot.wait() == .code(0)) }
            let words = try Tool.control(directory, "--all").rings.map(\.default.enabled)
            #expect(words == [Bool](repeating: !isOff, count: 6), "round \(round)")
        }
    }

    @Test("the switch has both settings: it keeps the one not changed, and a new bot gets both")
    func independent() throws {
        #expect(try Tool.control(directory, "--all", "--sampling", "10%").host_switch == "1/10")
        #expect(try Tool.control(directory, "--all", "--disable").host_switch == "off 1/10")
        try withTradingRing("alpha", in: directory)
        let word = try Tool.control(directory, "alpha").rings[0].default
        #expect(word == ControlDocument.Word(enabled: false, sampling_n: 10))
        #expect(try Tool.control(directory, "--all", "--enable").host_switch == "1/10")
        #expect(try Tool.list(directory)[0].sampling == "1/10")
        #expect(try Tool.control(directory, "--all", "--sampling", "1/1").host_switch == nil)
        #expect(text == nil)
    }

    @Test("the switch is of mode 0644 whatever the umask, and shown without being changed")
    func shown() throws {
        let tool = try ChildProcess(
            ["sh", "-c", "umask 077; exec \"$@\"", "sh", ChildProcess.builtProgram("ringside"), "control", "--all"]
                + ["--disable", "--ring-dir", directory.path])
        #expect(try tool.wait() == .code(0))
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o7777 == 0o644)
        let shown = try Tool.run("control", "--all", "--ring-dir", directory.path)
        #expect(shown.exit == .code(0) && shown.errors.contains("host-wide switch says off"))
        #expect(text == "off\n")
    }

    @Test("another user's switch is an error that names its owner", .enabled(if: geteuid() == 0))
    func foreign() throws {
        chmod(directory.path, 0o777)
        _ = try Tool.control(directory, "--all", "--sampling", "1/2")
        let child = try ChildProcess(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ChildProcess.builtProgram("ringside")]
                + ["control", "--all", "--disable", "--ring-dir", directory.path])
        #expect(try child.wait() == .code(1))
        #expect(child.standardError.contains("belongs to root (uid 0)"))
        #expect(text == "1/2\n" && directory.entries() == [".ringside-control"])
    }

    @Test("a switch that makes no sense is replaced, and a link in its place is not followed")
    func odd() throws {
        RingFile.make(path, Array("whatever\n".utf8))
        #expect(try Tool.control(directory, "--all").host_switch == nil)
        #expect(try Tool.control(directory, "--all", "--sampling", "1/4").host_switch == "1/4")
        unlink(path)
        RingFile.make("\(directory.path)/elsewhere", Array("kept".utf8))
        symlink("\(directory.path)/elsewhere", path)
        #expect(try Tool.control(directory, "--all", "--disable").host_switch == "off")
        #expect(String(decoding: RingFile("\(directory.path)/elsewhere").bytes(), as: UTF8.self) == "kept")
    }
}
