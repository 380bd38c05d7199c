package import Exposition
package import Rules
internal import Synchronization

/// Where spans wait between the drain, which meets traced records, and the exports that send them.
///
/// Each export has a buffer of its own with a bound: what comes when it is full is dropped and counted. Where nobody wants
/// spans the drain does not make any. May be used from any thread; nobody holds it for longer than it takes to move some
/// spans.
package final class TraceExchange: Sendable {
    private struct Subscriber {
        var spans: [TracedSpan] = []
        var bound: Int
        var dropped: UInt64 = 0
    }

    private struct State {
        var subscribers: [String: Subscriber] = [:]
        var rules: [MetricRule] = []
    }

    private let wanted = Atomic(false)
    private let state = Mutex(State())

    package init() {}

    /// Whether there is anybody to send spans.
    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    /// What the exports change of metrics from now on.
    package var rules: [MetricRule] {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.rules = newValue } }
    }

    /// Opens a buffer for an export; what waits in one that is open stays.
    package func subscribe(_ export: String, bound: Int) {
        state.withLock { $0.subscribers[export, default: Subscriber(bound: bound)].bound = bound }
        wanted.store(true, ordering: .relaxed)
    }

    /// Closes the buffers of all others.
    package func keep(_ exports: Set<String>) {
        let isWanted = state.withLock { state in
            state.subscribers = state.subscribers.filter { exports.contains($0.key) }
            return !state.subscribers.isEmpty
        }
        wanted.store(isWanted, ordering: .relaxed)
    }

    /// Gives spans to every export.
    func add(_ spans: [TracedSpan]) {
        state.withLock { state in
            for name in state.subscribers.keys {
                let room = max(0, state.subscribers[name]!.bound - state.subscribers[name]!.spans.count)
                state.subscribers[name]!.spans += spans.prefix(room)
                state.subscribers[name]!.dropped += UInt64(max(0, spans.count - room))
            }
        }
    }

    /// What came since the last call, and how many found no room.
    package func take(_ export: String) -> (spans: [TracedSpan], dropped: UInt64) {
        state.withLock { state in
            guard let taken = state.subscribers[export] else { return ([], 0) }
            state.subscribers[export] = Subscriber(bound: taken.bound)
            return (taken.spans, taken.dropped)
        }
    }
}
