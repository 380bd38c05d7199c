import Drain
import Glibc
import RingReader
import Series
import TestSupport
import Testing

@Suite struct ContentionTests {
    private let directory = TemporaryRingDirectory()

    @Test("of thirty bots that replace their rings again and again, a reader driven by inotify sees only whole ones")
    func churn() throws {
        let watch = RingWatch(directory: RingDirectory(path: directory.path))
        let bots = try (0..<30).map {
            try BotProgram.start(
                "churn", "bot\($0)", ["capacity=16", "metrics=4", "fresh=1", "milliseconds=3000"], in: directory)
        }
        var opened = 0
        try Watchdog.wait(for: "the bots") {
            for name in watch.rings(now: Int64(monotonicNanoseconds())) ?? [] { opened += try open(name) ? 1 : 0 }
            return bots.allSatisfy { $0.hasEnded() }
        }
        var rounds = 0
        for bot in bots {
            #expect(try bot.wait() == .code(0), "\(bot.standardOutput)")
            rounds += Int(try bot.line(beginning: "rounds").dropFirst("rounds ".count)) ?? 0
        }
        #expect(rounds >= 60 && opened >= 30)
        #expect(directory.entries().count == 30)
    }

    /// Expects that the ring's file has a life, valid metrics and whole records. Returns false if the file is gone.
    private func open(_ name: RingName) throws -> Bool {
        let segment: Segment
        do {
            segment = try directory.segment("\(name)")
        } catch RingError.open(_, let number) where number == ENOENT {
            return false
        }
        var follower = Follower(segment)
        follower.follow()
        var damage = DamageLog()
        segment.survey(into: &damage)
        #expect(segment.lifeCount >= 1 && damage.count == 0 && follower.torn.isEmpty && follower.invalid == 0)
        return true
    }

    @Test("of two bots that want one name, each time one wins, and the other's error has the winner's pid")
    func race() throws {
        let rounds = 100
        let words = ["capacity=16", "metrics=4", "rounds=\(rounds)", "barrier=\(directory.path)/barrier"]
        let racers = [
            try BotProgram.start("race", "alpha", words, in: directory),
            try BotProgram.start("race", "alpha", words, in: directory),
        ]
        for racer in racers { #expect(try racer.wait() == .code(0)) }
        let outcomes = racers.map { $0.lines.dropFirst().map(String.init) }
        #expect(outcomes.allSatisfy { $0.count == rounds })
        for round in 0..<rounds {
            let winner = try #require(outcomes.firstIndex { $0[round] == "won" })
            let said = outcomes[1 - winner][round]
            #expect(said.hasPrefix("lost \(racers[winner].pid) "), "round \(round): \(said)")
            #expect(said.contains("in use by pid \(racers[winner].pid)"))
        }
    }

    @Test(
        "a bot redeployed fifty times with a hundred new metrics each time never runs out of table, and all totals are exact"
    )
    func redeployed() throws {
        let collector = try CollectorHarness(directory)
        for generation in 0..<50 {
            let bot = try BotProgram.start(
                "redeploy", "alpha", ["capacity=256", "new=100", "generation=\(generation)"], in: directory)
            try Watchdog.wait(for: "the bot") {
                collector.work()
                return bot.hasEnded()
            }
            #expect(try bot.wait() == .code(0), "generation \(generation): \(bot.standardOutput)")
            if generation % 10 == 0 { try collector.settle() }
            collector.leap()
        }
        let snapshot = try collector.settle()
        #expect(snapshot.counter("steady_total") == 5000)
        #expect(snapshot.histogram()?.calls == 5000)
        let account = try #require(snapshot.ring())
        #expect(account.drained + account.totalLost == 5000 && account.totalLost == account.lost(.lapped))
        var totals: [UInt64: Int] = [:]
        for metric in try #require(snapshot.bot()).metrics {
            guard metric.name.hasPrefix("generation_"), case .counter(let counter) = metric.reading,
                case .unsigned(let value) = counter.value
            else { continue }
            totals[value, default: 0] += 1
        }
        #expect(totals == [2: 5000])
    }
}
