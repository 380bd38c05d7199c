import TestSupport
import Drain
import Glibc
import Platform
import Series
import Synchronization
import Testing

@testable import HTTP

@Suite struct HTTPSnapshotTests {
    private let request = "GET /snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("fifty requests at once are answered by one snapshot, rendered once")
    func coalescing() throws {
        let server = try HTTPTestServer()
        let clients = try (0..<50).map { _ in try HTTPTestClient(port: server.port) }
        for client in clients { try client.send(request) }
        try server.waitForRequests(50)
        server.publish(emptySnapshot(unixNanoseconds: 42))
        let bodies = try clients.map { try $0.receive().body }
        #expect(Set(bodies) == ["snapshot 42, render 1\n"])
    }

    @Test("a snapshot begun before the request came does not answer it")
    func freshness() throws {
        let server = try HTTPTestServer()
        let before = SnapshotExchange.now()
        let client = try HTTPTestClient(port: server.port)
        try client.send(request)
        try server.waitForRequests(1)
        server.exchange.publish(emptySnapshot(unixNanoseconds: 1), begun: before)
        #expect(server.exchange.waitingCount == 1)
        #expect(isReadable(server.exchange.wakeDescriptor))
        server.publish(emptySnapshot(unixNanoseconds: 2))
        #expect(try client.receive().body == "snapshot 2, render 1\n")
    }

    @Test("a suspended request keeps nobody waiting")
    func suspended() throws {
        let server = try HTTPTestServer()
        let client = try HTTPTestClient(port: server.port)
        try client.send(request)
        try server.waitForRequests(1)
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
        server.publish()
        #expect(try client.receive().status == 200)
    }

    @Test("the exchange's close returns after an answer that another thread is giving")
    func closeDuringAnAnswer() throws {
        let exchange = try SnapshotExchange()
        let (begun, mayEnd, ended) = (Flag(), Flag(), Flag())
        exchange.request(since: 0) { _ in
            begun.raise()
            while !mayEnd.isRaised { usleep(500) }
            ended.raise()
        }
        let publisher = NativeThread { exchange.publish(emptySnapshot(), begun: SnapshotExchange.now()) }
        defer { publisher.join() }
        try Watchdog.wait(for: "the answer") { begun.isRaised }
        let (closed, early) = (Flag(), Flag())
        let closer = NativeThread {
            exchange.closeForGood()
            if !ended.isRaised { early.raise() }
            closed.raise()
        }
        usleep(20_000)
        #expect(!closed.isRaised)
        mayEnd.raise()
        closer.join()
        #expect(!early.isRaised)
    }

    @Test("servers that stop while requests expire, a snapshot comes and listeners wait end cleanly")
    func stopsInTheMiddle() throws {
        for round in 0..<60 {
            let server = try HTTPTestServer(patience: Int64(round % 6) * 400_000)
            let clients = try (0..<6).map { _ in try HTTPTestClient(port: server.port) }
            for (number, client) in clients.enumerated() {
                try client.send(number == 0 ? request.replacing("/snapshot", with: "/stream") : request)
            }
            let publisher = NativeThread { for _ in 0..<4 { server.publish() } }
            usleep(UInt32(round % 5) * 300)
            server.server.stop()
            publisher.join()
        }
    }

    @Test("without a snapshot the answer is 503, and the health says failed")
    func impatience() throws {
        let server = try HTTPTestServer(patience: 20_000_000)
        let response = try HTTPTestClient.get("/snapshot", port: server.port)
        #expect(response.status == 503)
        #expect(response.body.contains("no snapshot in time"))
        let health = try HTTPTestClient.get("/health", port: server.port)
        #expect(health.status == 503)
        #expect(health.body.hasPrefix("{\"status\":\"failed\",\"version\":\"9.9\",\"uptime\":"))
        #expect(!server.exchange.isSnapshotWanted)
        #expect(!isReadable(server.exchange.wakeDescriptor))
    }

    @Test("a stop answers what waits and does not hang")
    func stopWhileSuspended() throws {
        let server = try HTTPTestServer()
        let clients = try (0..<10).map { _ in try HTTPTestClient(port: server.port) }
        for client in clients { try client.send(request) }
        try server.waitForRequests(10)
        server.server.stop()
        for client in clients {
            let text = try client.receiveAll()
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 503"))
        }
    }

