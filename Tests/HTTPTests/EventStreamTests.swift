import Configuration
import Drain
import Exposition
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// A client of a stream, on a bare socket.
private final class Listener {
    private let client: HTTPTestClient
    private var reader = EventReader()
    private var events: [StreamEvent] = []
    private(set) var value = JSONValue.null

    init(_ server: HTTPTestServer, headers: [String] = [], receiveBuffer: Int32? = nil) throws {
        client = try HTTPTestClient(port: server.port, receiveBuffer: receiveBuffer)
        let lines = ["GET /stream HTTP/1.1", "Host: localhost"] + headers
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    var head: String {
        get throws {
            while reader.head == nil { guard try receive() else { break } }
            return reader.head ?? ""
        }
    }

    /// Receives some of the stream. Returns false at its end.
    private func receive() throws -> Bool {
        let bytes = try client.receiveSome()
        events += reader.take(bytes)
        return !bytes.isEmpty
    }

    /// Returns the next event, and applies it to the known value.
    func next() throws -> StreamEvent {
        while events.isEmpty {
            guard try receive() else { throw HTTPTestClient.Failure(description: "the stream ended") }
        }
        let event = events.removeFirst()
        switch event.name {
        case "snapshot": value = try JSONValue(event.data.utf8)
        case "change": value.apply(change: try JSONValue(event.data.utf8))
        default: break
        }
        return event
    }

    /// Reads to the end. Returns whether the answer itself ended, and not only the connection.
    func end() throws -> Bool {
        while try receive() {}
        return reader.isEnded
    }
}

@Suite("The stream of events") struct EventStreamTests {
    private func publish(_ server: HTTPTestServer, _ value: UInt64, counters: Int = 32, bots: Int = 1) throws {
        try server.waitForRequests(1)
        server.publish(fleet(counters: counters, time: Int64(value) * 1_000_000_000, value: value, bots: bots))
    }

    private func expected(_ value: UInt64, counters: Int = 32, bots: Int = 1) throws -> JSONValue {
        let snapshot = fleet(counters: counters, time: Int64(value) * 1_000_000_000, value: value, bots: bots)
        return try JSONValue(LatestJSON.render(snapshot))
    }

    @Test("it begins with a snapshot and goes on with changes that lead to each later one")
    func changes() throws {
        let server = try HTTPTestServer()
        let listener = try Listener(server)
        #expect(try listener.head.contains("Content-Type: text/event-stream\r\n"))
        #expect(try listener.head.contains("Cache-Control: no-store\r\n"))
        var ids: [String] = []
        for value: UInt64 in 1...5 {
            try publish(server, value)
            let event = try listener.next()
            #expect(event.name == (value == 1 ? "snapshot" : "change"))
            #expect(try listener.value == expected(value))
            ids.append(event.id ?? "")
        }
        #expect(Set(ids).count == 5)
        let epochs = Set(ids.map { $0.split(separator: "-").first })
        #expect(epochs.count == 1)
        #expect(ids.compactMap { $0.split(separator: "-").last.flatMap { UInt64($0) } } == [1, 2, 3, 4, 5])
    }

    @Test("a bot that comes makes it send the whole document")
    func newBot() throws {
        let server = try HTTPTestServer()
        let listener = try Listener(server)
        for bots in 1...3 {
            try publish(server, 1, bots: bots)
            #expect(try listener.next().name == "snapshot")
            #expect(try listener.value == expected(1, bots: bots))
        }
    }

