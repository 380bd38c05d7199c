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

    var port: UInt16 { server.port }

    /// How often the writing of `/slow` began, and ended.
    var slowRenders: (begun: Int, ended: Int) { slow.withLock { $0 } }
    private let slow: SlowRenders

    /// - Parameters:
    ///   - padding: Bytes that `/large` answers with.
    ///   - renderMicroseconds: How long `/slow` takes to be written.
    ///   - web: Who may ask, and how much.
    init(
        patience: Int64 = 10_000_000_000, isReady: Bool = true, padding: Int = 0, renderMicroseconds: UInt32 = 0,
        web: WebConfiguration = WebConfiguration(), connectionBound: Int = .max
    ) throws {
        let slow = SlowRenders()
        self.slow = slow
        exchange = try SnapshotExchange(patienceNanoseconds: patience)
        if isReady { readiness.markReady() }
        let renders = RenderCount()
        let endpoints = HTTPEndpoints(version: "9.9", readiness: readiness, logger: Logger(level: .error))
        let large = HTTPResponse.text(String(repeating: "x", count: padding))
        let own: [HTTPRoute] = [
            .snapshot("/snapshot") { snapshot in
                .text("snapshot \(snapshot.unixNanoseconds), render \(renders.next())")
            },
            .snapshot("/slow") { _ in
                slow.withLock { $0.begun += 1 }
                usleep(renderMicroseconds)
                slow.withLock { $0.ended += 1 }
                return .text("slow")
            },
            .post("/act") { .text("done") },
            .immediate("/large") { large },
        ]
        server = try HTTPServer(
            port: 0, routes: endpoints.routes + own, exchange: exchange, access: openAccess(web),
            allowedHosts: ["trader.example"], connectionBound: connectionBound)
    }

    /// Waits until so many requests are suspended.
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

private final class SlowRenders: Sendable {
    private let counts = Mutex((begun: 0, ended: 0))

    func withLock<Result>(_ body: (inout (begun: Int, ended: Int)) -> Result) -> Result {
        counts.withLock { body(&$0) }
    }
}

/// Counts what `/snapshot` renders, from 1.
private final class RenderCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

/// A web configuration that no file says.
func openAccess(_ configuration: WebConfiguration = WebConfiguration()) throws -> WebAccess {
    try WebAccess(configuration, logger: Logger(level: .error))
}
