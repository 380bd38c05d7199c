internal import Glibc
internal import Platform
internal import Synchronization

/// The thread that hashes passwords, one at a time.
///
/// Strangers can have it hash as much as they like to send. So no more than so many passwords wait, and those of one address
/// do not keep those of another from being hashed: the next one is of an address chosen at random, and where there is no
/// room one of the address with the most gives way, chosen at random too. Members may be used from any thread.
final class PasswordHashQueue: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call.

    enum Outcome: Equatable, Sendable {
        case right
        case wrong
        /// It was not hashed: too many wait.
        case crowded
        /// It was not hashed: the server stops.
        case closed
    }

    private struct Question {
        let address: HTTPClientAddress
        let check: @Sendable () -> Bool
        let answer: @Sendable (Outcome) -> Void
    }

    private struct State {
        var waiting: [Question] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private var thread: NamedThread?
    /// Raised once for each question, and for the end.
    private let wanted: UnsafeMutablePointer<sem_t>

    /// - Throws: Where the system gives no thread.
    init(limit: Int = 32) throws(SystemRefusal) {
        self.limit = limit
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        thread = try NamedThread("passwords") { [self] in run() }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    /// - Parameters:
    ///   - check: Hashes the password and compares; called on the desk's thread.
    ///   - answer: Called once, on the desk's thread, that of a later caller, or before this returns.
    func ask(
        _ address: HTTPClientAddress, _ check: @escaping @Sendable () -> Bool,
        answer: @escaping @Sendable (Outcome) -> Void
    ) {
        let question = Question(address: address, check: check, answer: answer)
        let (isOpen, removed) = state.withLock { state -> (Bool, Question?) in
            guard !state.isClosed else { return (false, nil) }
            state.waiting.append(question)
            return (true, state.waiting.count > limit ? Self.takeOfMost(&state.waiting) : nil)
        }
        guard isOpen else { return answer(.closed) }
        removed?.answer(.crowded)
        sem_post(wanted)
    }

    /// Answers what waits and returns when the thread has ended. Calling it again does nothing.
    func close() {
        let (left, isFirst) = state.withLock { state in
            defer { (state.waiting, state.isClosed) = ([], true) }
            return (state.waiting, !state.isClosed)
        }
        for question in left { question.answer(.closed) }
        guard isFirst else { return }
        sem_post(wanted)
        thread?.join()
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let (question, isClosed) = state.withLock { (Self.takeOfAny(&$0.waiting), $0.isClosed) }
            if let question {
                question.answer(question.check() ? .right : .wrong)
            } else if isClosed {
                return
            }
        }
    }

    private static func takeOfAny(_ waiting: inout [Question]) -> Question? {
        guard let address = Set(waiting.map(\.address)).randomElement() else { return nil }
        return take(of: address, &waiting)
    }

    private static func takeOfMost(_ waiting: inout [Question]) -> Question? {
        let counts = Dictionary(waiting.map { ($0.address, 1) }, uniquingKeysWith: +)
        guard let most = counts.max(by: { $0.value < $1.value })?.key else { return nil }
        return take(of: most, &waiting)
    }

    private static func take(of address: HTTPClientAddress, _ waiting: inout [Question]) -> Question? {
        waiting.indices.filter { waiting[$0].address == address }.randomElement().map { waiting.remove(at: $0) }
    }
}
