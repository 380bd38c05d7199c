internal import Synchronization

/// Which passwords were right and which were wrong, so that one that comes with every request is hashed once: as digests by a
/// key that nobody knows, and no more than so many. May be used from any thread.
final class PasswordMemory: Sendable {
    private struct State {
        var known: [[UInt8]: Bool] = [:]
        /// The oldest first.
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int = 256) { self.limit = limit }

    /// Nil where it is not known.
    func isRight(_ digest: [UInt8]) -> Bool? { state.withLock { $0.known[digest] } }

    func note(_ digest: [UInt8], isRight: Bool) {
        state.withLock { state in
            if state.known.updateValue(isRight, forKey: digest) == nil { state.order.append(digest) }
            if state.order.count > limit { state.known[state.order.removeFirst()] = nil }
        }
    }
}
