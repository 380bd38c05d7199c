import Drain
import Configuration
import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Tests clients that take more than their share: too many, too slow, too large.
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
        // One client made room for each honest one. The others had their full time, and no more.
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
        try slow.send("POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
        try Watchdog.wait(for: "an end of the connection") {
            try? slow.send("x")
            usleep(50_000)
            return slow.isEnded
        }
    }

    /// The repeated behaviour of a hostile client on its connection.
    enum Hostility: String, CaseIterable {
        case silent, headers, postBody, getBody, foreignBody, unknownBody, halfTLS, pipelined, keptAlive
    }

    private func attack(_ client: HTTPTestClient, _ kind: Hostility, isFirst: Bool) {
        let head = "HTTP/1.1\r\nHost: localhost\r\n"
        let body = "Content-Length: 1000\r\n\r\n"
        let text =
            switch kind {
            case .silent: ""
            case .headers: isFirst ? "GET /-/healthy \(head)" : "X: y\r\n"
            case .postBody: isFirst ? "POST /act \(head)\(body)" : "x"
            case .getBody: isFirst ? "GET /-/healthy \(head)\(body)" : "x"
            case .foreignBody: isFirst ? "POST /act HTTP/1.1\r\nHost: evil.example\r\n\(body)" : "x"
            case .unknownBody: isFirst ? "PUT /nothing \(head)\(body)" : "x"
            case .halfTLS: isFirst ? "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}" : "\u{1}"
            case .pipelined: String(repeating: "GET /-/healthy \(head)\r\n", count: isFirst ? 20 : 1)
            case .keptAlive: isFirst ? "GET /-/healthy \(head)\r\n" : ""
            }
        try? client.send(text)
    }

    @Test(
        "500 hostile connections of the same address and of others, which come again when they are ended, keep no honest one out, without or with credentials",
        arguments: Hostility.allCases, [false, true])
    func hostile(kind: Hostility, wantsToken: Bool) throws {
        var web = WebConfiguration()
        if wantsToken { web.bearerTokens = ["a-token-of-some-length"] }
        let server = try HTTPTestServer(web: web)
        func open(_ number: Int) throws -> HTTPTestClient {
            // Half of them come from the honest client's address.
            let source: UInt32 = number % 2 == 0 ? 0x7F00_0001 : 0x7F00_0002 + UInt32(number % 8)
            let client = try HTTPTestClient(port: server.port, from: source)
            attack(client, kind, isFirst: true)
            return client
        }
        var hostile: [HTTPTestClient] = []
        for number in 0..<500 { hostile.append(try open(number)) }
        for round in 0..<10 {
            let headers = wantsToken ? ["Authorization: Bearer a-token-of-some-length"] : []
            #expect(try HTTPTestClient.get("/-/healthy", port: server.port, headers: headers).status == 200)
            for index in hostile.indices where index % 10 == round {
                if hostile[index].isEnded {
                    hostile[index] = try open(index)
                } else {
                    attack(hostile[index], kind, isFirst: false)
                }
            }
        }
    }

    @Test(
        "so many requests that come at once, while the server does something else, are all answered when it is done",
        arguments: [64, 126, 127, 128, 129, 255, 256, 257])
    func atOnce(count: Int) throws {
        let server = try HTTPTestServer(web: web { $0.connectionsPerAddress = 512 })
        let clients = try (0..<count).map { _ in try HTTPTestClient(port: server.port) }
        // Each gets a first answer, so that no connection is new when the others come.
        for client in clients {
            try client.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().status == 200)
        }
        let holder = try HTTPTestClient(port: server.port)
        server.slow.hold()
        try holder.send("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try Watchdog.wait(for: "a server that does something else") { server.slow.begun > 0 }
        for client in clients { try client.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        server.slow.release()
        for client in clients { #expect(try client.receive().status == 200) }
        #expect(try holder.receive().status == 200)
    }

    @Test("300 clients that do not read their answers do not keep out an honest one")
    func slowReaders() throws {
        let server = try HTTPTestServer(padding: 5_000_000)
        var slow: [HTTPTestClient] = []
        for round in 0..<3 {
            for _ in 0..<100 {
                let client = try HTTPTestClient(port: server.port, receiveBuffer: 4096)
                try client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                slow.append(client)
            }
            #expect(try isServed(server), "round \(round)")
        }
        // Each of them keeps a whole answer in memory, so only a few may stay.
        try Watchdog.wait(for: "an end of most") {
            let isStillServed = try isServed(server)
            return isStillServed && slow.count { !$0.isBrokenOff && !$0.isEnded } <= 64
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
        try reader.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let keeper = try HTTPTestClient(port: server.port)
        for _ in 0..<3 {
            try keeper.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try keeper.receive().status == 200)
            // The pause is longer than the headers of a first request may take.
            usleep(1_500_000)
        }
        let received = try reader.receiveAll()
        #expect(received.utf8.count < 20_000_000)
        try Watchdog.wait(for: "an end of the one that waits") { keeper.isEnded }
    }

    @Test("500 connections that ask for nothing keep nobody out, and no more of them stay than are allowed at a time")
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

    @Test("a client whose request is in work is not closed, and one more waits for room instead of being refused")
    func busy() throws {
        let server = try HTTPTestServer(web: web { ($0.connections, $0.connectionsPerAddress) = (4, 4) })
        var working: [HTTPTestClient] = []
        for _ in 0..<4 {
            working.append(try HTTPTestClient(port: server.port))
            try working.last?.send("GET /snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        try server.waitForRequests(4)
        let late = try HTTPTestClient(port: server.port)
        try late.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        usleep(300_000)
        #expect(!late.hasAnswer && !late.isEnded)
        server.publish()
        for client in working { #expect(try client.receive().status == 200) }
        #expect(try late.receive().status == 200)
    }

    @Test("as many idle connections as there is room for stay as long as nobody else comes")
    func idleStay() throws {
        let server = try HTTPTestServer(web: web { ($0.connections, $0.connectionsPerAddress) = (4, 4) })
        let idle = try (0..<4).map { _ in try HTTPTestClient(port: server.port) }
        usleep(200_000)
        for client in idle {
            try client.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().status == 200)
        }
        usleep(200_000)
        #expect(idle.count(where: \.isEnded) == 0)
    }

    @Test(
        "a newcomer has half a second for its first request, however many others come; who was answered gives way at once"
    )
    func grace() throws {
        var limits = WebLimits()
        (limits.connections, limits.connectionsPerAddress) = (2, 2)
        let connections = try HTTPConnections(limits: limits)
        let (address, millisecond) = (HTTPClientAddress(nil), Int64(1_000_000))
        // These numbers are no descriptors, so they are ended only in the account.
        for descriptor in [Int32(1_000_001), 1_000_002] {
            connections.enter(descriptor, address, now: 0)
            #expect(!connections.makeRoom(now: 0) || descriptor == 1_000_001)
            connections.begin(descriptor, address, now: 0)
        }
        #expect(!connections.hasRoom(now: 400 * millisecond) && !connections.makeRoom(now: 400 * millisecond))
        // The server looks again when the first of them may be closed.
        #expect(connections.reap(now: 400 * millisecond) == 500 * millisecond)
        connections.noteHeaders(1_000_001, now: 450 * millisecond)
        connections.noteRequest(1_000_001, now: 450 * millisecond)
        #expect(connections.hasRoom(now: 500 * millisecond) && connections.makeRoom(now: 500 * millisecond))
        connections.end(1_000_002)
        connections.enter(1_000_003, address, now: 500 * millisecond)
        connections.begin(1_000_003, address, now: 500 * millisecond)
        #expect(!connections.makeRoom(now: 600 * millisecond))
        connections.noteAnswer(1_000_001, now: 600 * millisecond)
        #expect(!connections.makeRoom(now: 600 * millisecond))
        connections.noteEnd(1_000_001, now: 601 * millisecond)
        #expect(connections.makeRoom(now: 601 * millisecond))
    }

    @Test("with few descriptors fewer connections are open than are configured, and each honest one is served")
    func fewDescriptors() throws {
        let server = try HTTPTestServer(connectionBound: 4)
        var idle: [HTTPTestClient] = []
        for _ in 0..<40 { idle.append(try HTTPTestClient(port: server.port)) }
        #expect(try isServed(server))
        try Watchdog.wait(for: "four at most") { idle.count { !$0.isEnded } <= 4 }
    }

    @Test("requests by another method, for another host or from another site count like all others")
    func refusedCount() throws {
        for (method, host) in [("DELETE", "localhost"), ("GET", "evil.example"), ("BREW", "localhost")] {
            let server = try HTTPTestServer(web: web { ($0.requestsPerSecond, $0.burst) = (0.01, 5) })
            var statuses: [Int] = []
            for _ in 0..<8 {
                let client = try HTTPTestClient(port: server.port)
                try client.send("\(method) /latest HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                statuses.append(try client.receive().status)
            }
            #expect(statuses.prefix(5).allSatisfy { $0 != 429 } && statuses.suffix(3) == [429, 429, 429], "\(method)")
        }
    }

    @Test("a connection that asks without a pause leaves the last of its address' requests to others")
    func reserve() throws {
        let server = try HTTPTestServer(web: web { ($0.requestsPerSecond, $0.burst) = (0.01, 40) })
        let greedy = try HTTPTestClient(port: server.port)
        var statuses: [Int] = []
        for _ in 0..<60 {
            try greedy.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            statuses.append(try greedy.receive().status)
        }
        #expect(statuses.count { $0 == 200 } == 30 && statuses.last == 429)
        for _ in 0..<10 { #expect(try isServed(server)) }
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
        try client.send("GET /snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n")
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
