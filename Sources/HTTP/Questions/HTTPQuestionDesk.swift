internal import Glibc
package import Platform
internal import Synchronization

/// Threads that answer questions, so that one that takes a while keeps neither the server's thread nor the drain waiting, nor,
/// where there are several, another question.
///
/// Bounded are the questions that wait and those whose answer is on its way: one too many is refused, and counted.
///
/// Members may be used from any thread.
package final class HTTPQuestionDesk: @unchecked Sendable {
    // Unchecked: `threads` is written by `init` before any other call.
    package typealias Responder = @Sendable ([(name: String, value: String)]) -> HTTPResponse

    private struct Job: Sendable {
        let work: @Sendable () -> Void
        /// Called in its place where the desk is closed.
        let giveUp: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isClosed = false
        var openAnswers: [ObjectIdentifier: HTTPAnswerStream] = [:]
    }

    let counts: HTTPQuestionCounts
    private let state = Mutex(State())
    private var threads: [NamedThread] = []
    /// Raised once for each job, and for the end of each thread.
    private let wanted: UnsafeMutablePointer<sem_t>
    /// Jobs that wait; one more is refused.
    private static let limit = 32
    /// Answers that are too long to be kept whole, while their clients read them.
    private static let openAnswerLimit = 16
    /// A client that takes nothing for so long gives way to others.
    private static let idleNanoseconds: Int64 = 5_000_000_000

    /// - Parameters:
    ///   - workers: how many questions are answered beside each other.
    ///   - counts: where what becomes of them is counted.
    /// - Throws: where the system gives no thread.
    package init(workers: Int = 1, counts: HTTPQuestionCounts = HTTPQuestionCounts()) throws(SystemRefusal) {
        self.counts = counts
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        do throws(SystemRefusal) {
            for _ in 0..<max(1, workers) { threads.append(try NamedThread("questions") { [self] in run() }) }
        } catch {
            close()
            throw error
        }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    /// - Parameter answer: called once, on one of the desk's threads or, where the question is refused, before this returns.
    func ask(
        _ arguments: [(name: String, value: String)], _ respond: @escaping Responder,
        answer: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        take {
            answer(respond(arguments))
        } refusal: {
            answer($0)
        }
    }

    /// Does what answers a question in its turn.
    ///
    /// - Parameter refusal: called in its place, maybe before this returns, where there is no room or the desk is closed.
    func take(_ work: @escaping @Sendable () -> Void, refusal: @escaping @Sendable (HTTPResponse) -> Void) {
        let ends: @Sendable () -> Void = { refusal(.text("the collector ends", status: 503)) }
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.limit else { return false }
            state.waiting.append(Job(work: work, giveUp: ends))
            return true
        }
        guard !isTaken else { return _ = sem_post(wanted) }
        if isClosed { ends() } else { refusal(.text("too many questions wait for an answer; try again", status: 503)) }
    }

    /// Does what goes on with an answer, which has its place already.
    ///
    /// - Parameter giveUp: called in its place, maybe before this returns, where the desk is closed.
    func goOn(_ work: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.waiting.append(Job(work: work, giveUp: giveUp)) }
            return !state.isClosed
        }
        if isTaken { sem_post(wanted) } else { giveUp() }
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Gives an answer that is longer than is kept whole a place among those that are read; where there is none, that of the
    /// one whose client has taken nothing for longest, if that is long enough.
    ///
    /// - Returns: false where it may not go on.
    func open(_ stream: HTTPAnswerStream, now: MonotonicTime) -> Bool {
        let (isOpen, displaced) = state.withLock { state -> (Bool, HTTPAnswerStream?) in
            guard !state.isClosed else { return (false, nil) }
            var displaced: HTTPAnswerStream?
            if state.openAnswers.count >= Self.openAnswerLimit {
                let idle = state.openAnswers.values.compactMap { stream in stream.idleSince.map { (stream, $0) } }
                guard let oldest = idle.min(by: { $0.1 < $1.1 }), now - oldest.1 >= Self.idleNanoseconds else {
                    return (false, nil)
                }
                displaced = oldest.0
                state.openAnswers[ObjectIdentifier(oldest.0)] = nil
            }
            state.openAnswers[ObjectIdentifier(stream)] = stream
            return (true, displaced)
        }
        displaced?.displace()
        return isOpen
    }

    /// Gives its place back.
    func close(_ stream: HTTPAnswerStream) {
        state.withLock { $0.openAnswers[ObjectIdentifier(stream)] = nil }
    }

    /// Answers what waits with 503, has what is being answered given up, and returns when the threads have ended. Calling it
    /// again does nothing.
    func close() {
        let (left, isFirst) = state.withLock { state in
            defer { (state.waiting, state.isClosed) = ([], true) }
            return (state.waiting, !state.isClosed)
        }
        for job in left { job.giveUp() }
        guard isFirst else { return }
        for _ in threads { sem_post(wanted) }
        for thread in threads { thread.join() }
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let (job, isClosed) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if let job {
                job.work()
            } else if isClosed {
                return
            }
        }
    }
}
