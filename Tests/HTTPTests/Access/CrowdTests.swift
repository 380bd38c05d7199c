import Drain
import Configuration
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Clients that take more than their share: too many, too slow, too large.
@Suite(.serialized) struct CrowdTests {
    private func web(_ change: (inout WebLimits) -> Void) -> WebConfiguration {
        var web = WebConfiguration()
        change(&web.limits)
        return web
    }

    private func isServed(_ server: HTTPTestServer) throws -> Bool {
        try HTTPTestClient.get("/-/healthy", port: server.port).status == 200
    }

    @Test(
        "eight clients that send a byte each 2.5 s, which is all that are taken at a time, keep no honest one out and are ended after 5 s"
    )
    func slowloris() throws {
        let server = try HTTPTestServer(web: web { ($0.connections, $0.connectionsPerAddress) = (8, 8) })
        var slow: [HTTPTestClient] = []
        for _ in 0..<8 { slow.append(try HTTPTestClient(port: server.port)) }
        let began = SnapshotExchange.now()
        for letter in "GET" {
            for client in slow where !client.isEnded { try? client.send(String(letter)) }
            #expect(try isServed(server))
            usleep(2_500_000)
        }
        try Watchdog.wait(for: "an end of the slow ones") { slow.allSatisfy(\.isEnded) }
        // One made room for each honest one; the others had their time, and no more.
        #expect(SnapshotExchange.now() - began >= 5_000_000_000)
        #expect(try isServed(server))
    }

    @Test("a client that sends bytes all the time has until its headers must be there, and no more")
    func trickle() throws {
        let server = try HTTPTestServer(web: web { $0.requestNanoseconds = 1_000_000_000 })
        let slow = try HTTPTestClient(port: server.port)
        let began = SnapshotExchange.now()
        try slow.send("GET / HTTP/1.1\r\n")
        try Watchdog.wait(for: "an end of the connection") {
            try? slow.send("X: y\r\n")
            usleep(20_000)
            return slow.isEnded
        }
        #expect(SnapshotExchange.now() - began >= 1_000_000_000)
    }

    @Test("a request whose body does not come is ended too")
    func body() throws {
        let server = try HTTPTestServer(web: web { $0.requestNanoseconds = 500_000_000 })
        let slow = try HTTPTestClient(port: server.port)
        try slow.send("GET /-/healthy HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nx")
        try Watchdog.wait(for: "an end of the connection") {
            try? slow.send("x")
            usleep(50_000)
            return slow.isEnded
        }
    }

    @Test(
        "a client that does not read its answer is ended after its time, and one that waits for the next request later")
    func idle() throws {
        let server = try HTTPTestServer(
            padding: 20_000_000,
            web: web {
                ($0.answerNanoseconds, $0.keepAliveNanoseconds) = (1_000_000_000, 6_000_000_000)
                $0.requestNanoseconds = 1_000_000_000
            })
        let reader = try HTTPTestClient(port: server.port, receiveBuffer: 4096)
        try reader.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
        let keeper = try HTTPTestClient(port: server.port)
        for _ in 0..<3 {
            try keeper.send("GET /-/healthy HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try keeper.receive().status == 200)
            // Longer than the headers of a first request may take.
            usleep(1_500_000)
        }
        let received = try reader.receiveAll()
        #expect(received.utf8.count < 20_000_000)
        try Watchdog.wait(for: "an end of the one that waits") { keeper.isEnded }
    }

    @Test("500 connections that ask for nothing keep nobody out, and no more of them stay than are taken at a time")
    func many() throws {
        let server = try HTTPTestServer(web: web { ($0.connections, $0.connectionsPerAddress) = (64, 64) })
        var idle: [HTTPTestClient] = []
        for number in 0..<500 {
            idle.append(try HTTPTestClient(port: server.port))
            if number % 100 == 99 { #expect(try isServed(server)) }
        }
        try Watchdog.wait(for: "room for the bounded number") { idle.count { !$0.isEnded } <= 64 }
        #expect(try isServed(server))
        // The last to come are those that stay.
        let staying = idle.prefix(400).count { !$0.isEnded }
        #expect(staying == 0)
    }

    @Test("who has a request in work is not put out by those who have none, and one more of these is refused")
    func busy() throws {
        let server = try HTTPTestServer(web: web { ($0.connections, $0.connectionsPerAddress) = (4, 4) })
        var working: [HTTPTestClient] = []
        for _ in 0..<4 {
            working.append(try HTTPTestClient(port: server.port))
            try working.last?.send("GET /snapshot HTTP/1.1\r\nHost: t\r\n\r\n")
        }
        try server.waitForRequests(4)
        let late = try HTTPTestClient(port: server.port)
        try Watchdog.wait(for: "a refusal") { late.isEnded }
        server.publish()
        for client in working { #expect(try client.receive().status == 200) }
    }

    @Test("headers beyond the bound are answered with 431, a request below it is served")
    func headers() throws {
        let server = try HTTPTestServer(web: web { $0.headerBytes = 2048 })
        func ask(_ bytes: Int) throws -> Int {
            let header = "X-Padding: \(String(repeating: "x", count: bytes))"
            return try HTTPTestClient.get("/-/healthy", port: server.port, headers: [header]).status
        }
        #expect(try ask(1000) == 200)
        #expect(try ask(2100) == 431)
        #expect(try ask(5000) == 431)
        let huge = try HTTPTestClient(port: server.port)
        // The server may end it before all is sent.
        try? huge.send("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 1_000_000))\r\n\r\n")
        #expect(try isServed(server))
    }

    @Test("a client that sends no more once it has asked gets its answer")
    func halfClosed() throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        try client.send("GET /snapshot HTTP/1.1\r\nHost: t\r\n\r\n")
        client.endSending()
        try server.waitForRequests(1)
        server.publish()
        #expect(try client.receive().status == 200)
        let silent = try HTTPTestClient(port: server.port)
        silent.endSending()
        try Watchdog.wait(for: "an end of the one that asks nothing") { silent.isEnded }
    }

    @Test("requests beyond an address' rate are answered with 429 and when to come again")
    func rate() throws {
        let server = try HTTPTestServer(web: web { ($0.requestsPerSecond, $0.burst) = (0.5, 3) })
        let answers = try (0..<4).map { _ in try HTTPTestClient.get("/-/healthy", port: server.port) }
        #expect(answers.map(\.status) == [200, 200, 200, 429])
        #expect(answers[3].headers["retry-after"] == "1")
        try Watchdog.wait(for: "a token that came back") { try isServed(server) }
    }
}
