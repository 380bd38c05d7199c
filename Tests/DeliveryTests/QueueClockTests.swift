import Drain
import Platform
import Configuration
import Glibc
import Synchronization
import TestSupport
import Testing
import SQLite

@testable import Delivery

/// The machine's clocks: CLOCK_MONOTONIC plus the time that a test lets pass, and a wall clock that a test sets.
final class SettableClock: Sendable {
    private let state = Mutex((passed: Int64(0), set: Int64(0)))

    var source: TimeSource {
        let system = TimeSource.system
        return TimeSource(
            monotonic: { system.monotonic() + self.state.withLock(\.passed) },
            unix: { system.unix() + self.state.withLock { $0.passed + $0.set } })
    }

    func pass(seconds: Int64) { state.withLock { $0.passed += seconds * 1_000_000_000 } }

    func setWall(bySeconds seconds: Int64) { state.withLock { $0.set += seconds * 1_000_000_000 } }
}

@Suite("Queues under a wall clock that is set") struct QueueClockTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let clock = SettableClock()
    private static let steps: [Int64] = [-86_400 * 400, -3600, -30, 30, 3600, 86_400 * 400]

    private func store(_ bootID: String = "one") throws -> DeliveryStore {
        try DeliveryStore(path: "\(folder.path)/delivery.sqlite", time: clock.source, bootID: bootID)
    }

    /// Runs a collector once. Its file is closed at the end.
    @discardableResult
    private func run<Result>(_ bootID: String = "one", _ body: (DeliveryStore) throws -> Result) throws -> Result {
        try body(try store(bootID))
    }

    @discardableResult
    private func add(_ text: String, to store: DeliveryStore) throws -> Int {
        try store.apply(
            DeliveryStore.Change(entries: [DeliveryEntry(body: Array(text.utf8), contentType: "text/plain")]), to: "a",
            bounds: QueueBounds(), sparing: nil)
    }

    /// Returns the seconds until the head may be sent.
    private func wait(_ store: DeliveryStore) throws -> Double {
        Double(try #require(try store.head(of: "a")).nextNanoseconds - store.now) / 1e9
    }

    @Test(
        "a pause is as long as it was, whatever a step in the run, across a restart or across a reboot",
        arguments: steps)
    func pauses(step: Int64) throws {
        try run { store throws in
            try add("one", to: store)
            try store.postpone(try #require(try store.head(of: "a")).id, attempts: 1, pauseNanoseconds: 60_000_000_000)
            clock.setWall(bySeconds: step)
            let left = try wait(store)
            #expect(left > 0 && left <= 60)
        }
        try run { store throws in
            let left = try wait(store)
            #expect(left > 0 && left <= 60)
            clock.setWall(bySeconds: step)
        }
        try run("two") { store throws in #expect(try wait(store) <= 60) }
    }

    @Test("an entry grows old by time that passes, and by no step", arguments: steps)
    func ages(step: Int64) throws {
        try run { store throws in
            try add("one", to: store)
            clock.setWall(bySeconds: step)
            #expect(try store.expire("a", ageSeconds: 10) == 0)
        }
        try run { store throws in
            #expect(try store.expire("a", ageSeconds: 10) == 0)
            clock.setWall(bySeconds: step)
            #expect(try store.expire("a", ageSeconds: 10) == 0)
        }
        clock.pass(seconds: 20)
        // Time without a collector counts too.
        try run { store throws in
            #expect(try store.expire("a", ageSeconds: 60) == 0)
            #expect(try store.expire("a", ageSeconds: 10) == 1)
        }
    }

    @Test("after a reboot an entry has the age last known, and ages from there")
    func reboot() throws {
        do {
            let store = try store()
            try add("one", to: store)
            clock.pass(seconds: 100)
            try add("two", to: store)
        }
        clock.setWall(bySeconds: 86_400 * 3)
        // The monotonic clock of the new boot begins at 0.
        let source = clock.source
        let boot = source.monotonic()
        let young = TimeSource(monotonic: { source.monotonic() - boot }, unix: source.unix)
        let store = try DeliveryStore(path: "\(folder.path)/delivery.sqlite", time: young, bootID: "two")
        #expect(try store.expire("a", ageSeconds: 200) == 0)
        #expect(try store.expire("a", ageSeconds: 90) == 1)
        clock.pass(seconds: 100)
        #expect(try store.expire("a", ageSeconds: 90) == 1)
    }

    @Test("impossible times are changed into possible ones")
    func damage() throws {
        let path = "\(folder.path)/delivery.sqlite"
        do {
            let store = try store()
            for text in ["one", "two"] { try add(text, to: store) }
        }
        func sql(_ text: String) throws {
            let database = try DeliverySchema.open(path: path)
            try database.run(text)
        }
        try sql("UPDATE entry SET next = 9223372036854775807, created = 9223372036854775807 WHERE id = 1")
        try run { store throws in
            #expect(try wait(store) <= 3600)
            #expect(try store.expire("a", ageSeconds: 10) == 0)
        }
        for value in ["9223372036854775807", "-9223372036854775808", "0"] {
            for column in ["latest", "offset"] {
                try sql("UPDATE clock SET \(column) = \(value)")
                try run { store throws in
                    try store.postpone(1, attempts: 1, pauseNanoseconds: 3_600_000_000_000)
                    #expect(try wait(store) <= 3600)
                }
            }
        }
    }

    @Test("the alerts notified are remembered over a step forward of weeks")
    func endedNotices() throws {
        let store = try store()
        var change = DeliveryStore.Change()
        var notice = Notice.example
        notice.endsUnixNanoseconds = clock.source.unix()
        change.notices = [DeliveredNotice(notice: notice, isFiring: false).stored]
        _ = try store.apply(change, to: "a", bounds: QueueBounds(), sparing: nil)
        clock.setWall(bySeconds: 86_400 * 30)
        try store.forgetEndedNotices(ageSeconds: 7 * 86_400)
        #expect(try store.sentNotices()["a"]?.count == 1)
        clock.pass(seconds: 8 * 86_400)
        try store.forgetEndedNotices(ageSeconds: 7 * 86_400)
        #expect(try store.sentNotices()["a"] == nil)
    }

    @Test("a file from before this clock is continued")
    func older() throws {
        try run { store throws in
            try add("one", to: store)
            try store.postpone(1, attempts: 1, pauseNanoseconds: 1_000_000_000)
        }
        do {
            let database = try DeliverySchema.open(path: "\(folder.path)/delivery.sqlite")
            try database.run("DROP TABLE clock")
        }
        clock.setWall(bySeconds: -3600)
        try run { store throws in
            #expect(try wait(store) <= 3600)
            #expect(try store.expire("a", ageSeconds: 10) == 0)
        }
    }

    @Test("a lane sends its queue while the wall clock is set back and forth, and drops none of it")
    func lane() throws {
        let receiver = try HTTPReceiver { [clock] number, _ in
            // Each answer comes after another step.
            clock.setWall(bySeconds: number % 2 == 0 ? -3600 : 86_400 * 400)
            return number < 4 ? .status(503) : .status(200)
        }
        let accounts = ExportAccounts()
        accounts.keep(["a"])
        var destination = Destination(name: "a", url: receiver.url)
        destination.longestPauseNanoseconds = 150_000_000
        let lane = try DeliveryWorker(
            destination, url: receiver.url, policy: .standard, store: try store(), accounts: accounts,
            logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test", time: clock.source)
        try lane.start()
        defer {
            lane.beginEnd(by: .min)
            lane.join()
        }
        for number in 0..<5 {
            lane.enqueue(
                DeliveryStore.Change(entries: [DeliveryEntry(body: Array("\(number)".utf8), contentType: "text/x")]))
        }
        try Watchdog.wait(for: "all that was queued") { receiver.taken.count == 5 }
        try Watchdog.wait(for: "an empty queue") { accounts.all[0].queuedEntries == 0 }
        #expect(
            receiver.taken.map(\.text) == ["0", "1", "2", "3", "4"]
                && accounts.all[0].dropped.values.allSatisfy { $0 == 0 })
    }
}
