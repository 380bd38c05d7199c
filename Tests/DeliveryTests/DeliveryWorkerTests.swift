import Platform
import Drain
import Configuration
import Glibc
import Series
import TestSupport
import Testing

@testable import Delivery

@Suite struct DeliveryWorkerTests {
    /// A lane to a receiver, with its queue in memory. It is ended with the last reference.
    private final class Scene {
        let store: DeliveryStore
        let accounts = ExportAccounts()
        let lane: DeliveryWorker

        init(_ url: String, policy: ResponsePolicy = .standard, _ change: (inout Destination) -> Void = { _ in }) throws
        {
            store = try DeliveryStore(path: nil)
            var destination = Destination(name: "peer", url: url)
            destination.longestPauseNanoseconds = 150_000_000
            destination.requestTimeoutMilliseconds = 400
            change(&destination)
            accounts.keep(["peer"])
            lane = try DeliveryWorker(
                destination, url: url, policy: policy, store: store, accounts: accounts,
                logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test")
            try lane.start()
        }

        deinit {
            lane.beginEnd(by: 0)
            lane.join()
        }

        func send(_ texts: [String], headers: [DeliveryEntry.Header] = []) {
            lane.enqueue(
                DeliveryStore.Change(
                    entries: texts.map { DeliveryEntry(body: Array($0.utf8), contentType: "text/x", headers: headers) })
            )
        }

        var status: ExportStatus { accounts.all[0] }

        func waitUntilEmpty() throws {
            try Watchdog.wait(for: "an empty queue") {
                status.queuedEntries == 0 && store.level(of: "peer").entries == 0
            }
        }
    }

    @Test(
        "entries that a receiver refuses for now, hangs up on or does not answer are sent until it takes them, in order"
    )
    func retries() throws {
        let receiver = try HTTPReceiver { number, _ in
            switch number {
            case 0: .status(503)
            case 1: .hangUp
            case 2: .status(429, headers: ["Retry-After: 1"])
            case 3: .silence
            default: .status(200)
            }
        }
        let scene = try Scene(receiver.url + "/in")
        let start = monotonicNanoseconds()
        scene.send(["one", "two"])
        try scene.waitUntilEmpty()
        #expect(receiver.requests.map(\.text) == ["one", "one", "one", "one", "one", "two"])
        #expect(monotonicNanoseconds() - start >= 1_000_000_000)
        let status = scene.status
        #expect(status.sent == 2 && status.isOK && status.retries == 4 && status.drops.isEmpty)
        #expect(status.failures == ["unavailable": 1, "transport": 1, "throttled": 1, "timeout": 1])
        #expect(status.lastSuccessUnixNanoseconds != nil)
    }

    @Test("Retry-After is a number of seconds or a date")
    func retryAfter() throws {
        let receiver = try HTTPReceiver { number, _ in
            var text = [CChar](repeating: 0, count: 64)
            var then = time(nil) + 2
            var parts = tm()
            gmtime_r(&then, &parts)
            strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            let date = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return number == 0 ? .status(503, headers: ["Retry-After: \(date)"]) : .status(200)
        }
        let scene = try Scene(receiver.url)
        let start = monotonicNanoseconds()
        scene.send(["one"])
        try scene.waitUntilEmpty()
        #expect(receiver.taken.count == 1 && monotonicNanoseconds() - start >= 900_000_000)
    }

    @Test("an entry refused for good is dropped and counted, and the next one is sent")
    func rejected() throws {
        let receiver = try HTTPReceiver { number, _ in number == 0 ? .status(400, body: "no such thing") : .status(200)
        }
        let scene = try Scene(receiver.url)
        scene.send(["bad", "good"])
        try scene.waitUntilEmpty()
        #expect(receiver.requests.map(\.text) == ["bad", "good"])
        #expect(
            scene.status.drops == ["rejected": 1] && scene.status.failures == ["rejected": 1] && scene.status.sent == 1)
    }

    @Test("after a partial write the rest is not sent again")
    func partial() throws {
        let receiver = try HTTPReceiver { _, _ in .status(400, body: "{\"error\":\"partial write: x dropped=1\"}") }
        let scene = try Scene(receiver.url, policy: .influxDB)
        scene.send(["lines"])
        try scene.waitUntilEmpty()
        #expect(receiver.requests.count == 1)
        #expect(scene.status.failures == ["partial": 1] && scene.status.sent == 1 && scene.status.drops.isEmpty)
    }

