import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct AttachErrorTests {
    private let directory = TemporaryRingDirectory()

    @Test("a missing directory is named, with what to do about it")
    func missingDirectory() throws {
        let refusal = try #require(directory.refusal("alpha", AttachOptions(directory: "\(directory.path)/none")))
        #expect(refusal.reason == .directoryMissing)
        #expect(refusal.description.contains("\(directory.path)/none") && refusal.description.contains("RINGSIDE_DIR"))
    }

    @Test("a file in the directory's place is a missing directory")
    func fileForDirectory() throws {
        RingFile.make("\(directory.path)/file", [])
        let refusal = directory.refusal("alpha", AttachOptions(directory: "\(directory.path)/file"))
        #expect(refusal?.reason == .directoryMissing)
    }

    @Test(
        "capacities out of range are refused",
        arguments: [0, -1, 1, 3, 1000, 1 << 27, Int.max, Int.min])
    func badCapacity(records: Int) {
        let refusal = directory.refusal("alpha", directory.options(records: records))
        #expect(refusal?.reason == .invalidOption)
        #expect(refusal?.description.contains("power of two from 2 to 67108864") == true)
        #expect(directory.entries() == [])
    }

    @Test("metric capacities out of range are refused", arguments: [0, -1, 32769, Int.max])
    func badMetricCapacity(metrics: Int) {
        let refusal = directory.refusal("alpha", directory.options(metrics: metrics))
        #expect(refusal?.reason == .invalidOption && refusal?.description.contains("1 to 32768") == true)
    }

    @Test("a directory path too long, or with a NUL in it, is refused and never cut")
    func badDirectory() {
        let long = "/tmp/" + String(repeating: "d", count: 600)
        #expect(directory.refusal("alpha", AttachOptions(directory: long))?.reason == .invalidOption)
        #expect(
            directory.refusal("alpha", AttachOptions(directory: "\(directory.path)\0x"))?.reason == .directoryMissing)
    }

    @Test("a bad constant label is refused by its name")
    func badLabel() {
        for labels: Labels in [["le": "1"], ["venue": ""], ["venue": "a\0b"], ["1st": "x"]] {
            let refusal = directory.refusal("alpha", directory.options(labels: labels))
            #expect(refusal?.reason == .invalidOption, "\(labels)")
        }
        #expect(directory.entries() == [])
    }

    @Test("a file that is not a ring is refused, named, and left as it was")
    func notARing() throws {
        RingFile.make(directory.ring("empty"), [])
        RingFile.make(directory.ring("garbage"), Array(repeating: 0x55, count: 10_000))
        RingFile.make(directory.ring("magic"), Array("RINGSIDE".utf8) + Array(repeating: 0xff, count: 5000))
        mkdir(directory.ring("folder"), 0o755)
        mkfifo(directory.ring("pipe"), 0o644)
        symlink("/etc/passwd", directory.ring("link"))
        symlink(directory.ring("nowhere"), directory.ring("dangling"))
        let socket = bindSocket(directory.ring("socket"))
        defer { close(socket) }
        let before = directory.entries()
        for name in ["empty", "garbage", "magic", "folder", "pipe", "link", "dangling", "socket"] {
            let refusal = try #require(directory.refusal(name), "\(name)")
            #expect(refusal.reason == .notARing, "\(name)")
            #expect(refusal.description.contains(directory.ring(name)) && refusal.description.contains("is not a ring"))
        }
        #expect(directory.entries() == before)
        #expect(directory.file("garbage").bytes() == Array(repeating: 0x55, count: 10_000))
    }

    @Test("a second producer is refused with the pid of the first, in this process and in another")
    func alreadyAttached() throws {
        let own = try directory.attach("own")
        let refusal = try #require(directory.refusal("own"))
        #expect(refusal.reason == .alreadyAttached(pid: getpid()))
        #expect(refusal.description.contains("\(getpid())") && refusal.description.contains("another name or lane"))
        #expect(directory.refusal("own", directory.options(mode: .fresh))?.reason == .alreadyAttached(pid: getpid()))
        own.close()

        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "attach", "other", "nap"],
            environment: ["RINGSIDE_DIR": directory.path])
        _ = try child.line(beginning: "ready")
        #expect(directory.refusal("other")?.reason == .alreadyAttached(pid: child.pid))
        child.send(SIGKILL)
        try child.wait()
        #expect(directory.refusal("other") == nil)
    }

    @Test("a directory without write permission, and a ring of another user, are errors to an ordinary user")
    func permission() throws {
        chmod(directory.path, 0o755)
        try directory.attach("private").close()
        let probe = ChildProcess.builtProgram("RingProbe")
        let closed = try OrdinaryUser.run([probe, "attach", "new"], in: directory.path)
        #expect(
            closed.first == (OrdinaryUser.isNeeded ? "refused permissionDenied" : "attached \(directory.ring("new"))"))
        let foreign = try OrdinaryUser.run([probe, "attach", "private"], in: directory.path)
        #expect(
            foreign.first == (OrdinaryUser.isNeeded ? "refused foreignOwner" : "attached \(directory.ring("private"))"))
        if !OrdinaryUser.isNeeded {
            chmod(directory.path, 0o555)
            #expect(directory.refusal("newer")?.reason == .permissionDenied)
            chmod(directory.path, 0o755)
        }
    }

    @Test("root does not write into another user's ring", .enabled(if: geteuid() == 0))
    func foreignOwner() throws {
        try directory.attach().close()
        #expect(chown(directory.ring("alpha"), OrdinaryUser.id, OrdinaryUser.id) == 0)
        let refusal = try #require(directory.refusal())
        #expect(refusal.reason == .foreignOwner)
        #expect(refusal.description.contains("uid \(OrdinaryUser.id)"))
    }

    @Test("an ordinary user has rings like root", .enabled(if: geteuid() == 0))
    func ordinaryUser() throws {
        chmod(directory.path, 0o777)
        let probe = ChildProcess.builtProgram("RingProbe")
        for _ in 0..<2 {
            let lines = try OrdinaryUser.run([probe, "attach", "alpha", "records=3"], in: directory.path)
            #expect(lines == ["attached \(directory.ring("alpha"))", "ready"])
        }
        #expect(try directory.segment().position == 6)
        #expect(directory.refusal()?.reason == .foreignOwner)
    }

    @Test("a full file system is an error at attach, and nothing is left there", .enabled(if: geteuid() == 0))
    func full() throws {
        let mount = try SmallFileSystem(bytes: 1 << 20, at: directory.path)
        let refusal = try #require(directory.refusal("alpha", directory.options(records: nil)))
        #expect(refusal.reason == .noSpace)
        #expect(refusal.description.contains("--shm-size") && refusal.description.contains("4521984 bytes"))
        #expect(directory.entries() == [])
        try directory.attach(records: 1024).close()
        #expect(directory.entries() == ["ringside.alpha"])
        mount.remove()
    }

    @Test("a bot that must trade goes on without telemetry, and is told why")
    func attachOrDisabled() throws {
        var reported: AttachError?
        let telemetry = Telemetry.attachOrDisabled("not a name", options: directory.options()) { reported = $0 }
        let path = telemetry.path
        #expect(reported?.reason == .invalidName && path == nil)
        let counter = try telemetry.counter("hits_total", help: "")
        counter.increment()
    }

    private func bindSocket(_ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        return descriptor
    }
}
