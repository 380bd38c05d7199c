internal import Glibc
internal import Platform
internal import Synchronization

/// Operators' requests to the drain, which answers them. May be used from any thread.
package final class OperatorRequests<Request: Sendable, Answer: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var requests: [(number: UInt64, request: Request)] = []
        /// Answers to what is done, but not stored yet.
        var held: [UInt64: Answer] = [:]
        var answers: [UInt64: Answer] = [:]
    }

    private let state = Mutex(State())
    private let patienceNanoseconds: Int64
    private let lookMicroseconds: UInt32 = 5_000

    /// - Parameter patienceNanoseconds: How long a request waits for its answer.
    package init(patienceNanoseconds: Int64 = 5_000_000_000) { self.patienceNanoseconds = patienceNanoseconds }

    /// Sends a request and waits for the answer, as long as the patience lasts. The answer comes once a checkpoint has what
    /// was done, so that it holds over a kill.
    ///
    /// - Returns: Nil if the drain did not answer in time. Then nothing was changed, and nothing will be.
    package func ask(_ request: Request) -> Answer? {
        let number = state.withLock { state in
            state.last += 1
            state.requests.append((state.last, request))
            return state.last
        }
        let begun = monotonicNow()
        while monotonicNow() - begun < patienceNanoseconds {
            if let answer = state.withLock({ $0.answers.removeValue(forKey: number) }) { return answer }
            usleep(lookMicroseconds)
        }
        return state.withLock { state in
            state.requests.removeAll { $0.number == number }
            return state.answers.removeValue(forKey: number) ?? state.held.removeValue(forKey: number)
        }
    }

    /// Whether no request and no answer waits.
    var isEmpty: Bool { state.withLock { $0.requests.isEmpty && $0.held.isEmpty } }

    /// Carries out every waiting request. Called by the drain between two turns. A request that times out during the
    /// call waits for its answer, because what is done is never reported as not done.
    ///
    /// - Parameter body: Carries out one request and returns the answer, which is held until ``giveAnswers()``.
    /// - Returns: Whether there was a request.
    func carryOut(_ body: (Request) -> Answer) -> Bool {
        state.withLock { state in
            for (number, request) in state.requests { state.held[number] = body(request) }
            defer { state.requests = [] }
            return !state.requests.isEmpty
        }
    }

    /// Gives the answers that are held.
    func giveAnswers() {
        state.withLock { state in
            guard !state.held.isEmpty else { return }
            state.answers.merge(state.held) { $1 }
            state.held = [:]
        }
    }
}

/// Requests to forget bots, by name.
package typealias ForgetRequests = OperatorRequests<String, ForgetAnswer>

package enum ForgetAnswer: Equatable, Sendable {
    case forgotten
    case unknown
    case isRunning(pid: Int32)
}
