internal import Platform

/// The thread that hashes passwords, one at a time.
///
/// Strangers can send as many passwords as they like. So the queue is bounded, and one address does not delay another.
/// The next password belongs to an address chosen at random. A full queue drops a random password of the address that
/// has the most. Members may be used from any thread.
final class PasswordHashQueue: Sendable {
    enum Outcome: Equatable, Sendable {
        case right
        case wrong
        /// Not hashed, because too many are waiting.
        case crowded
        /// Not hashed, because the server is stopping.
        case closed
    }

    private struct Question: Sendable {
        let address: HTTPClientAddress
        let check: @Sendable () -> Bool
        let answer: @Sendable (Outcome) -> Void
    }

    private let queue: WorkQueue<Question>
    private let limit: Int

    /// - Throws: the system's refusal of a thread.
    init(limit: Int = 32) throws(SystemRefusal) {
        self.limit = limit
        queue = try WorkQueue("passwords", choose: Self.takeOfAny) { question in
            question.answer(question.check() ? .right : .wrong)
        }
    }

    /// Queues a password.
    ///
    /// - Parameters:
    ///   - check: hashes the password and compares it; called on the queue's thread.
    ///   - answer: called once: on the queue's thread, on the thread of a later caller, or before this returns.
    func ask(
        _ address: HTTPClientAddress, _ check: @escaping @Sendable () -> Bool,
        answer: @escaping @Sendable (Outcome) -> Void
    ) {
        let question = Question(address: address, check: check, answer: answer)
        let displaced = queue.update { [limit] waiting -> Question? in
            waiting.append(question)
            return waiting.count > limit ? Self.takeOfMost(&waiting) : nil
        }
        guard let displaced else { return answer(.closed) }
        displaced?.answer(.crowded)
    }

    /// Answers waiting passwords with ``Outcome/closed`` and returns when the thread has ended. Later calls do nothing.
    func close() { queue.close { $0.answer(.closed) } }

    @Sendable private static func takeOfAny(_ waiting: inout [Question]) -> Question? {
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
