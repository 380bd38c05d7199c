@testable import Drain
import Platform
import Configuration
import FoundationEssentials
import Rules
import Series
import TestSupport
import Testing

@testable import Delivery

@Suite("Alert notices under a wall clock that is set") struct NoticeClockTests {
    private let clock = SettableClock()
    private let manager = AlertmanagerDefinition(destination: Destination(name: "am", url: "http://127.0.0.1:9/"))

    private struct Alert: Decodable {
        let startsAt: String
        let endsAt: String
    }

    private func alerts(_ entry: DeliveryEntry) throws -> [Alert] {
        try JSONDecoder().decode([Alert].self, from: Data(entry.body))
    }

    /// Returns RFC 3339 in one form, which sorts like the times.
    private func text(_ unixNanoseconds: Int64) -> String { rfc3339(unixNanoseconds: unixNanoseconds) }

    @Test("a beginning that lies in the future of a clock that was set back begins now, and an end is not after now")
    func setBack() throws {
        let now: Int64 = 1_700_000_000_000_000_000
        for hour in [1, 24, 24 * 400] as [Int64] {
            var notice = Notice.example
            notice.startsUnixNanoseconds = now + hour * 3_600_000_000_000
            let firing = try alerts(manager.entry([notice], key: nil, url: "", unixNanoseconds: now))[0]
            #expect(firing.startsAt <= text(now) && firing.endsAt > text(now))
            let ended = notice.ended(unixNanoseconds: now, value: nil, reason: "mended")
            let resolved = try alerts(manager.entry([ended], key: nil, url: "", unixNanoseconds: now))[0]
            #expect(resolved.endsAt <= text(now) && resolved.startsAt < resolved.endsAt)
        }
    }

    /// A notifier for one Alertmanager, whose lane sends nothing.
    private final class Scene {
        let store: DeliveryStore
        let notifier: Notifier
        let lane: DeliveryWorker
        let definition: AlertmanagerDefinition

        init(_ definition: AlertmanagerDefinition, _ clock: SettableClock) throws {
            self.definition = definition
            store = try DeliveryStore(path: nil, time: clock.source, bootID: "one")
            notifier = Notifier(lastSent: [:], url: "http://c/", time: clock.source)
            lane = try DeliveryWorker(
                definition.destination, url: definition.destination.url, policy: .standard, store: store,
                accounts: ExportAccounts(), logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test",
                time: clock.source)
        }

        func turn(_ changes: [AlertSnapshot], firing: [AlertSnapshot]?, at unixNanoseconds: Int64) {
            var batch = AlertMailbox.Batch()
            batch.changes = changes.map { ($0, unixNanoseconds) }
            (batch.firing, batch.unixNanoseconds) = (firing, unixNanoseconds)
            notifier.turn(batch, [Notifier.Target(form: .alertmanager(definition), queue: lane)], annotations: [:])
        }

        func head() throws -> DeliveryEntry { try #require(try store.head(of: "am")).entry }
    }

    @Test(
        "what fires is sent anew at once when the clock is set, in either direction, and not before its interval otherwise"
    )
    func refreshed() throws {
        let scene = try Scene(manager, clock)
        let alert = AlertSnapshot.example(since: clock.source.unix())
        scene.turn([alert], firing: [alert], at: clock.source.unix())
        for step in [0, 3600, -7200, 86_400] as [Int64] {
            let before = try scene.head()
            clock.setWall(bySeconds: step)
            scene.turn([], firing: [alert], at: clock.source.unix())
            let after = try scene.head()
            #expect((before != after) == (step != 0), "\(step) s")
            let now = clock.source.unix()
            let sent = try alerts(after)[0]
            #expect(sent.startsAt <= text(now) && sent.endsAt > text(now))
        }
    }

    @Test("an end that waits while the clock is set back is not after now when it is sent")
    func waitingEnd() throws {
        var manager = manager
        manager.sendsWatchdog = false
        let scene = try Scene(manager, clock)
        let alert = AlertSnapshot.example(since: clock.source.unix())
        scene.turn([alert], firing: [alert], at: clock.source.unix())
        clock.pass(seconds: 10)
        scene.turn([.example(.inactive)], firing: [], at: clock.source.unix())
        clock.setWall(bySeconds: -3600)
        scene.turn([], firing: [], at: clock.source.unix())
        let resolved = try alerts(try scene.head())[0]
        #expect(resolved.endsAt <= text(clock.source.unix()) && resolved.startsAt < resolved.endsAt)
        #expect(scene.store.level(of: "am").entries == 1)
    }

    private func names(_ entry: DeliveryEntry) -> [String] {
        String(decoding: entry.body, as: UTF8.self).components(separatedBy: "\"alertname\":\"").dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
    }

    @Test("Alertmanager gets the watchdog at each interval while the drain evaluates its alerts, and not afterwards")
    func watchdog() throws {
        let scene = try Scene(manager, clock)
        scene.turn([], firing: nil, at: clock.source.unix())
        #expect(scene.store.level(of: "am").entries == 0, "nobody has looked yet")
        let alert = AlertSnapshot.example(since: clock.source.unix())
        clock.pass(seconds: 61)
        scene.turn([alert], firing: [alert], at: clock.source.unix())
        #expect(names(try scene.head()) == ["slow", "Watchdog"])
        var before = try scene.head()
        clock.pass(seconds: 61)
        scene.turn([], firing: [alert], at: clock.source.unix())
        #expect(try scene.head() != before && names(try scene.head()).contains("Watchdog"))
        // The drain has stopped.
        before = try scene.head()
        clock.pass(seconds: 61)
        scene.turn([], firing: nil, at: clock.source.unix())
        #expect(names(try scene.head()) == ["slow"])
    }
}
