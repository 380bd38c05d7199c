import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

@testable import Drain

/// Rings in the directory that are not read.
@Suite struct SkippedRingTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ name: String) throws -> Telemetry {
        try Telemetry.attach(
            name, options: AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 8))
    }

    @Test(
        "a ring of another user is named with its owner and the option that takes it, and is logged once",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func foreignOwner() throws {
        let own = try attach("own")
        let foreign = try attach("foreign")
        #expect(chown(directory.ring("foreign"), 65534, 65534) == 0)
        let collector = try CollectorHarness(directory)
        for _ in 0..<3 { _ = try collector.settle() }
        let snapshot = try collector.look()
        #expect(snapshot.bots.map(\.name) == ["own"])
        #expect(
            snapshot.collector.skippedRings == [
                SkippedRing(
                    ring: "foreign", reason: .owner, owner: 65534,
                    detail: "owned by uid 65534; add --ring-owner 65534 to read it")
            ])
        let lines = collector.log.split(separator: "\n").filter { $0.contains("ring not read") }
        #expect(lines.count == 1 && lines.first?.contains("owner_uid=65534") == true)
        #expect(chown(directory.ring("foreign"), geteuid(), getegid()) == 0)
        try collector.turn(until: "the ring is read") {
            $0.collector.skippedRings.isEmpty && $0.bot("foreign")?.isUp == true
        }
        own.close()
        foreign.close()
    }

    @Test("each error of opening a ring has its kind of reason")
    func reasons() {
        #expect(RingError.open(path: "r", errno: EACCES).skipReason == .mode)
        #expect(RingError.open(path: "r", errno: EPERM).skipReason == .mode)
        #expect(RingError.open(path: "r", errno: EMFILE).skipReason == .system)
        #expect(RingError.map(path: "r", errno: ENOMEM).skipReason == .system)
        #expect(RingError.geometry(path: "r", what: "x").skipReason == .damaged)
        #expect(RingError.unpublished(path: "r").skipReason == .unfinished)
        #expect(RingError.otherVersion(path: "r", major: 9, minor: 0, expected: 1).skipReason == .version)
    }

    @Test("a ring that cannot be opened is named with its owner and its mode")
    func mode() throws {
        RingFile.make(directory.ring("shut"), [0])
        #expect(chmod(directory.ring("shut"), 0o200) == 0)
        let name = try #require(RingName("shut"))
        var skipped = SkippedRings(
            directory: RingDirectory(path: directory.path), logger: .init(level: .error, descriptor: -1))
        skipped.add(name, RingError.open(path: directory.ring("shut"), errno: EACCES))
        let ring = try #require(skipped.all.first)
        #expect(ring.reason == .mode && ring.owner == geteuid())
        #expect(ring.detail.contains("owned by uid \(geteuid()) with mode 200"))
        skipped.keep([])
        #expect(skipped.all.isEmpty)
    }

    @Test("a ring for whose bot there is no room is named with the bound")
    func limit() throws {
        let path = "\(directory.path)/configuration"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let text = "{ max_bots: 1 }"
        #expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
        let first = try attach("first")
        let second = try attach("second")
        let collector = try CollectorHarness(
            directory,
            configuration: try ConfigurationFile(path: path, logger: .init(level: .error, descriptor: -1)))
        let snapshot = try collector.settle()
        #expect(snapshot.collector.skippedRings.map(\.reason) == [.limit])
        #expect(snapshot.collector.skippedRings.first?.detail.contains("max_bots") == true)
        first.close()
        second.close()
    }
}
