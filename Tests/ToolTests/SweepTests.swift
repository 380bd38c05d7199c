import CRingside
import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

struct SweepDocument: Decodable {
    struct Removed: Decodable {
        let file, state: String
        let ring: String?
        let age_seconds: Double
        let bytes: Int
    }

    struct Left: Decodable {
        let file, reason: String
    }

    let dry_run: Bool
    let live, too_young, bytes: Int
    let removed: [Removed]
    let left_alone, failed: [Left]
}

extension Tool {
    static func sweep(_ directory: TemporaryRingDirectory, _ more: String...) throws -> SweepDocument {
        let tool = try run(["sweep", "--ring-dir", directory.path, "--format", "json"] + more)
        guard tool.exit == .code(0) || !tool.output.isEmpty else { throw Failed(errors: tool.errors) }
        return try JSONDecoder().decode(SweepDocument.self, from: Data(tool.output.utf8))
    }
}

@Suite struct SweepTests {
    private let directory = TemporaryRingDirectory()

    /// Makes a ring that nobody closed and nobody holds.
    private func makeDeadRing(_ name: String) throws {
        try withTradingRing("sound", in: directory) { _ in
            RingFile.make(directory.ring(name), RingFile(directory.ring("sound")).bytes())
        }
        unlink(directory.ring("sound"))
    }

    @Test("rings without an owner go, a live one stays, and a dry run only says so")
    func removal() throws {
        try makeDeadRing("dead")
        try withTradingRing("closed", in: directory)
        try withTradingRing("live.md", in: directory) { telemetry in
            let counter = try telemetry.counter("more_total", help: "More.")
            let dry = try Tool.sweep(directory, "--dry-run")
            #expect(dry.dry_run && dry.live == 1 && dry.removed.map(\.ring) == ["closed", "dead"])
            #expect(directory.entries() == ["ringside.closed", "ringside.dead", "ringside.live.md"])
            let swept = try Tool.sweep(directory)
            #expect(!swept.dry_run && swept.live == 1 && swept.failed.isEmpty && swept.left_alone.isEmpty)
            #expect(swept.removed.map(\.state) == ["closed", "down"])
            #expect(swept.removed.allSatisfy { $0.age_seconds >= 0 && $0.age_seconds < 3600 && $0.bytes > 100_000 })
            #expect(swept.bytes == swept.removed.reduce(0) { $0 + $1.bytes })
            #expect(directory.entries() == ["ringside.live.md"])
            counter.increment()
            #expect(try Tool.dump(directory.ring("live.md")).state == "up")
        }
        let text = try Tool.run("sweep", "--ring-dir", directory.path)
        #expect(text.exit == .code(0) && text.output.contains("ringside.live.md  closed"))
        #expect(text.errors.contains("removed 1 file"))
        let nothing = try Tool.run("sweep", "--ring-dir", directory.path)
        #expect(nothing.exit == .code(0) && nothing.output == "" && directory.entries().isEmpty)
    }

    @Test("with --closed-only a crashed bot's ring stays, and a dry run names the capture that saves it")
    func closedOnly() throws {
        try makeDeadRing("dead")
        try withTradingRing("closed", in: directory)
        let dry = try Tool.run("sweep", "--ring-dir", directory.path, "--dry-run")
        #expect(dry.errors.contains("'ringside capture dead'"))
        #expect(!dry.errors.contains("'ringside capture closed'"))
        let swept = try Tool.sweep(directory, "--closed-only")
        #expect(swept.removed.map(\.ring) == ["closed"])
        #expect(directory.entries() == ["ringside.dead"])
    }

    @Test("the age of a ring is the time since its bot's last activity, a record or its attach")
    func age() throws {
        try withTradingRing("records", in: directory)
        let records = RingFile(directory.ring("records"))
        #expect(try Tool.sweep(directory, "--older-than", "1h").too_young == 1)
        // Both the attach and, by its clock, all records are moved two hours back.
        for offset in [16, 24] as [UInt64] {
            let anchor = records.header().lives.offset + offset
            records.write(records.read(at: anchor, as: UInt64.self) &- 7_200_000_000_000, at: anchor)
        }
        #expect(try Tool.sweep(directory, "--older-than", "3h").removed.isEmpty)
        // One record is made an hour later than that attach.
        let ticks = try #require(try Tool.dump(records.path, "-n", "9").records[0].ticks)
        records.write(ticks + UInt64(3600 * TickClock.ticksPerSecond), at: records.header().records.offset)
        #expect(try Tool.sweep(directory, "--older-than", "90m").too_young == 1)
        let swept = try Tool.sweep(directory, "--older-than", "30m")
        #expect((3500..<3700).contains(try #require(swept.removed.first).age_seconds))
    }

