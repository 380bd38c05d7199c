package import Exposition
package import Rules
internal import Synchronization

/// Buffers of spans between the drain, which reads traced records, and the exports that send them.
///
/// Each export has a bounded buffer of its own. Spans that come when it is full are dropped and counted. If no export
/// wants spans, the drain makes none. May be used from any thread; the lock is held only while some spans are moved.
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

    /// Whether an export wants spans.
    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    /// The rules by which exports change metrics from now on.
    package var rules: [MetricRule] {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.rules = newValue } }
    }

    /// Opens a buffer for an export; the content of an open one stays.
    package func subscribe(_ export: String, bound: Int) {
        state.withLock { $0.subscribers[export, default: Subscriber(bound: bound)].bound = bound }
        wanted.store(true, ordering: .relaxed)
    }

    /// Closes the buffers of all other exports.
    package func keep(_ exports: Set<String>) {
        let isWanted = state.withLock { state in
            state.subscribers = state.subscribers.filter { exports.contains($0.key) }
            return !state.subscribers.isEmpty
        }
        wanted.store(isWanted, ordering: .relaxed)
    }

    /// Adds spans to the buffer of every export.
    func add(_ spans: [TracedSpan]) {
        state.withLock { state in
            for name in state.subscribers.keys {
                let room = max(0, state.subscribers[name]!.bound - state.subscribers[name]!.spans.count)
                state.subscribers[name]!.spans += spans.prefix(room)
                state.subscribers[name]!.dropped += UInt64(max(0, spans.count - room))
            }
        }
    }

    /// Returns the spans since the last call, and the number of those that were dropped.
    package func take(_ export: String) -> (spans: [TracedSpan], dropped: UInt64) {
        state.withLock { state in
            guard let taken = state.subscribers[export] else { return ([], 0) }
            state.subscribers[export] = Subscriber(bound: taken.bound)
            return (taken.spans, taken.dropped)
        }
    }
}
