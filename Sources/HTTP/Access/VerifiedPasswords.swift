internal import Synchronization

/// The passwords that were right and those that were wrong, so that a password that comes with every request is hashed
/// once. They are stored as digests under a random key. May be used from any thread.
///
/// Only another right password of the same user replaces a right one. So wrong passwords, however many, never cost an
/// honest client another hash. The number of remembered wrong passwords is bounded.
final class VerifiedPasswords: Sendable {
    private struct State {
        var right: [String: [UInt8]] = [:]
        var wrong: Set<[UInt8]> = []
        /// Wrong passwords, oldest first.
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let wrongLimit: Int

    init(wrongLimit: Int = 256) { self.wrongLimit = wrongLimit }

    /// Returns whether a password is right; nil if it is unknown.
    func isRight(_ digest: [UInt8], of user: String) -> Bool? {
        state.withLock { state in
            if let right = state.right[user], Secrets.areEqual(right, digest) { return true }
            return state.wrong.contains(digest) ? false : nil
        }
    }

    /// - Parameter user: A configured user.
    func noteRight(_ digest: [UInt8], of user: String) { state.withLock { $0.right[user] = digest } }

    func noteWrong(_ digest: [UInt8]) {
        state.withLock { state in
            if state.wrong.insert(digest).inserted { state.order.append(digest) }
            if state.order.count > wrongLimit { state.wrong.remove(state.order.removeFirst()) }
        }
    }
}
