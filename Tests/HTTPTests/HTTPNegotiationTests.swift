import Drain
import Glibc
import Series
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPNegotiationTests {
    private func ask(
        _ server: HTTPTestServer, _ headers: [String], method: String = "GET", path: String = "/metrics"
    ) throws -> HTTPTestClient {
        let client = try HTTPTestClient(port: server.port)
        let lines = headers.map { $0 + "\r\n" }.joined()
        try client.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
        return client
    }

    private func answer(
        _ server: HTTPTestServer, _ headers: [String], method: String = "GET"
    ) throws -> HTTPTestClient.Response {
        let client = try ask(server, headers, method: method)
        try server.waitForRequests(1)
        server.publish()
        return try client.receive(hasBody: method != "HEAD")
    }

    @Test(
        "each form comes with its type, and says what it depends on",
        arguments: [
            (NegotiationTests.browser, "text/plain; version=0.0.4; charset=utf-8"),
            (NegotiationTests.prometheus242, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            (
                "application/openmetrics-text;version=0.0.1",
                "application/openmetrics-text; version=0.0.1; charset=utf-8"
            ),
            (
                NegotiationTests.prometheus242Native,
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
            ),
        ])
    func forms(accept: String, type: String) throws {
        let server = try HTTPTestServer()
        let plain = try answer(server, ["Accept: \(accept)"])
        #expect(plain.status == 200 && plain.headers["content-type"] == type)
        #expect(plain.headers["vary"] == "Accept, Accept-Encoding" && plain.headers["content-encoding"] == nil)
        #expect(!plain.bytes.isEmpty)
        let head = try answer(server, ["Accept: \(accept)"], method: "HEAD")
        #expect(head.status == 200 && head.headers["content-type"] == type)
        #expect(Int(head.headers["content-length"] ?? "") ?? 0 > 0)
    }

    @Test("preferences spread over several headers count as one list")
    func severalHeaders() throws {
        let response = try answer(
            HTTPTestServer(),
            [
                "Accept: text/plain;q=0.5", "accept: application/openmetrics-text;q=0.6", "Accept-Encoding: br",
                "Accept-Encoding: gzip",
            ])
        #expect(response.headers["content-type"]?.hasPrefix("application/openmetrics-text") == true)
        #expect(response.headers["content-encoding"] == "gzip")
    }

    @Test("gzip is the same page, made once a snapshot and form beside the plain one")
    func gzip() throws {
        let server = try HTTPTestServer()
        let clients = try ["gzip", "", "gzip", "identity"].map { try ask(server, ["Accept-Encoding: \($0)"]) }
        try server.waitForRequests(4)
        server.publish()
        let answers = try clients.map { try $0.receive() }
        #expect(answers.map { $0.headers["content-encoding"] } == ["gzip", nil, "gzip", nil])
        #expect(answers[0].bytes == answers[2].bytes && answers[1].bytes == answers[3].bytes)
        #expect(gunzip(answers[0].bytes, count: answers[1].bytes.count) == answers[1].bytes)
    }

    @Test("a body that fits into a packet is not compressed")
    func small() throws {
        let server = try HTTPTestServer()
        let client = try ask(server, ["Accept-Encoding: gzip"], path: "/snapshot")
        try server.waitForRequests(1)
        server.publish()
        let response = try client.receive()
        #expect(response.headers["content-encoding"] == nil && response.headers["vary"] == "Accept-Encoding")
        #expect(response.body == "snapshot 7, render 1\n")
    }

    @Test("a scraper is told before it gives up, and one that waits longer waits on")
    func scrapeTimeout() throws {
        let server = try HTTPTestServer(patience: 50_000_000)
        let begun = SnapshotExchange.now()
        let patient = try ask(server, ["X-Prometheus-Scrape-Timeout-Seconds: 30"])
        let hasty = try ask(server, ["X-Prometheus-Scrape-Timeout-Seconds: 0.2"])
        let response = try hasty.receive()
        #expect(response.status == 503 && response.body.contains("in time"))
        // The answer comes neither before its time, nor at the shorter patience of requests without a time.
        #expect(SnapshotExchange.now() - begun >= 150_000_000)
        #expect(server.exchange.waitingCount == 1)
        server.publish()
        #expect(try patient.receive().status == 200)
    }

    @Test("an answer that took too long to write is a 503, and the next one is tried again")
    func slowRendering() throws {
        let responder = SnapshotResponder(isNegotiated: false, refusal: { nil }, failure: { .noSnapshot }) { _, _ in
            usleep(30_000)
            return .text("late")
        }
        let exchange = try SnapshotExchange()
        exchange.publish(emptySnapshot(), begun: 1)
        let published = try #require(exchange.latest)
        let form = HTTPRepresentation()
        #expect(responder.reply(to: published, as: form, by: SnapshotExchange.now() + 1_000_000) == nil)
        // It was made all the same, for a client that waits longer.
        #expect(responder.reply(to: published, as: form, by: SnapshotExchange.now() + 1_000_000) != nil)
        exchange.publish(emptySnapshot(), begun: 2)
        let next = try #require(exchange.latest)
        let asked = SnapshotExchange.now()
        #expect(responder.reply(to: next, as: form, by: asked + 1_000_000) == nil)
        #expect(responder.reply(to: next, as: form, by: SnapshotExchange.now() + 60_000_000_000) != nil)
    }

    @Test("a page that takes long to write delays nobody who asks for something else")
    func slowRenderingKeepsNobodyWaiting() throws {
        let server = try HTTPTestServer()
        let slow = try ask(server, [], path: "/slow")
        try server.waitForRequests(1)
        server.slow.hold()
        defer { server.slow.release() }
        server.publish()
        try Watchdog.wait(for: "the writing of /slow") { server.slow.begun == 1 }
        for _ in 0..<5 { #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200) }
        #expect(server.slow.ended == 0)
        server.slow.release()
        #expect(try slow.receive().body == "slow\n")
    }

    @Test("a stop while a page is written answers it or closes, and does not hang")
    func stopWhileRendering() throws {
        let server = try HTTPTestServer(renderMicroseconds: 100_000)
        let clients = try (0..<4).map { _ in try ask(server, [], path: "/slow") }
        try server.waitForRequests(4)
        server.publish()
        server.server.stop()
        for client in clients {
            let text = try client.receiveAll()
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 200") || text.hasPrefix("HTTP/1.1 503"))
        }
    }

    @Test(
        "absurd requests do no harm to the next one",
        arguments: [
            LabelledText(
                "2,000 ranges in Accept",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: "
                    + String(repeating: "a/b;q=0.1,", count: 2_000) + "\r\n\r\n"),
            LabelledText(
                "an Accept of signs",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: ;;,,==\"\"\\\u{7f}\r\n\r\n"),
            LabelledText(
                "an Accept-Encoding of signs",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ;q=;q=;,gzip;q=9,\"\r\n\r\n"),
            LabelledText(
                "an endless timeout",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Prometheus-Scrape-Timeout-Seconds: 0x1p9999\r\n\r\n"),
            LabelledText(
                "a timeout of nothing",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Prometheus-Scrape-Timeout-Seconds: 1e-300\r\n\r\n"),
            LabelledText(
                "1,500 arguments",
                "GET /metrics?" + String(repeating: "a=b&", count: 1_500) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText(
                "50,000 arguments",
                "GET /metrics?" + String(repeating: "a=b&", count: 50_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText("a broken query", "GET /metrics?%00%ff=%zz#% HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText("a path with dots", "GET /metrics/../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText("DELETE", "DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            LabelledText("a picture", "GET /nothing HTTP/1.1\r\nHost: localhost\r\nAccept: image/png\r\n\r\n"),
            LabelledText(
                "900 Accepts",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "Accept: */*\r\n", count: 900)
                    + "\r\n"),
        ])
    func absurd(request: LabelledText) throws {
        let server = try HTTPTestServer(patience: 20_000_000)
        let client = try HTTPTestClient(port: server.port)
        try? client.send(request.text)
        // If the request is too large to be read to its end, the connection may be reset before its answer is read.
        let status = (try? client.receive().status) ?? 431
        #expect([200, 400, 404, 405, 414, 431, 503].contains(status))
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
    }
}
