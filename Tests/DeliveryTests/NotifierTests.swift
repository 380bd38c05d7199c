import Configuration
@testable import Drain
import Rules
import Series
import TestSupport
import Testing

@testable import Delivery

@Suite struct NotifierTests {
    /// A queue that can be full.
    private final class Queue: NoticeQueue {
        let name = "hook"
        let waitingKeys: Set<String> = []
        var isFull = false
        private(set) var bodies: [String] = []

        func enqueue(_ change: DeliveryStore.Change) -> Bool {
            if !isFull { bodies += change.entries.map { String(decoding: $0.body, as: UTF8.self) } }
            return !isFull
        }
    }

    private let clock = SettableClock()
    private let webhook = WebhookDefinition(destination: Destination(name: "hook", url: "http://127.0.0.1:9/"))

    @Test("notices that cannot be stored are sent with their own values and reasons, each once, as soon as they can")
    func unsent() {
        let queue = Queue()
        let notifier = Notifier(lastSent: [:], url: "http://c/", time: clock.source)
        func turn(_ changes: [AlertSnapshot], firing: [AlertSnapshot]) {
            var batch = AlertMailbox.Batch()
            let now = clock.source.unix()
            batch.changes = changes.map { ($0, now) }
            (batch.firing, batch.unixNanoseconds) = (firing, now)
            notifier.turn(batch, [Notifier.Target(form: .webhook(webhook), queue: queue)], annotations: [:])
        }
        func end(of alert: AlertSnapshot, because reason: String) -> AlertSnapshot {
            var ended = alert
            (ended.state, ended.resolution) = (.inactive, reason)
            return ended
        }
        let first = AlertSnapshot.example(alert: "first", since: clock.source.unix())
        let second = AlertSnapshot.example(alert: "second", since: clock.source.unix())

        turn([first], firing: [first])
        #expect(queue.bodies.count == 1)
        queue.isFull = true
        turn([end(of: first, because: "the bot closed its ring")], firing: [])
        // An alert that begins and ends while nothing can be stored.
        turn([second], firing: [second])
        turn([end(of: second, because: "an operator resolved it")], firing: [])
        #expect(queue.bodies.count == 1)
        queue.isFull = false
        turn([], firing: [])
        turn([], firing: [])
        #expect(queue.bodies.count == 4)
        guard queue.bodies.count == 4 else { return }
        #expect(queue.bodies[1].contains("\"first\"") && queue.bodies[1].contains("the bot closed its ring"))
        #expect(queue.bodies[2].contains("\"second\"") && queue.bodies[2].contains("firing"))
        #expect(queue.bodies[3].contains("\"second\"") && queue.bodies[3].contains("an operator resolved it"))
    }
}
