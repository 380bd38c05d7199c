import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct ContentionTests {
    private let directory = TemporaryRingDirectory()

    @Test("a thousand attaches, detaches and failures leave no descriptor and no mapping behind")
    func leaks() throws {
        mkdir(directory.ring("folder"), 0o755)
        RingFile.make(directory.ring("taken"), [1, 2, 3])
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "churn", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
        #expect(try child.wait() == .code(0))
        #expect(child.lines == ["left 0", "mapped 0"])
        #expect(directory.entries() == ["ringside.alpha", "ringside.folder", "ringside.taken"])
    }

    /// Each winner makes a marker that must not exist, so that two winners at once are seen; see the probe's `race`.
    @Test("of thirty processes that attach to one name, one wins at a time, and a reader never sees a half-made ring")
    func race() throws {
        let racers = try (0..<30).map { _ in
            try ChildProcess(
                [ChildProcess.builtProgram("RingProbe"), "race", "alpha", "20"],
                environment: ["RINGSIDE_DIR": directory.path])
        }
        var looks = 0
        try Watchdog.wait(for: "the racers", limitSeconds: 120) {
            looks += try look() ? 1 : 0
            return racers.allSatisfy { $0.hasEnded() }
        }
        var won = 0
        for racer in racers {
            #expect(try racer.wait() == .code(0), "\(racer.standardOutput)")
            won += racer.lines.last.flatMap { Int($0.dropFirst("won ".count)) } ?? 0
        }
        #expect(won >= 20 && looks > 0)
        #expect(directory.entries() == ["ringside.alpha"])
    }

    /// Expects a whole ring under the name at any moment: its geometry is valid, it has a life, and its records are in
    /// order. Returns false if there is no ring.
    private func look() throws -> Bool {
        let segment: Segment
        do {
            segment = try directory.segment()
        } catch RingError.open(_, let number) where number == ENOENT {
            return false
        }
        #expect(segment.lifeCount >= 1 && segment.geometry.capacity == 64)
        #expect(segment.lives().allSatisfy { $0.clock != .none })
        #expect(segment.records().allSatisfy { $0.number >= 0 && $0.number < 10 })
        return true
    }
}
