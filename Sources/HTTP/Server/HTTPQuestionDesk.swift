internal import Glibc
internal import Platform
internal import Synchronization

/// A thread that answers questions one after the other, so that one that takes a while keeps neither the server's thread nor the
/// drain waiting.
///
/// Members may be used from any thread.
package final class HTTPQuestionDesk: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call.
    package typealias Responder = @Sendable ([(name: String, value: String)]) -> HTTPResponse

    private struct Question: Sendable {
        let arguments: [(name: String, value: String)]
        let respond: Responder
        let answer: @Sendable (HTTPResponse) -> Void
    }

    private struct State {
        var waiting: [Question] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private var thread: NamedThread?
    /// Raised once for each question, and for the end.
    private let wanted: UnsafeMutablePointer<sem_t>
    /// Questions that wait; one more is refused.
    private static let limit = 32

    package init() {
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        thread = .needed("questions") { [self] in run() }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    /// - Parameter answer: called once, on the desk's thread or, where the question is refused, before this returns.
    func ask(
        _ arguments: [(name: String, value: String)], _ respond: @escaping Responder,
        answer: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.limit else { return false }
            state.waiting.append(Question(arguments: arguments, respond: respond, answer: answer))
            return true
        }
        guard isTaken else { return answer(.text("too many questions wait for an answer; try again", status: 503)) }
        sem_post(wanted)
    }

    /// Answers what waits with 503 and returns when the thread has ended. Calling it again does nothing.
    func close() {
        let (left, isFirst) = state.withLock { state in
            defer { (state.waiting, state.isClosed) = ([], true) }
            return (state.waiting, !state.isClosed)
        }
        for question in left { question.answer(.text("the collector ends", status: 503)) }
        guard isFirst else { return }
        sem_post(wanted)
        thread?.join()
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let (question, isClosed) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if let question {
                question.answer(question.respond(question.arguments))
            } else if isClosed {
                return
            }
        }
    }
}