    @Test(
        "a wall clock that was set since the attach makes no ring of this boot older or younger",
        arguments: [-365 * 86_400, 365 * 86_400] as [Int64])
    func step(seconds: Int64) throws {
        try withTradingRing("records", in: directory)
        let records = RingFile(directory.ring("records"))
        let anchor = records.header().lives.offset + 24
        let time = Int64(records.read(at: anchor, as: UInt64.self)) + seconds * 1_000_000_000
        records.write(UInt64(time), at: anchor)
        #expect(try Tool.sweep(directory, "--older-than", "1h").too_young == 1)
        #expect(try Tool.sweep(directory).removed.count == 1)
    }

    @Test("a file that is not a ring of this version is left alone and reported")
    func foreign() throws {
        try withTradingRing("later", in: directory)
        RingFile(directory.ring("later")).write(UInt32(7 << 16), at: 12)
        RingFile.make(directory.ring("empty"), [])
        RingFile.make(directory.ring("text"), [UInt8](repeating: 65, count: 5000))
        RingFile.make(directory.ring("not a name"), [])
        RingFile.make(directory.path + "/.ringside-control", [])
        RingFile.make(directory.path + "/somebody", [])
        mkdir(directory.ring("folder"), 0o700)
        mkfifo(directory.ring("pipe"), 0o600)
        symlink("somebody", directory.ring("link"))
        let before = directory.entries()
        let swept = try Tool.sweep(directory)
        #expect(swept.removed.isEmpty && swept.failed.isEmpty && directory.entries() == before)
        let left = ["empty", "folder", "later", "link", "not a name", "pipe", "text"].map { "ringside.\($0)" }
        #expect(swept.left_alone.map(\.file) == left)
        let text = try Tool.run("sweep", "--ring-dir", directory.path)
        #expect(text.exit == .code(0) && text.output == "")
        for file in left { #expect(text.errors.contains("left \(file) alone: ")) }
    }

    @Test("a damaged ring without an owner goes too")
    func damaged() throws {
        try withTradingRing("cut", in: directory)
        let bytes = RingFile(directory.ring("cut")).bytes()
        for kept in [512, 5000, 200_000] {
            RingFile.make(directory.ring("cut"), [UInt8](bytes.prefix(kept)))
            #expect(try Tool.sweep(directory).removed.map(\.file) == ["ringside.cut"])
        }
        RingFile.make(directory.ring("cut"), bytes)
        for offset in stride(from: 256, to: 272, by: 8) {
            RingFile(directory.ring("cut")).write(UInt64.max, at: UInt64(offset))
        }
        #expect(try Tool.sweep(directory).removed.count == 1)
    }

    @Test("the remains of an unfinished ring are removed after a minute, unless it is being made")
    func temporaries() throws {
        func make(_ name: String, minutesOld: Int) -> String {
            let path = "\(directory.path)/.ringside-new-\(name)"
            RingFile.make(path, [1, 2, 3])
            let time = timespec(tv_sec: Glibc.time(nil) - 60 * minutesOld - 1, tv_nsec: 0)
            utimensat(AT_FDCWD, path, [time, time], 0)
            return path
        }
        _ = make("0000000000000001", minutesOld: 2)
        _ = make("0000000000000002", minutesOld: 0)
        let held = open(make("0000000000000003", minutesOld: 2), O_RDWR | O_CLOEXEC)
        defer { close(held) }
        #expect(ringside_claim(held) == 0)
        let swept = try Tool.sweep(directory)
        #expect(
            swept.removed.map(\.file) == [".ringside-new-0000000000000001"] && swept.removed[0].state == "unfinished")
        #expect(swept.live == 1 && swept.too_young == 1 && directory.entries().count == 2)
        #expect(ringside_end_claim(held) == 0)
        #expect(try Tool.sweep(directory, "--older-than", "10m").removed.isEmpty)
        #expect(try Tool.sweep(directory).removed.count == 1)
    }

    @Test(
        "another user's ring is an error, unless its bot lives",
        .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "giving up root needs root and setpriv"))
    func permission() throws {
        chmod(directory.path, 0o755)
        try withTradingRing("theirs", in: directory)
        let sweep = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ChildProcess.builtProgram("ringside"),
            "sweep",
            "--ring-dir", directory.path,
        ]
        let child = try ChildProcess(sweep)
        #expect(try child.wait() == .code(1) && child.standardOutput == "")
        #expect(child.standardError.contains("ringside.theirs cannot be claimed, which is of uid 0: Permission denied"))
        #expect(directory.entries() == ["ringside.theirs"])
        try withTradingRing("theirs", in: directory) { _ in
            chmod(directory.ring("theirs"), 0o644)
            let other = try ChildProcess(sweep)
            #expect(try other.wait() == .code(0))
        }
    }

    @Test("a missing directory is an error")
    func noDirectory() throws {
        let tool = try Tool.run("sweep", "--ring-dir", directory.path + "/none")
        #expect(tool.exit == .code(1) && tool.output == "" && tool.errors.contains(directory.path + "/none"))
        #expect(try Tool.run("sweep", "alpha").exit == .code(2))
    }
}
