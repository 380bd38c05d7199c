import Drain
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite("Questions that take a while") struct HTTPQuestionTests {
    /// Holds answers back until it is opened.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        func open() { isOpen.withLock { $0 = true } }
        func wait() { while !isOpen.withLock({ $0 }) { usleep(500) } }
    }

    private func server(_ respond: @escaping HTTPWorkerPool.Responder) throws -> HTTPServer {
        let routes: [HTTPRoute] = [
            .streamed("/question", try HTTPWorkerPool()) { arguments, _ in .whole(respond(arguments)) },
            .immediate("/fast") { .text("fast") },
        ]
        return try HTTPServer(port: 0, routes: routes, exchange: try SnapshotExchange(), access: openAccess())
    }

    private static func text(_ arguments: [(name: String, value: String)]) -> String {
        arguments.map { "<\($0.name)|\($0.value)>" }.joined()
    }

    @Test("arguments come decoded and in their order")
    func arguments() throws {
        let server = try server { .text(Self.text($0)) }
        defer { server.stop() }
        let answer = try HTTPClient.request("/question?b=1&a=x%20%26%3D+y&a=&c", port: server.port)
        #expect(answer.status == 200 && answer.text == "<b|1><a|x &= y><a|><c|>\n")
        #expect(try HTTPClient.request("/question", port: server.port).text == "\n")
    }

    private final class Answers: Sendable {
        private let statuses = Mutex<[Int]>([])
        func append(_ status: Int) { statuses.withLock { $0.append(status) } }
        var all: [Int] { statuses.withLock { $0 } }
    }

    @Test("while one is being answered, others are served at once, and those that wait have their turn")
    func others() throws {
        let (gate, answers) = (Gate(), Answers())
        let server = try server { _ in
            gate.wait()
            return .text("late")
        }
        defer { server.stop() }
        let port = server.port
        let threads = (0..<3).map { _ in
            NativeThread { answers.append((try? HTTPClient.request("/question", port: port).status) ?? 0) }
        }
        for _ in 0..<5 { #expect(try HTTPClient.request("/fast", port: port).text == "fast\n") }
        #expect(answers.all == [])
        gate.open()
        for thread in threads { thread.join() }
        #expect(answers.all == [200, 200, 200])
    }

    @Test("a closed queue refuses, and a question too many is refused")
    func refusals() throws {
        let (gate, answers) = (Gate(), Answers())
        let workers = try HTTPWorkerPool()
        for _ in 0..<40 {
            workers.submit {
                gate.wait()
                answers.append(200)
            } refusal: {
                answers.append(Int($0.status))
            }
        }
        // One is being answered or waits too, and 32 wait.
        #expect((7...8).contains(answers.all.count) && answers.all.allSatisfy { $0 == 503 })
        gate.open()
        workers.shutDown()
        #expect(answers.all.count == 40)
        workers.submit {
            answers.append(200)
        } refusal: {
            answers.append(Int($0.status))
        }
        #expect(answers.all.last == 503)
    }
}
