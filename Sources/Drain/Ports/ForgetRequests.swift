internal import Glibc
internal import Platform
internal import Synchronization

/// Where somebody asks that a bot be forgotten, and waits for the drain's answer. May be used from any thread.
package final class ForgetRequests: Sendable {
    package enum Answer: Equatable, Sendable {
        case forgotten
        case unknown
        case isRunning(pid: Int32)
        /// The drain did not come to it in time; nothing was changed, and nothing will be.
        case late
    }

    private struct Wish: Sendable {
        let number: UInt64
        let bot: String
    }

    private struct State {
        var last: UInt64 = 0
        var wishes: [Wish] = []
        var answers: [UInt64: Answer] = [:]
    }

    private let state = Mutex(State())
    private static let patienceNanoseconds: Int64 = 5_000_000_000
    private static let lookMicroseconds: UInt32 = 5_000

    package init() {}

    /// Waits for the answer, five seconds at most.
    package func ask(toForget bot: String) -> Answer {
        let number = state.withLock { state in
            state.last += 1
            state.wishes.append(Wish(number: state.last, bot: bot))
            return state.last
        }
        let begun = monotonicNow()
        while monotonicNow() - begun < Self.patienceNanoseconds {
            if let answer = state.withLock({ $0.answers.removeValue(forKey: number) }) { return answer }
            usleep(Self.lookMicroseconds)
        }
        return state.withLock { state in
            state.wishes.removeAll { $0.number == number }
            return state.answers.removeValue(forKey: number) ?? .late
        }
    }

    /// Answers everybody who waits. To be called by the drain between two turns.
    func answer(_ forget: (String) -> Answer) {
        let wishes = state.withLock { state in
            defer { state.wishes = [] }
            return state.wishes
        }
        for wish in wishes {
            let answer = forget(wish.bot)
            state.withLock { $0.answers[wish.number] = answer }
        }
    }
}
