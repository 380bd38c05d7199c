import CRingside
import Glibc
import RingReader
import Series
import TestSupport
import Testing

/// A bot dies at one step of attaching, registering, replacing or growing. A reader and a collector watch all the time.
@Suite struct KilledAttachTests {
    private let directory = TemporaryRingDirectory()

    struct Scene: CustomTestStringConvertible, Sendable {
        let point: String
        /// Words of the bot that dies and of its heir.
        let words: [String]
        /// Whether the dying bot counts its 5 before it dies.
        let counts: Bool
        var testDescription: String { "\(point) \(words.joined(separator: " "))" }

        static let all: [Scene] =
            ["opened", "reserved", "mapped", "filled", "locked", "alive", "published"].flatMap { step in
                [[], ["fresh=1"]].map { Scene(point: "create.\(step)", words: $0, counts: false) }
            }
            + ["described", "cells", "written", "published"].map {
                Scene(point: "life.\($0)", words: [], counts: false)
            }
            + ["locked", "linked", "renamed"].map { Scene(point: "replace.\($0)", words: ["fresh=1"], counts: false) }
            + ["text", "slot", "cell", "control", "published"].map {
                Scene(point: "register.\($0)", words: ["more=1"], counts: true)
            }
            + ["created", "carried", "published", "moved"].map {
                Scene(point: "grow.\($0)", words: ["more=1"], counts: true)
            }
    }

    /// The ring's table holds four metrics: `steady_total` and three of the first bot's. One `more` makes it grow.
    private static let table = ["capacity=16", "metrics=4"]

    @Test(
        "a bot killed at any step of an attach is seen whole or not at all, and the next one counts on",
        arguments: Scene.all)
    func killed(scene: Scene) throws {
        let collector = try CollectorHarness(directory)
        // A ring that is created in an empty directory has no predecessor.
        let hasPredecessor = scene.point.hasPrefix("create.") ? scene.words.isEmpty == false : true
        let old = scene.point.hasPrefix("register.") ? 2 : 3
        if hasPredecessor {
            #expect(
                try BotProgram.run("register", "alpha", Self.table + ["add=10", "old=\(old)"], in: directory)
                    == .code(0))
            try collector.settle()
        }
        try watch(collector) {
            let words = Self.table + scene.words + ["add=5"]
            return scene.counts
                ? try BotProgram.start("register", "alpha", words + ["fault=\(scene.point)"], in: directory)
                : try BotProgram.start("register", "alpha", words, in: directory, fault: scene.point)
        }
        let temporaries = directory.entries().filter { $0 != "ringside.alpha" }
        #expect(temporaries.count <= 1 && temporaries.allSatisfy { $0.hasPrefix(".ringside-new-") })
        try collector.settle()

        let heir = try watch(collector, expecting: .code(0)) {
            try BotProgram.start("register", "alpha", Self.table + ["add=7", "more=1"], in: directory)
        }
        #expect(heir.lines.contains { $0.hasPrefix("ready") }, "\(heir.standardOutput)")
        let snapshot = try collector.settle()
        #expect(snapshot.counter("steady_total") == (hasPredecessor ? 10 : 0) + (scene.counts ? 5 : 0) + 7)
        #expect(snapshot.counter("more_0_total") == 1)
        if hasPredecessor {
            for k in 0..<old { #expect(snapshot.counter("old_\(k)_total") == 1) }
        }
        #expect(snapshot.ring()?.totalLost == 0)
        #expect(!collector.log.contains("level=error") && !collector.log.contains("refused"), "\(collector.log)")
    }

    /// Reads the file with the ring's name, and turns the collector, until the bot has ended.
    @discardableResult
    private func watch(
        _ collector: CollectorHarness, expecting exit: ChildProcess.Exit = .signal(SIGKILL),
        _ start: () throws -> ChildProcess
    ) throws -> ChildProcess {
        let bot = try start()
        try Watchdog.wait(for: "the end of the bot") {
            let hasEnded = bot.hasEnded()
            try look()
            try collector.turn()
            return hasEnded
        }
        #expect(try bot.wait() == exit, "\(bot.standardOutput)")
        return bot
    }

    private func look() throws {
        let segment: Segment
        do {
            segment = try directory.segment()
        } catch RingError.open(_, let number) where number == ENOENT {
            return
        }
        var damage = DamageLog()
        segment.survey(into: &damage)
        #expect(segment.lifeCount >= 1 && damage.count == 0, "\(damage.kept)")
    }
}
