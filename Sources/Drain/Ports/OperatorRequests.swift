internal import Glibc
internal import Platform
internal import Synchronization

/// Operators' requests to the drain, which answers them. May be used from any thread.
package final class OperatorRequests<Request: Sendable, Answer: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0
        var requests: [(number: UInt64, request: Request)] = []
        var answers: [UInt64: Answer] = [:]
    }

    private let state = Mutex(State())
    private let patienceNanoseconds: Int64 = 5_000_000_000
    private let lookMicroseconds: UInt32 = 5_000

    package init() {}

    /// Sends a request and waits for the answer, for five seconds at most.
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
            return state.answers.removeValue(forKey: number)
        }
    }

    /// Whether no request waits.
    var isEmpty: Bool { state.withLock { $0.requests.isEmpty } }

    /// Answers every waiting request. Called by the drain between two turns. A request that times out during the call
    /// waits for its answer, because what is done is never reported as not done.
    func answer(_ body: (Request) -> Answer) {
        state.withLock { state in
            for (number, request) in state.requests { state.answers[number] = body(request) }
            state.requests = []
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
