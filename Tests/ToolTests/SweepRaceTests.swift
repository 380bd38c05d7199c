import Glibc
import RingReader
import Ringside
import Synchronization
import TestSupport
import Testing

@Suite struct SweepRaceTests {
    private let directory = TemporaryRingDirectory()

    @Test("no ring is ever removed from under a bot that attaches and detaches all the time")
    func race() throws {
        let path = directory.ring("alpha")
        let bot = RestlessBot("alpha", in: directory)
        defer { bot.stop() }
        // Removals are made as fast as possible, and the tool itself runs among them.
        var removals = 0
        var sweeps = 0
        try Watchdog.wait(for: "removals between the lives of a bot", limitSeconds: 240) {
            for _ in 0..<500 {
                if let claim = try? RingClaim(path: path), claim.remove() == .removed { removals += 1 }
            }
            if sweeps < 10 || sweeps % 100 == 0 { _ = try Tool.sweep(directory) }
            sweeps += 1
            return removals >= 20 && bot.lives >= 50 && sweeps >= 10
        }
        #expect(bot.robbed == 0)
    }

    @Test("a claim is refused while a producer has the ring, and keeps producers away while it lasts")
    func claim() throws {
        let path = directory.ring("alpha")
        try withTradingRing("alpha", in: directory) { _ in
            let claim = try RingClaim(path: path)
            #expect(claim.isHeld && claim.remove() == .left)
        }
        let claim = try RingClaim(path: path)
        var refused = false
        let removal = claim.remove {
            let options = AttachOptions(directory: directory.path, capacityRecords: 16, metricCapacity: 8)
            do throws(AttachError) {
                try Telemetry.attach("alpha", options: options).close()
            } catch {
                refused = true
            }
            return true
        }
        #expect(refused && removal == .removed && directory.entries().isEmpty)
        // The name now means another file, so the claim is on a file that nobody can remove any more.
        try withTradingRing("alpha", in: directory)
        #expect(claim.remove() == .left && directory.entries() == ["ringside.alpha"])
        #expect(try RingClaim(path: path).remove { false } == .left)
    }
}

/// A bot on a thread of its own. Again and again it attaches, writes, checks that its ring is still there, and
/// detaches.
private final class RestlessBot: Sendable {
    private final class Account: Sendable {
        let isStopped = Atomic(false)
        let lives = Atomic(0)
        let robbed = Atomic(0)
    }

    private let account = Account()
    private let thread: NativeThread

    init(_ ring: String, in directory: TemporaryRingDirectory) {
        let account = account
        let options = AttachOptions(directory: directory.path, capacityRecords: 16, metricCapacity: 1)
        let path = directory.ring(ring)
        thread = NativeThread {
            while !account.isStopped.load(ordering: .relaxed) {
                // An attach is refused while a sweep has the claim. Then the bot tries again.
                guard let telemetry = try? Telemetry.attach(ring, options: options) else { continue }
                let inode = Self.inode(of: path)
                for _ in 0..<20 where inode == nil || Self.inode(of: path) != inode {
                    account.robbed.add(1, ordering: .relaxed)
                }
                account.lives.add(1, ordering: .relaxed)
                telemetry.close()
                usleep(300)
            }
        }
    }

    var lives: Int { account.lives.load(ordering: .relaxed) }
    var robbed: Int { account.robbed.load(ordering: .relaxed) }

    /// Ends the thread. Call it exactly once.
    func stop() {
        account.isStopped.store(true, ordering: .relaxed)
        thread.join()
    }

    private static func inode(of path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }
}
