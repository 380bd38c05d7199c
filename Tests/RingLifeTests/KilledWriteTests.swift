import Glibc
import RingReader
import Series
import TestSupport
import Testing

@Suite struct KilledWriteTests {
    private let directory = TemporaryRingDirectory()

    struct Place: CustomTestStringConvertible, Sendable {
        let point: String
        let capacity: UInt64
        var testDescription: String { "\(point), capacity \(capacity)" }

        static let all = ["write.time", "write.value", "write.meta", "write.trace", "write.publish"].flatMap { point in
            [2, 4, 8].map { Place(point: point, capacity: $0) }
        }
    }

    /// The counter is added to before the record is written. A bot that is killed in its n-th write has counted n. It
    /// has published n - 1, or n if it died after the publishing store.
    @Test(
        "a bot killed between two stores of a write leaves no torn record, and its next life goes on",
        arguments: Place.all)
    func betweenStores(place: Place) throws {
        for (round, n) in [1, place.capacity - 1, place.capacity, place.capacity + 1, 3 * place.capacity + 1]
            .enumerated()
        {
            let ring = "alpha\(round)"
            let collector = try CollectorHarness(directory, rings: [ring])
            let words = ["capacity=\(place.capacity)", "metrics=4"]
            let exit = try BotProgram.run("write", ring, words + ["fault=\(place.point):\(n)"], in: directory)
            #expect(exit == .signal(SIGKILL))
            let published = place.point == "write.publish" ? n : n - 1

            var follower = try Follower(directory, ring)
            follower.follow()
            #expect(follower.segment.position == published && !follower.segment.isProducerAlive)
            #expect(follower.seen == min(published, place.capacity - 1))
            try collector.settle()

            #expect(try BotProgram.run("write", ring, words + ["count=3"], in: directory) == .code(0))
            follower.follow()
            #expect(follower.torn.isEmpty && follower.invalid == 0)
            #expect(try directory.segment(ring).ringID == follower.segment.ringID)
            #expect(follower.segment.lifeCount == 2 && follower.segment.position == published + 3)
            #expect(follower.segment.total("writes_total") == n + 3)
            #expect(follower.segment.total("pattern") == n + 3)

            let snapshot = try collector.settle()
            let account = try #require(snapshot.ring(of: ring))
            #expect(snapshot.counter("writes_total", of: ring) == n + 3)
            #expect(snapshot.histogram(of: ring)?.calls == n + 3)
            #expect(account.position == published + 3 && account.lost(.corrupt) == 0)
            #expect(snapshot.histogram(of: ring)?.total.count == account.drained)
        }
    }

    @Test("a bot killed twenty times at full speed continues where it was, and nothing is torn or counted twice")
    func atRandom() throws {
        var random = SeededGenerator(seed: 20)
        let collector = try CollectorHarness(directory)
        var follower: Follower?
        var published: UInt64 = 0
        for life in 1...20 {
            let bot = try BotProgram.start("write", "alpha", ["capacity=1024"], in: directory)
            _ = try bot.line(beginning: "ready")
            var reader = try follower ?? Follower(directory)
            let end = monotonicNanoseconds() + UInt64.random(in: 1_000_000...20_000_000, using: &random)
            try Watchdog.wait(for: "a record, and the moment of its death") {
                reader.follow()
                try collector.turn()
                return monotonicNanoseconds() >= end && reader.segment.position > published
            }
            bot.send(SIGKILL)
            #expect(try bot.wait() == .signal(SIGKILL))
            reader.follow()
            #expect(reader.segment.lifeCount == UInt64(life) && reader.segment.position > published)
            published = reader.segment.position
            follower = reader
        }
        let reader = try #require(follower)
        let counted = reader.segment.total("writes_total")
        // Each life may have died with one value counted and not yet written.
        #expect((published...published + 20).contains(counted))
        #expect(reader.torn.isEmpty && reader.invalid == 0)
        #expect(reader.cursor.beforeAttach + reader.seen + reader.cursor.lapped == published)

        let snapshot = try collector.settle()
        let account = try #require(snapshot.ring())
        #expect(snapshot.counter("writes_total") == counted)
        #expect(snapshot.histogram()?.calls == reader.segment.total("pattern"))
        #expect(snapshot.histogram()?.total.count == account.drained)
        #expect(account.drained + account.lost(.lapped) + account.lost(.beforeAttach) == published)
        #expect(account.totalLost == account.lost(.lapped) + account.lost(.beforeAttach))
    }
}