    @Test("clients that give up while they wait leave nothing behind")
    func givingUp() throws {
        let server = try HTTPTestServer()
        for _ in 0..<20 {
            let client = try HTTPTestClient(port: server.port)
            try client.send(request)
        }
        try server.waitForRequests(20)
        server.publish()
        #expect(!server.exchange.isSnapshotWanted)
        #expect(try HTTPTestClient.get("/-/healthy", port: server.port).status == 200)
    }

    @Test("requests and snapshots from several threads at once are all answered")
    func storm() throws {
        let server = try HTTPTestServer()
        let isOver = Atomic(false)
        let agent = TestThread {
            while !isOver.load(ordering: .relaxed) {
                var descriptor = pollfd(fd: server.exchange.wakeDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&descriptor, 1, 20)
                if server.exchange.isSnapshotWanted { server.publish() }
            }
        }
        let statuses = Mutex<[Int]>([])
        let clients = (0..<4).map { index in
            TestThread {
                for turn in 0..<50 {
                    if turn % 5 == index {
                        // One client goes away without its answer.
                        try? HTTPTestClient(port: server.port).send(request)
                    }
                    let status = (try? HTTPTestClient.get("/snapshot", port: server.port).status) ?? 0
                    statuses.withLock { $0.append(status) }
                }
            }
        }
        clients.forEach { $0.join() }
        isOver.store(true, ordering: .relaxed)
        agent.join()
        #expect(statuses.withLock { $0 } == Array(repeating: 200, count: 200))
    }
}

@Suite struct SnapshotExchangeTests {
    @Test("the descriptor is readable exactly while a snapshot is wanted")
    func descriptor() throws {
        let exchange = try SnapshotExchange()
        let answers = Mutex<[UInt64?]>([])
        #expect(!isReadable(exchange.wakeDescriptor))
        exchange.request(since: 10) { answer in answers.withLock { $0.append(answer?.number) } }
        exchange.request(since: 20) { answer in answers.withLock { $0.append(answer?.number) } }
        #expect(exchange.isSnapshotWanted && isReadable(exchange.wakeDescriptor))
        exchange.publish(emptySnapshot(), begun: 10)
        #expect(answers.withLock { $0 } == [1])
        #expect(exchange.isSnapshotWanted && isReadable(exchange.wakeDescriptor))
        exchange.publish(emptySnapshot(), begun: 25)
        #expect(answers.withLock { $0 } == [1, 2])
        #expect(!exchange.isSnapshotWanted && !isReadable(exchange.wakeDescriptor))
    }

    @Test("a snapshot begun since the request answers it at once")
    func immediate() throws {
        let exchange = try SnapshotExchange()
        exchange.publish(emptySnapshot(unixNanoseconds: 5), begun: 30)
        let time = Mutex<Int64?>(nil)
        exchange.request(since: 30) { answer in time.withLock { $0 = answer?.snapshot.unixNanoseconds } }
        #expect(time.withLock { $0 } == 5)
        #expect(exchange.latest?.number == 1)
        #expect(!exchange.isSnapshotWanted)
    }

    @Test("a closed exchange answers everything with nothing")
    func closed() throws {
        let exchange = try SnapshotExchange()
        let count = Mutex(0)
        exchange.request(since: 10) { answer in if answer == nil { count.withLock { $0 += 1 } } }
        exchange.closeForGood()
        exchange.request(since: 10) { answer in if answer == nil { count.withLock { $0 += 1 } } }
        #expect(count.withLock { $0 } == 2)
        #expect(!exchange.expireOnce())
    }
}

func isReadable(_ descriptor: Int32) -> Bool {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 1
}

/// A thread of its own for blocking work, which the pool of Swift's tasks must not do.
final class TestThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private var thread = pthread_t()

    init(_ run: @escaping @Sendable () -> Void) {
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
            return nil
        }
        pthread_create(&thread, nil, start, Unmanaged.passRetained(Body(run)).toOpaque())
    }

    func join() {
        pthread_join(thread, nil)
    }
}
