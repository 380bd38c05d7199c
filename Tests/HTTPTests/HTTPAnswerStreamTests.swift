import Drain
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite("Long answers") struct HTTPAnswerStreamTests {
    /// Records how much of an answer was made, and whether the answer was dropped.
    private final class Making: Sendable {
        private let state = Mutex((pieces: 0, gone: 0))
        func note() { state.withLock { $0.pieces += 1 } }
        func noteGone() { state.withLock { $0.gone += 1 } }
        var pieces: Int { state.withLock(\.pieces) }
        var gone: Int { state.withLock(\.gone) }
    }

    /// An object that an answer holds as long as it is open.
    private final class Held {
        let making: Making
        init(_ making: Making) { self.making = making }
        deinit { making.noteGone() }
    }

    private static func piece(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(number % 26), count: 10_000)
    }

    /// - Parameter count: The number of pieces; nil never ends.
    private static func answerer(_ making: Making, count: Int?) -> HTTPAnswerer {
        { _, _ in
            let held = Held(making)
            var next = 0
            return .pieces(HTTPResponse(contentType: "text/plain", body: [])) {
                if let count, next == count { return nil }
                held.making.note()
                next += 1
                return piece(next - 1)
            }
        }
    }

    private func server(
        _ counts: HTTPQuestionCounts = HTTPQuestionCounts(), _ answerer: @escaping HTTPAnswerer
    ) throws -> HTTPServer {
        let routes: [HTTPRoute] = [
            .streamed("/question", try HTTPWorkerPool(workers: 4, counts: counts), answerer),
            .immediate("/fast") { .text("fast") },
        ]
        return try HTTPServer(port: 0, routes: routes, exchange: try SnapshotExchange(), access: openAccess())
    }

    private func wait(_ what: String, _ isTrue: () -> Bool) {
        for _ in 0..<20_000 {
            if isTrue() { return }
            usleep(1000)
        }
        Issue.record("it did not come: \(what)")
    }

    @Test("arrive whole and in their order, short ones with their length", arguments: [0, 1, 12, 13, 14, 500])
    func whole(count: Int) throws {
        let (making, counts) = (Making(), HTTPQuestionCounts())
        let server = try server(counts, Self.answerer(making, count: count))
        defer { server.stop() }
        let answer = try HTTPClient.request("/question", port: server.port)
        #expect(answer.status == 200 && answer.body == (0..<count).flatMap(Self.piece))
        wait("it is let go of") { making.gone == 1 && counts[.answered] == 1 }
    }

    @Test("a client that reads nothing has little of its answer made, and one that leaves has it dropped")
    func leaving() throws {
        let (making, counts) = (Making(), HTTPQuestionCounts())
        let server = try server(counts, Self.answerer(making, count: nil))
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try client.send("GET /question HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait("it begins") { making.pieces > 13 }
        // The sockets hold some megabytes. After that nothing more is made.
        var before = -1
        wait("it comes to rest") {
            defer { before = making.pieces }
            usleep(100_000)
            return making.pieces == before
        }
        #expect(making.pieces < 5000 && making.gone == 0)
        #expect(try HTTPClient.request("/fast", port: server.port).text == "fast\n")
        client.close()
        wait("it is let go of") { making.gone == 1 && counts[.left] == 1 }
    }

    @Test("a question that is being answered ends when its client leaves, and when the server stops")
    func givenUp() throws {
        let (making, counts) = (Making(), HTTPQuestionCounts())
        let server = try server(counts) { _, isWanted in
            making.note()
            while isWanted() { usleep(500) }
            making.noteGone()
            return .whole(.text("for nobody"))
        }
        let client = try RawClient(port: server.port)
        try client.send("GET /question HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait("it begins") { making.pieces == 1 }
        client.close()
        wait("it ends") { making.gone == 1 && counts[.left] == 1 }
        let others = try (0..<3).map { _ in try RawClient(port: server.port) }
        for other in others { try other.send("GET /question HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        wait("they begin") { making.pieces == 4 }
        server.stop()
        #expect(making.gone == 4 && counts[.left] == 4)
        for other in others { other.close() }
    }

    @Test("a question that takes long does not delay any other")
    func besideEachOther() throws {
        let isOpen = Mutex(false)
        let server = try server { arguments, isWanted in
            guard arguments.isEmpty else { return .whole(.text("quick")) }
            while !isOpen.withLock({ $0 }), isWanted() { usleep(500) }
            return .whole(.text("slow"))
        }
        defer { server.stop() }
        let port = server.port
        let slow = (0..<3).map { _ in
            NativeThread { #expect((try? HTTPClient.request("/question", port: port).text) == "slow\n") }
        }
        for _ in 0..<20 { #expect(try HTTPClient.request("/question?a=1", port: port).text == "quick\n") }
        isOpen.withLock { $0 = true }
        for thread in slow { thread.join() }
    }

    @Test("a bounded number of unread long answers is kept, and one more is refused and counted")
    func seats() throws {
        let (making, counts) = (Making(), HTTPQuestionCounts())
        let server = try server(counts, Self.answerer(making, count: nil))
        defer { server.stop() }
        let clients = try (0..<16).map { _ in try RawClient(port: server.port) }
        defer { for client in clients { client.close() } }
        for client in clients {
            let before = making.pieces
            try client.send("GET /question HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait("it begins") { making.pieces > before + 13 }
        }
        // Requests that were sent at the same time may still be on their way to their places.
        wait("there is no room") {
            guard let answer = try? HTTPClient.request("/question", port: server.port) else { return false }
            return answer.status == 503 && answer.text.contains("too many long answers")
        }
        #expect(counts[.refused] >= 1)
    }

    @Test("an answer that fails in the middle is broken off, and counted")
    func failing() throws {
        struct Failure: Error {}
        let counts = HTTPQuestionCounts()
        let server = try server(counts) { _, _ in
            var next = 0
            return .pieces(HTTPResponse(contentType: "text/plain", body: [])) {
                next += 1
                guard next < 100 else { throw Failure() }
                return Self.piece(next)
            }
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        try client.send("GET /question HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let got = client.readToEnd()
        #expect(got > 128 * 1024 && got < 1_000_000)
        wait("it is counted") { counts[.failed] == 1 }
    }
}

/// A connection that sends and reads as the test says.
private final class RawClient {
    private var descriptor: Int32

    struct Failure: Error {}

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure() }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    func send(_ text: String) throws {
        guard Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else {
            throw Failure()
        }
    }

    /// - Returns: The number of bytes received.
    func readToEnd() -> Int {
        var (buffer, all) = ([UInt8](repeating: 0, count: 65_536), 0)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += count
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}
