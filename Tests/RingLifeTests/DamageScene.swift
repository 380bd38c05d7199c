import CRingside
import Glibc
import RingReader
import Series
import TestSupport
import Testing

/// A healthy bot, a collector, and one victim after another. The rings of the victims are damaged while they write, the
/// collector drains and a reader follows.
final class DamageScene {
    let directory = TemporaryRingDirectory()
    let collector: CollectorHarness
    private let healthy: ChildProcess
    private var victims = 0

    init() throws {
        collector = try CollectorHarness(directory)
        healthy = try BotProgram.start("write", "healthy", ["capacity=65536", "pace=100000"], in: directory)
        _ = try healthy.line(beginning: "ready")
    }

    /// The end of a victim.
    struct Outcome {
        let ring: String
        let exit: ChildProcess.Exit
        /// Nil if it died.
        let wrote: UInt64?
        let isEnabled: Bool
        let follower: Follower
        let snapshot: Snapshot

        var account: RingSnapshot? { snapshot.ring(of: ring) }
        var counted: UInt64 { snapshot.counter("writes_total", of: ring) }
    }

    /// Damages the ring of a new bot and turns the collector until it has noticed.
    ///
    /// - Parameters:
    ///   - words: The victim's words, beside those of every victim.
    ///   - notice: The line that the collector must log about the ring; nil if none is needed.
    ///   - damage: Called with the ring's path.
    func damage(
        _ words: [String], notice: String? = nil, _ damage: (String) throws -> Void
    ) throws -> Outcome {
        victims += 1
        let ring = "victim\(victims)"
        let bot = try BotProgram.start("write", ring, ["pace=20000", "registers=1"] + words, in: directory)
        _ = try bot.line(beginning: "ready")
        var follower = try Follower(directory, ring)
        func turn(until what: String, _ condition: () -> Bool) throws {
            try Watchdog.wait(for: "\(what); the collector said:\n\(collector.log)") {
                follower.follow()
                collector.work()
                return condition()
            }
        }
        try turn(until: "the victim's first records") { follower.segment.position > 40 }
        collector.leap()
        _ = try collector.look()
        try damage(directory.ring(ring))
        bot.send(SIGUSR1)
        try turn(until: "a hundred more records of the victim, or its end") {
            bot.hasEnded() || bot.lines.contains { $0.hasPrefix("went on ") }
        }
        collector.leap()
        if let notice {
            try turn(until: "the notice \"\(notice)\" of \(ring)") { collector.said(notice, "ring=\(ring)") }
        }
        let (exit, wrote, isEnabled) = try bot.endAndCount()
        follower.follow()
        return Outcome(
            ring: ring, exit: exit, wrote: wrote, isEnabled: isEnabled, follower: follower,
            snapshot: try collector.settle())
    }

    /// Ends the healthy bot and checks that the others' damage has not touched it.
    func end() throws {
        let (exit, wrote, _) = try healthy.endAndCount()
        let snapshot = try collector.settle()
        let account = try #require(snapshot.ring(of: "healthy"))
        #expect(exit == .code(0) && wrote != nil)
        #expect(snapshot.counter("writes_total", of: "healthy") == wrote)
        #expect(snapshot.histogram(of: "healthy")?.total.count == wrote)
        #expect(account.drained == wrote && account.totalLost == 0 && account.backlog == 0)
    }
}
