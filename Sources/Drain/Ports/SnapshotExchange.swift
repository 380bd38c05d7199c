import CRingside
import Glibc
package import Platform
package import Series
import Synchronization

/// Where requests for a snapshot meet the drain agent that makes them; neither waits for the other.
///
/// A request is answered by a snapshot that was begun after the request came, so that what is served is never older than
/// the question. Requests that come together are answered by one snapshot. All members may be used from any thread; all
/// times are CLOCK_MONOTONIC nanoseconds, as `now()` reads them.
///
/// The agent's side:
/// ```swift
/// poll(exchange.wakeDescriptor)              // wakes early from its sleep
/// if exchange.isSnapshotWanted {
///     let begun = SnapshotExchange.now()
///     exchange.publish(drainAndMakeSnapshot(), begun: begun)
/// }
/// ```
/// An agent that holds back (20 snapshots a second are enough for anyone) must not poll the descriptor meanwhile: it
/// stays readable as long as a snapshot is wanted.
package final class SnapshotExchange: Sendable {
    /// A snapshot as it was handed over.
    package struct Published: Sendable {
        package let snapshot: Snapshot
        /// When its making began.
        package let begun: Int64
        /// Different for each snapshot, so that what is made from one can be kept until the next.
        package let number: UInt64
    }

    private struct Waiter {
        let requested: Int64
        let deadline: Int64
        let answer: @Sendable (Published?) -> Void
    }

    private struct State {
        var latest: Published?
        var waiters: [Waiter] = []
        var isClosed = false
    }

    /// An eventfd, readable while a snapshot is wanted. It belongs to the exchange: poll it, do not read or close it.
    package let wakeDescriptor: Int32
    private let timer: Int32
    private let patience: Int64
    private let state = Mutex(State())

    /// - Parameter patienceNanoseconds: How long a request waits before it is answered with nil; 2 s by default.
    package init(patienceNanoseconds: Int64 = 2_000_000_000) throws(SystemRefusal) {
        patience = patienceNanoseconds
        wakeDescriptor = ringside_eventfd()
        timer = ringside_timerfd()
        guard wakeDescriptor >= 0, timer >= 0 else {
            throw .descriptor("eventfd or timerfd", errno: errno)
        }
    }

    deinit {
        close(wakeDescriptor)
        close(timer)
    }

    package static func now() -> Int64 { TimeSource.system.monotonic() }

    /// The snapshot published last; nil before the first.
    package var latest: Published? { state.withLock(\.latest) }

    /// Whether a request waits for an answer.
    package var isSnapshotWanted: Bool { waitingCount > 0 }

    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Hands a snapshot to every request that came before it was begun; later requests go on waiting.
    package func publish(_ snapshot: Snapshot, begun: Int64) {
        let (published, satisfied) = state.withLock { state in
            let published = Published(snapshot: snapshot, begun: begun, number: (state.latest?.number ?? 0) + 1)
            state.latest = published
            let satisfied = state.waiters.filter { $0.requested <= begun }
            state.waiters.removeAll { $0.requested <= begun }
            announce(state)
            return (published, satisfied)
        }
        for waiter in satisfied { waiter.answer(published) }
    }

    /// Asks for a snapshot begun at or after `time`.
    ///
    /// - Parameters:
    ///   - deadline: When it is answered with nil; by default when patience runs out.
    ///   - answer: Called once, with nil where the deadline passed or the exchange was closed; on the agent's thread, on
    ///     the exchange's own or, where the answer is there already, before this returns.
    package func request(
        since time: Int64, until deadline: Int64? = nil, answer: @escaping @Sendable (Published?) -> Void
    ) {
        let immediate: Published?? = state.withLock { state in
            if state.isClosed { return .some(nil) }
            if let latest = state.latest, latest.begun >= time { return latest }
            state.waiters.append(
                Waiter(requested: time, deadline: deadline ?? Self.now() + patience, answer: answer))
            announce(state)
            return nil
        }
        if let immediate { answer(immediate) }
    }

    /// Answers all requests with nil, now and from now on.
    package func closeForGood() {
        let waiters = state.withLock { state in
            let waiters = state.waiters
            state.waiters = []
            state.isClosed = true
            announce(state)
            return waiters
        }
        for waiter in waiters { waiter.answer(nil) }
    }

    /// Blocks until a deadline passes and answers the requests that it was for; false once the exchange is closed.
    ///
    /// A server's own thread calls it over and over. The agent cannot: when nothing else answers, it is the agent that
    /// hangs.
    package func expireOnce() -> Bool {
        var expirations: UInt64 = 0
        _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
        let (expired, isOpen) = state.withLock { state in
            let now = Self.now()
            let expired = state.waiters.filter { $0.deadline <= now }
            state.waiters.removeAll { $0.deadline <= now }
            announce(state)
            return (expired, !state.isClosed)
        }
        for waiter in expired { waiter.answer(nil) }
        return isOpen
    }

    /// Makes both descriptors say what the state is.
    private func announce(_ state: borrowing State) {
        if state.waiters.isEmpty {
            ringside_eventfd_clear(wakeDescriptor)
        } else {
            ringside_eventfd_signal(wakeDescriptor)
        }
        ringside_timerfd_arm(timer, state.isClosed ? 1 : state.waiters.map(\.deadline).min() ?? 0)
    }
}
