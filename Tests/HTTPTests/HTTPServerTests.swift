import Drain
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPServerTests {
    @Test("a known path answers 200 with its type, its length and no leave to store it")
    func known() throws {
        let server = try HTTPTestServer()
        let response = try HTTPTestClient.get("/-/healthy", port: server.port)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(response.headers["content-length"] == "\(response.body.utf8.count)")
        #expect(response.headers["cache-control"] == "no-store")
    }

    @Test("an unknown path answers 404 and says which paths there are")
    func unknown() throws {
        let server = try HTTPTestServer()
        for path in ["/nothing", "/metrics/", "/metricsx", "//metrics", "/../metrics"] {
            let response = try HTTPTestClient.get(path, port: server.port)
            #expect(response.status == 404)
            #expect(response.body.contains("/metrics\n") && response.body.contains("/-/ready\n"))
        }
        #expect(try HTTPTestClient.get("/nothing", port: server.port, method: "POST").status == 404)
    }

    @Test(
        "another method than GET and HEAD answers 405 and names these",
        arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
    func methods(method: String) throws {
        let server = try HTTPTestServer()
        let response = try HTTPTestClient.get("/-/healthy", port: server.port, method: method)
        #expect(response.status == 405)
        #expect(response.headers["allow"] == "GET, HEAD")
    }

    @Test(
        "a body that nobody asked for, or one of no known or too great a length, is refused before it comes",
        arguments: [
            ("POST /-/healthy", "Content-Length: 5", 405), ("GET /-/healthy", "Content-Length: 5", 400),
            ("HEAD /-/healthy", "Content-Length: 1", 400), ("GET /-/healthy", "Transfer-Encoding: chunked", 400),
            ("GET /nothing", "Content-Length: 5", 404), ("POST /act", "Content-Length: 1025", 413),
            ("POST /act", "Content-Length: 18446744073709551615", 413),
            ("POST /act", "Transfer-Encoding: chunked", 411),
            ("GET /-/healthy", "Content-Length: 0", 200),
        ])
    func bodies(line: String, header: String, status: Int) throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        try client.send("\(line) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n\r\n")
        #expect(try client.receive(hasBody: !line.hasPrefix("HEAD")).status == status)
        if status != 200 { try Watchdog.wait(for: "an end of the connection") { client.isEnded } }
    }

    @Test("a short body of a POST is taken and not read")
    func shortBody() throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        for _ in 0..<3 {
            try client.send("POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.receive().body == "done\n")
        }
    }

    @Test("HEAD has the headers of GET and no body")
    func head() throws {
        let server = try HTTPTestServer()
        let get = try HTTPTestClient.get("/-/healthy", port: server.port)
        let client = try HTTPTestClient(port: server.port)
        try client.send("HEAD /-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let text = try client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.contains("Content-Length: \(get.body.utf8.count)\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("one connection carries many requests")
    func keepAlive() throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        for _ in 0..<20 {
            try client.send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().status == 200)
            try client.send("GET /snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try server.waitForRequests(1)
            server.publish()
            #expect(try client.receive().status == 200)
        }
    }

    @Test("requests sent at once on one connection are answered in their order")
    func pipelining() throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        try client.send(
            ["/-/healthy", "/snapshot", "/nothing", "/-/ready"].map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
                .joined()
        )
        try server.waitForRequests(1)
        server.publish()
        #expect(try (0..<4).map { _ in try client.receive().status } == [200, 200, 404, 200])
    }

    @Test(
        "a request that is not HTTP does no harm to the next client",
        arguments: [
            LabelledText("empty lines", "\r\n\r\n\r\n"), LabelledText("a word", "nonsense\r\n\r\n"),
            LabelledText("a method alone", "GET\r\n\r\n"), LabelledText("HTTP/9.9", "GET / HTTP/9.9\r\n\r\n"),
            LabelledText("control characters", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n"),
            LabelledText("a length below 0", "GET / HTTP/1.1\r\nContent-Length: -1\r\nHost: localhost\r\n\r\n"),
            LabelledText("a path with a NUL", "GET /%zz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText("a path of 100 kB", "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n"),
            LabelledText(
                "20,000 headers", "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 20_000) + "\r\n"),
            LabelledText("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}"),
        ])
    func garbage(request: LabelledText) throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        // The server may close before it has read everything.
        try? client.send(request.text)
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
    }

    @Test("a client that sends half a request keeps nobody waiting")
    func slowSender() throws {
        let server = try HTTPTestServer()
        let slow = try HTTPTestClient(port: server.port)
        try slow.send("GET /-/healthy HT")
        for _ in 0..<5 { #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200) }
        try slow.send("TP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try slow.receive().status == 200)
    }

    @Test("a client that does not read its answer keeps nobody waiting")
    func slowReader() throws {
        let size = 8_000_000
        let server = try HTTPTestServer(padding: size)
        let slow = try HTTPTestClient(port: server.port, receiveBuffer: 4096)
        try slow.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in 0..<5 { #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200) }
        #expect(try slow.receive().body.utf8.count == size + 1)
    }

    @Test("a taken port is reported in one line that suggests another")
    func portTaken() throws {
        let server = try HTTPTestServer()
        let exchange = try SnapshotExchange()
        let expected = HTTPServerError(
            "cannot listen on 127.0.0.1:\(server.port): Address already in use; choose another with --web.listen-address"
        )
        #expect(throws: expected) {
            try HTTPServer(port: server.port, routes: [], exchange: exchange, access: openAccess())
        }
    }

    @Test(
        "an address that is not this machine's, and a name that is none, are refused",
        arguments: ["192.0.2.1", "no.such.name.invalid", "1.2.3.4.5"])
    func badAddress(host: String) throws {
        let exchange = try SnapshotExchange()
        #expect { try HTTPServer(host: host, port: 0, routes: [], exchange: exchange, access: openAccess()) } throws: {
            "\($0)".hasPrefix("cannot listen on \(host):0: ")
                && "\($0)".hasSuffix("; choose another with --web.listen-address")
        }
    }

    @Test("loopback by name and all addresses can be listened on", arguments: ["localhost", "", "0.0.0.0"])
    func addresses(host: String) throws {
        let exchange = try SnapshotExchange()
        let server = try HTTPServer(
            host: host, port: 0, routes: [.immediate("/") { .text("here") }], exchange: exchange, access: openAccess())
        #expect(try HTTPTestClient.get("/", port: server.port).body == "here\n")
    }

    @Test("after a stop the port is free again and nothing answers")
    func stop() throws {
        let server = try HTTPTestServer()
        let port = server.port
        #expect(try HTTPTestClient.get("/-/healthy", port: port).status == 200)
        server.server.stop()
        server.server.stop()
        #expect(throws: HTTPTestClient.Failure.self) { try HTTPTestClient.get("/-/healthy", port: port) }
        let next = try HTTPServer(
            port: port, routes: [.immediate("/") { .text("next") }], exchange: SnapshotExchange(), access: openAccess())
        #expect(try HTTPTestClient.get("/", port: next.port).status == 200)
    }
}
