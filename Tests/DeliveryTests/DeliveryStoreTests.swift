import Platform
import Configuration
import Glibc
import TestSupport
import Testing

@testable import Delivery

@Suite struct DeliveryStoreTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let logger = Logger(level: .error, descriptor: -1)

    private func entry(_ text: String, key: String? = nil) -> DeliveryEntry {
        DeliveryEntry(body: Array(text.utf8), contentType: "text/plain", headers: [.init("X-Count", "1")], key: key)
    }

    private func bounds(bytes: Int) -> QueueBounds {
        var bounds = QueueBounds()
        bounds.maximumBytes = bytes
        return bounds
    }

    @discardableResult
    private func add(
        _ texts: [String], to store: DeliveryStore, _ export: String = "a", bytes: Int = 1000, sparing: Int64? = nil
    ) throws -> Int {
        try store.apply(
            DeliveryStore.Change(entries: texts.map { entry($0) }), to: export, bounds: bounds(bytes: bytes),
            sparing: sparing)
    }

    /// Takes out all waiting entries, and returns their texts.
    private func texts(_ store: DeliveryStore, _ export: String = "a") throws -> [String] {
        var texts: [String] = []
        while let head = try store.head(of: export) {
            texts.append(String(decoding: head.entry.body, as: UTF8.self))
            try store.remove(head.id, of: export)
        }
        return texts
    }

    @Test("entries come out whole, in the order in which they went in, separately for each destination")
    func order() throws {
        let store = try DeliveryStore(path: nil)
        try add(["one", "two"], to: store)
        try add(["other"], to: store, "b")
        try add(["three", ""], to: store)
        let head = try #require(try store.head(of: "a"))
        #expect(head.entry == entry("one") && head.attempts == 0 && head.nextNanoseconds == 0)
        #expect(store.level(of: "a") == DeliveryStore.Level(entries: 4, bytes: 11))
        #expect(try texts(store) == ["one", "two", "three", ""])
        #expect(store.level(of: "a") == DeliveryStore.Level())
        #expect(try texts(store, "b") == ["other"])
    }

    @Test(
        "a queue that is too long loses its oldest, but for the one that is being sent, and what is longer than all of it"
    )
    func bounded() throws {
        let store = try DeliveryStore(path: nil)
        #expect(try add(["aaaa", "bbbb"], to: store, bytes: 10) == 0)
        #expect(try add(["cccc"], to: store, bytes: 10) == 1)
        let sent = try #require(try store.head(of: "a"))
        #expect(try add(["dddd"], to: store, bytes: 10, sparing: sent.id) == 1)
        #expect(try add(["eleven bytes"], to: store, bytes: 10) == 1)
        #expect(try texts(store) == ["bbbb", "dddd"])
    }

    @Test("entries that are too old are removed, and so are those of destinations no longer configured")
    func age() throws {
        let clock = SettableClock()
        let store = try DeliveryStore(path: nil, time: clock.source, bootID: "one")
        try add(["old"], to: store)
        try add(["orphan"], to: store, "gone")
        clock.pass(seconds: 20)
        try add(["new"], to: store)
        #expect(try store.expire("a", ageSeconds: 10) == 1)
        try store.expireOthers(than: ["a"], ageSeconds: 10)
        #expect(store.level(of: "gone") == DeliveryStore.Level())
        #expect(try texts(store) == ["new"])
    }

    @Test("an entry replaces the one with its key, behind the entries that wait already")
    func keys() throws {
        let store = try DeliveryStore(path: nil)
        func apply(_ change: DeliveryStore.Change) throws {
            _ = try store.apply(change, to: "a", bounds: QueueBounds(), sparing: nil)
        }
        try apply(DeliveryStore.Change(entries: [entry("first", key: "x"), entry("between")]))
        try apply(DeliveryStore.Change(entries: [entry("second", key: "x"), entry("y", key: "y")]))
        var change = DeliveryStore.Change()
        change.droppedKeys = ["y"]
        try apply(change)
        #expect(try texts(store) == ["between", "second"])
    }

    @Test("the queue survives a collector that crashed, with its attempts and the alerts notified")
    func survives() throws {
        let path = "\(folder.path)/delivery.sqlite"
        do {
            let store = try DeliveryStore(path: path)
            var change = DeliveryStore.Change(entries: [entry("one"), entry("two")])
            change.notices = [DeliveredNotice(notice: .example, isFiring: true).stored]
            _ = try store.apply(change, to: "a", bounds: QueueBounds(), sparing: nil)
            let head = try #require(try store.head(of: "a"))
            try store.postpone(head.id, attempts: 3, pauseNanoseconds: 5_000_000_000)
        }
        let store = try DeliveryStore.open(in: folder.path, logger: logger)
        let head = try #require(try store.head(of: "a"))
        #expect(head.attempts == 3 && head.createdNanoseconds <= store.now)
        #expect(head.nextNanoseconds - head.createdNanoseconds >= 5_000_000_000)
        #expect(store.level(of: "a") == DeliveryStore.Level(entries: 2, bytes: 6))
        let row = try #require(try store.sentNotices()["a"]?.first)
        #expect(DeliveredNotice(row) == DeliveredNotice(notice: .example, isFiring: true))
        #expect(try texts(store) == ["one", "two"])
    }

    @Test("a damaged file is set aside and a new one begun; where no file can be written the queue is in memory")
    func damage() throws {
        let path = "\(folder.path)/delivery.sqlite"
        RingFile.make(path, [UInt8](repeating: 0x5A, count: 8192))
        let store = try DeliveryStore.open(in: folder.path, logger: logger)
        #expect(store.path == path)
        try add(["one"], to: store)
        #expect(try texts(store) == ["one"])
        #expect(folder.entries().contains { $0.hasPrefix("delivery.sqlite.damaged-") })
        let memory = try DeliveryStore.open(in: "\(folder.path)/none/such", logger: logger)
        #expect(memory.path == nil)
        try add(["two"], to: memory)
        #expect(try texts(memory) == ["two"])
    }
}