    @Test("a destination whose port nobody listens on keeps its queue, and takes it when somebody does")
    func refused() throws {
        let port = try HTTPReceiver().port
        let scene = try Scene("http://127.0.0.1:\(port)")
        scene.send(["one", "two"])
        try Watchdog.wait(for: "attempts in vain") { scene.status.failed["transport"] ?? 0 >= 2 }
        #expect(!scene.status.isOK && scene.store.level(of: "peer").entries == 2)
        let receiver = try HTTPReceiver(port: port)
        try scene.waitUntilEmpty()
        #expect(receiver.taken.map(\.text) == ["one", "two"])
    }

    @Test("entries older than the queue's limit are dropped and counted")
    func expired() throws {
        let receiver = try HTTPReceiver { _, _ in .status(503) }
        let scene = try Scene(receiver.url) { $0.queue.maximumAgeSeconds = 1 }
        scene.send(["one"])
        try scene.waitUntilEmpty()
        #expect(scene.status.drops == ["age": 1] && scene.status.sent == 0)
    }

    @Test(
        "a request carries what its destination wants: user and password, bearer or token, from the file as it is now, and headers"
    )
    func authorized() throws {
        let folder = TemporaryRingDirectory(under: "/tmp")
        let file = "\(folder.path)/token"
        RingFile.make(file, Array(" one\n".utf8))
        let receiver = try HTTPReceiver()
        let basic = try Scene(receiver.url) { $0.authorization = .basic(user: "u", password: .text("p:w")) }
        basic.send(["a"])
        try basic.waitUntilEmpty()
        let bearer = try Scene(receiver.url) {
            $0.authorization = .bearer(.file(file))
            $0.headers = [Destination.Header(name: "X-Scope-OrgID", value: "desk")]
        }
        bearer.send(["b"], headers: [.init("X-Own", "1")])
        try bearer.waitUntilEmpty()
        RingFile.make(file, Array("two\n".utf8))
        bearer.send(["c"])
        try bearer.waitUntilEmpty()
        let token = try Scene(receiver.url) { $0.authorization = .token(.text("t")) }
        token.send(["d"])
        try token.waitUntilEmpty()
        let sent = receiver.requests.map { $0.headers["authorization"] }
        #expect(sent == ["Basic dTpwOnc=", "Bearer one", "Bearer two", "Token t"])
        let second = receiver.requests[1].headers
        #expect(second["x-scope-orgid"] == "desk" && second["x-own"] == "1" && second["content-type"] == "text/x")
        #expect(second["user-agent"] == "ringside/test" && receiver.requests[1].method == "POST")
        let missing = try Scene(receiver.url) { $0.authorization = .bearer(.file(file + "none")) }
        missing.send(["e"])
        try Watchdog.wait(for: "attempts in vain") { missing.status.failed["secret"] ?? 0 >= 1 }
        #expect(receiver.requests.count == 4)
    }

    @Test("a body of megabytes arrives whole, and an answer of megabytes hurts nobody")
    func large() throws {
        let answer = String(repeating: "x", count: 3_000_000)
        let receiver = try HTTPReceiver { _, _ in .status(200, body: answer) }
        let scene = try Scene(receiver.url) { $0.requestTimeoutMilliseconds = 60_000 }
        let text = String(repeating: "0123456789", count: 300_000)
        scene.send([text])
        try scene.waitUntilEmpty()
        #expect(receiver.taken.map(\.text) == [text] && scene.status.sent == 1)
    }

    @Test("a lane that ends in the middle of an unanswered request leaves the entry in the queue")
    func ends() throws {
        let receiver = try HTTPReceiver { _, _ in .silence }
        var scene: Scene? = try Scene(receiver.url) { $0.requestTimeoutMilliseconds = 600_000 }
        let store = scene!.store
        scene!.send(["one"])
        try Watchdog.wait(for: "the request") { receiver.requests.count == 1 }
        scene = nil
        #expect(store.level(of: "peer").entries == 1)
    }
}

extension ExportStatus {
    /// The drops that occurred, by reason.
    fileprivate var drops: [String: UInt64] { dropped.filter { $0.value > 0 } }
    fileprivate var failures: [String: UInt64] { failed.filter { $0.value > 0 } }
}