    @Test("a listener that comes back with the last id gets the changes since; with another id, the whole document")
    func resumed() throws {
        let server = try HTTPTestServer()
        let first = try Listener(server)
        var ids: [String] = []
        for value: UInt64 in 1...3 {
            try publish(server, value)
            ids.append(try first.next().id ?? "")
        }
        let resumed = try Listener(server, headers: ["Last-Event-ID: \(ids[2])"])
        let strange = try Listener(server, headers: ["Last-Event-ID: other-3"])
        let old = try Listener(server, headers: ["Last-Event-ID: \(ids[0])"])
        for listener in [resumed, strange, old] { #expect(try listener.head.hasPrefix("HTTP/1.1 200")) }
        try publish(server, 4)
        let next = try resumed.next()
        #expect(next.name == "change")
        #expect(try JSONValue(next.data.utf8)["time"] == .number(4))
        #expect(try strange.next().name == "snapshot")
        // The changes of every counter are together longer than the document.
        #expect(try old.next().name == "snapshot")
        try publish(server, 5)
        // A listener that was quick enough got the third snapshot first, which is allowed.
        for listener in [strange, old] {
            for _ in 4...5 where try listener.value != expected(5) {
                #expect(try listener.next().name == "change")
            }
            #expect(try listener.value == expected(5))
        }
    }

    @Test("a listener that reads slowly is not buffered for: it gets the last document, and ends up with the same")
    func slow() throws {
        let server = try HTTPTestServer()
        let slow = try Listener(server, receiveBuffer: 4096)
        let fast = try Listener(server)
        let last: UInt64 = 30
        for value in 1...last {
            try publish(server, value, counters: 500)
            _ = try fast.next()
        }
        #expect(try fast.value == expected(last, counters: 500))
        var (count, snapshots) = (0, 0)
        let wanted = try expected(last, counters: 500)
        while slow.value != wanted {
            snapshots += try slow.next().name == "snapshot" ? 1 : 0
            count += 1
        }
        #expect(count < Int(last) && snapshots >= 2, "\(count) events, \(snapshots) snapshots")
    }

    @Test("nothing is asked of the drain without listeners, and a client that goes away is noticed")
    func idle() throws {
        let server = try HTTPTestServer()
        usleep(60_000)
        #expect(server.exchange.waitingCount == 0)
        var listener: Listener? = try Listener(server)
        try publish(server, 1)
        _ = try listener?.next()
        #expect(server.feed.listenerCount == 1)
        listener = nil
        var value: UInt64 = 2
        try Watchdog.wait(for: "the end of the listener") {
            if server.exchange.waitingCount > 0 {
                try publish(server, value)
                value += 1
            }
            return server.feed.listenerCount == 0
        }
        if server.exchange.waitingCount > 0 { try publish(server, value) }
        usleep(60_000)
        #expect(server.exchange.waitingCount == 0)
    }

    @Test("more listeners than the limit are told so, and find room once one has gone")
    func limit() throws {
        var web = WebConfiguration()
        web.limits.eventStreams = 2
        let server = try HTTPTestServer(web: web)
        let listeners = try [Listener(server), Listener(server)]
        try publish(server, 1)
        for listener in listeners { _ = try listener.next() }
        let refused = try HTTPTestClient.get("/stream", port: server.port)
        #expect(refused.status == 503)
        #expect(refused.body.contains("2 clients listen") && refused.body.contains("limits.event_streams"))
    }

    @Test("streams leave half of the connections to others")
    func half() throws {
        var web = WebConfiguration()
        (web.limits.eventStreams, web.limits.connections) = (16, 4)
        let server = try HTTPTestServer(web: web)
        let listeners = try [Listener(server), Listener(server)]
        for listener in listeners { #expect(try listener.head.hasPrefix("HTTP/1.1 200")) }
        #expect(try HTTPTestClient.get("/stream", port: server.port).status == 503)
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
    }

    @Test("a collector that is not ready, and HEAD, open no stream")
    func noStream() throws {
        let server = try HTTPTestServer(isReady: false)
        let response = try HTTPTestClient.get("/stream", port: server.port)
        #expect(response.status == 503 && response.body == "the collector has not yet caught up with its rings\n")
        server.readiness.markReady()
        #expect(try HTTPTestClient.get("/stream", port: server.port, method: "HEAD").status == 200)
        #expect(server.feed.listenerCount == 0)
    }

    @Test("a page of another site opens no stream")
    func crossSite() throws {
        let server = try HTTPTestServer()
        for header in ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"] {
            #expect(try HTTPTestClient.get("/stream", port: server.port, headers: [header]).status == 403)
        }
    }

    @Test("while there is no snapshot it sends heartbeats, and then goes on")
    func heartbeats() throws {
        let server = try HTTPTestServer(patience: 20_000_000, heartbeat: 40_000_000)
        let listener = try Listener(server)
        for _ in 0..<2 {
            let event = try listener.next()
            #expect(event.name == "heartbeat" && event.id == nil && event.data == "{\"time\":1700000000}")
        }
        try Watchdog.wait(for: "a snapshot") {
            // The snapshot must come in time for a request. If it came too late, it is published again.
            try publish(server, 1)
            return try listener.next().name == "snapshot"
        }
        #expect(try listener.value == expected(1))
    }

    @Test("a stop ends all streams")
    func stop() throws {
        let server = try HTTPTestServer()
        let listeners = try (0..<10).map { _ in try Listener(server) }
        try publish(server, 1)
        for listener in listeners { _ = try listener.next() }
        // One listener does not read.
        let slow = try Listener(server, receiveBuffer: 4096)
        try publish(server, 2, counters: 4000)
        server.server.stop()
        for listener in listeners { _ = try listener.end() }
        _ = try slow.end()
        #expect(server.feed.listenerCount == 0)
    }
}
