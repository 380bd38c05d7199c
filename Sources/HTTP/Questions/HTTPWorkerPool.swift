package import Platform
internal import Synchronization

/// Threads that answer questions, so that a slow question delays neither the server's thread nor the drain nor, if
/// there are several threads, another question.
///
/// The numbers of waiting questions and of answers being sent are bounded. A question beyond them is refused, and
/// counted.
///
/// Members may be used from any thread.
package final class HTTPWorkerPool: Sendable {
    package typealias Responder = @Sendable ([(name: String, value: String)]) -> HTTPResponse

    private struct Job: Sendable {
        let work: @Sendable () -> Void
        /// Called instead if the pool is closed.
        let giveUp: @Sendable () -> Void
    }

    let counts: HTTPQuestionCounts
    private let queue: WorkQueue<Job>
    private let openAnswers = Mutex<[ObjectIdentifier: HTTPAnswerStream]>([:])
    /// The most questions that wait. One more is refused.
    private static let limit = 32
    /// The most answers that are too long to be sent whole and are being read.
    private static let openAnswerLimit = 16
    /// A client that takes nothing for this long can be displaced.
    private static let idleNanoseconds: Int64 = 5_000_000_000

    /// - Parameters:
    ///   - workers: how many questions are answered in parallel.
    ///   - counts: counts the outcomes.
    /// - Throws: the system's refusal of a thread.
    package init(workers: Int = 1, counts: HTTPQuestionCounts = HTTPQuestionCounts()) throws(SystemRefusal) {
        self.counts = counts
        queue = try WorkQueue("questions", threads: workers) { $0.work() }
    }

    /// Queues the work that answers a question.
    ///
    /// - Parameter refusal: called instead, maybe before this returns, if there is no room or the pool is closed.
    func submit(_ work: @escaping @Sendable () -> Void, refusal: @escaping @Sendable (HTTPResponse) -> Void) {
        let ends: @Sendable () -> Void = { refusal(.text("the collector is shutting down", status: 503)) }
        let isTaken = queue.update { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(Job(work: work, giveUp: ends))
            return true
        }
        switch isTaken {
        case true?: return
        case false?: refusal(.text("too many requests are waiting; try again", status: 503))
        case nil: ends()
        }
    }

    /// Queues work that continues an answer, which has its place already.
    ///
    /// - Parameter giveUp: called instead, maybe before this returns, if the pool is closed.
    func resubmit(_ work: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) {
        if !queue.add(Job(work: work, giveUp: giveUp)) { giveUp() }
    }

    var isClosed: Bool { queue.isClosed }

    /// Gives a long answer a place among those being read. If none is free, it takes the place of the answer whose
    /// client has been idle longest, at least ``idleNanoseconds``.
    ///
    /// - Returns: false if the answer may not continue.
    func admit(_ stream: HTTPAnswerStream, now: MonotonicTime) -> Bool {
        if isClosed { return false }
        let (isOpen, displaced) = openAnswers.withLock { answers -> (Bool, HTTPAnswerStream?) in
            var displaced: HTTPAnswerStream?
            if answers.count >= Self.openAnswerLimit {
                let idle = answers.values.compactMap { stream in stream.idleSince.map { (stream, $0) } }
                guard let oldest = idle.min(by: { $0.1 < $1.1 }), now - oldest.1 >= Self.idleNanoseconds else {
                    return (false, nil)
                }
                displaced = oldest.0
                answers[ObjectIdentifier(oldest.0)] = nil
            }
            answers[ObjectIdentifier(stream)] = stream
            return (true, displaced)
        }
        displaced?.displace()
        return isOpen
    }

    /// Frees the place of a long answer.
    func release(_ stream: HTTPAnswerStream) {
        openAnswers.withLock { $0[ObjectIdentifier(stream)] = nil }
    }

    /// Answers waiting questions with 503, abandons those in progress, and returns when the threads have ended. Later
    /// calls do nothing.
    func shutDown() { queue.close { $0.giveUp() } }
}
