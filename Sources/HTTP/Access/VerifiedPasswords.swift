internal import Synchronization

/// Which passwords were right and which were wrong, so that one that comes with every request is hashed once: as digests by a
/// key that nobody knows. May be used from any thread.
///
/// A user's right password is forgotten for another right one of that user alone, so that no number of wrong ones makes the
/// honest client pay for a hash again. Of the wrong ones no more than so many are remembered.
final class VerifiedPasswords: Sendable {
    private struct State {
        var right: [String: [UInt8]] = [:]
        var wrong: Set<[UInt8]> = []
        /// The wrong ones, the oldest first.
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let wrongLimit: Int

    init(wrongLimit: Int = 256) { self.wrongLimit = wrongLimit }

    /// Nil where it is not known.
    func isRight(_ digest: [UInt8], of user: String) -> Bool? {
        state.withLock { state in
            if let right = state.right[user], Secrets.areEqual(right, digest) { return true }
            return state.wrong.contains(digest) ? false : nil
        }
    }

    /// - Parameter user: One that the configuration names.
    func noteRight(_ digest: [UInt8], of user: String) { state.withLock { $0.right[user] = digest } }

    func noteWrong(_ digest: [UInt8]) {
        state.withLock { state in
            if state.wrong.insert(digest).inserted { state.order.append(digest) }
            if state.order.count > wrongLimit { state.wrong.remove(state.order.removeFirst()) }
        }
    }
}
