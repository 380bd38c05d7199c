import TestSupport
import Platform
import Drain
import Collector
import Configuration
import Glibc
import Series
import Sketch
import Synchronization

@testable import HTTP

/// A server on a free port whose snapshots the test publishes by hand.
final class HTTPTestServer: Sendable {
    let exchange: SnapshotExchange
    let server: HTTPServer
    let readiness = Readiness()
    /// The feed of `/stream`, which asks for snapshots every 20 ms.
    let feed: EventFeed

    var port: UInt16 { server.port }

    /// The writing of `/slow`, and of `/held`, which blocks the server's only thread for requests.
    let slow: SlowRenders

    /// - Parameters:
    ///   - padding: The number of bytes in the answer of `/large`.
    ///   - renderMicroseconds: How long `/slow` takes to be written.
    ///   - web: The users, and the limits.
    ///   - heartbeat: How long `/stream` may send nothing, in nanoseconds.
    ///   - externalURL: The URL at which a proxy shows the server.
    ///   - alertRequests: The requests of the paths below `/alerts/`.
    init(
        patience: Int64 = 10_000_000_000, isReady: Bool = true, padding: Int = 0, renderMicroseconds: UInt32 = 0,
        web: WebConfiguration = WebConfiguration(), connectionBound: Int = .max,
        heartbeat: Int64 = 5_000_000_000, externalURL: String? = nil, alertRequests: AlertRequests? = nil
    ) throws {
        let slow = SlowRenders()
        self.slow = slow
        exchange = try SnapshotExchange(patienceNanoseconds: patience)
        if isReady { readiness.markReady() }
        let renders = RenderCount()
        let endpoints = HTTPEndpoints(
            version: "9.9", readiness: readiness, alertRequests: alertRequests, logger: Logger(level: .error))
        let readiness = readiness
        feed = try EventFeed(
            exchange: exchange, quantiles: [0.5, 0.95, 0.99, 0.999],
            refusal: { readiness.reasonToWait.map { .text($0, status: 503) } },
            intervalNanoseconds: 20_000_000, heartbeatNanoseconds: heartbeat, unix: { 1_700_000_000_000_000_000 })
        let large = HTTPResponse.text(String(repeating: "x", count: padding))
        let own: [HTTPRoute] = [
            .snapshot("/snapshot") { snapshot in
                .text("snapshot \(snapshot.unixNanoseconds), render \(renders.next())")
            },
            .snapshot("/slow") { _ in
                slow.render(microseconds: renderMicroseconds)
                return .text("slow")
            },
            .immediate("/held") {
                slow.render(microseconds: 0)
                return .text("held")
            },
            .post("/act") { .text("done") },
            .immediate("/large") { large },
            .events("/stream", feed),
            .file(
                "/file",
                HTTPFile(mediaType: "text/css", bytes: Array(String(repeating: "p {} ", count: 1000).utf8))),
        ]
        server = try HTTPServer(
            port: 0, routes: endpoints.makeRoutes() + own, exchange: exchange, access: openAccess(web),
            allowedHosts: ["trader.example"], externalURL: externalURL, connectionBound: connectionBound)
    }

    /// Waits until a number of requests are suspended.
    func waitForRequests(_ count: Int) throws {
        let deadline = SnapshotExchange.now() + 10_000_000_000
        while exchange.waitingCount < count {
            guard SnapshotExchange.now() < deadline else {
                throw HTTPTestClient.Failure(description: "\(exchange.waitingCount) of \(count) requests came")
            }
            usleep(500)
        }
    }

    func publish(_ snapshot: Snapshot = emptySnapshot()) {
        exchange.publish(snapshot, begun: SnapshotExchange.now())
    }
}

/// Counts how often a page was written, and holds the writing if a test requests that.
final class SlowRenders: Sendable {
    private struct State {
        var begun = 0
        var ended = 0
        var isHeld = false
    }

    private let state = Mutex(State())

    var begun: Int { state.withLock { $0.begun } }
    var ended: Int { state.withLock { $0.ended } }

    /// Lets no writing end before ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() { state.withLock { $0.isHeld = false } }

    func render(microseconds: UInt32) {
        state.withLock { $0.begun += 1 }
        usleep(microseconds)
        while state.withLock({ $0.isHeld }) { usleep(1000) }
        state.withLock { $0.ended += 1 }
    }
}

/// Counts the renderings of `/snapshot`, from 1.
private final class RenderCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Returns the access of a web configuration without a file.
func openAccess(_ configuration: WebConfiguration = WebConfiguration()) throws -> WebConfigurationFile {
    try WebConfigurationFile(configuration, logger: Logger(level: .error))
}
