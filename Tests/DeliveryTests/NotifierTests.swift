@testable import Drain
import Configuration
import Platform
import Rules
import SQLite
import Series
import TestSupport
import Testing

@testable import Delivery

@Suite struct NotifierTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let clock = SettableClock()
    private let webhook = WebhookDefinition(destination: Destination(name: "hook", url: "http://127.0.0.1:9/"))

    @Test("an end whose notice cannot be stored is sent with its own reason, once it can")
    func unsent() throws {
        let path = folder.path + "/queue.sqlite"
        let store = try DeliveryStore(path: path, time: clock.source, bootID: "one")
        let accounts = ExportAccounts()
        let lane = try DeliveryLane(
            webhook.destination, url: webhook.destination.url, policy: .standard, store: store, accounts: accounts,
            logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test", time: clock.source)
        let notifier = Notifier(lastSent: [:], url: "http://c/", time: clock.source)
        func turn(_ changes: [AlertSnapshot], firing: [AlertSnapshot]) {
            var batch = AlertMailbox.Batch()
            let now = clock.source.unix()
            batch.changes = changes.map { ($0, now) }
            (batch.firing, batch.unixNanoseconds) = (firing, now)
            notifier.turn(batch, [Notifier.Target(form: .webhook(webhook), lane: lane)], annotations: [:])
        }
        let disk = try Database(path: path, busyMilliseconds: 1000)

        let alert = AlertSnapshot.example(since: clock.source.unix())
        turn([alert], firing: [alert])
        try disk.run("ALTER TABLE told RENAME TO away")
        var ended = AlertSnapshot.example(.inactive, since: clock.source.unix())
        ended.resolution = "the condition no longer holds"
        turn([ended], firing: [])
        turn([], firing: [])
        #expect(store.level(of: "hook").entries == 1)
        try disk.run("ALTER TABLE away RENAME TO told")
        turn([], firing: [])
        turn([], firing: [])

        let beginning = try #require(try store.head(of: "hook"))
        try store.remove(beginning.id, of: "hook")
        let end = try #require(try store.head(of: "hook"))
        #expect(
            String(decoding: end.entry.body, as: UTF8.self).contains("the condition no longer holds"))
        #expect(store.level(of: "hook").entries == 1)
    }
}
