import CRingside
import Glibc
package import Platform
package import Series
import Synchronization

/// Connects requests for a snapshot with the drain agent that makes it. Neither waits for the other.
///
/// A request is answered by a snapshot that was begun after the request, so that the answer is never older than the
/// request. One snapshot answers all requests that wait. All members may be used from any thread; all times are
/// CLOCK_MONOTONIC nanoseconds, as `now()` reads them.
///
/// The agent's side:
/// ```swift
/// poll(exchange.wakeDescriptor)              // wakes early from its sleep
/// if exchange.isSnapshotWanted {
///     let begun = SnapshotExchange.now()
///     exchange.publish(drainAndMakeSnapshot(), begun: begun)
/// }
/// ```
/// An agent that limits the rate of snapshots (to 20 a second) must not poll the descriptor while it waits: it stays
/// readable as long as a snapshot is wanted.
package final class SnapshotExchange: Sendable {
    /// A published snapshot.
    package struct Published: Sendable {
        package let snapshot: Snapshot
        /// The time at which the agent began to make it.
        package let begun: Int64
        /// Different for each snapshot, so that results computed from one can be cached until the next.
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
        /// A function that frees what was made from snapshots and is not used any more.
        var release: (@Sendable (_ now: Int64) -> Bool)?
        /// The time of its next call; nil while nothing is held.
        var releaseTime: Int64?
    }

    /// An eventfd that is readable while a snapshot is wanted. It belongs to the exchange: poll it, but do not read or
    /// close it.
    package let wakeDescriptor: Int32
    private let timer: Int32
    private let patience: Int64
    /// Held while requests are answered, and taken before `state`, so that ``closeForGood()`` returns after the last
    /// answer.
    private let answering = Mutex(())
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

    /// The last published snapshot; nil before the first.
    package var latest: Published? { state.withLock(\.latest) }

    /// Whether a request waits for an answer.
    package var isSnapshotWanted: Bool { waitingCount > 0 }

    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Answers every request that came before the snapshot was begun. Later requests continue to wait.
    package func publish(_ snapshot: Snapshot, begun: Int64) {
        answering.withLock { _ in
            let (published, satisfied) = state.withLock { state in
                let published = Published(snapshot: snapshot, begun: begun, number: (state.latest?.number ?? 0) + 1)
                state.latest = published
                if state.release != nil, state.releaseTime == nil {
                    state.releaseTime = begun + Self.releaseNanoseconds
                }
                let satisfied = state.waiters.filter { $0.requested <= begun }
                state.waiters.removeAll { $0.requested <= begun }
                announce(state)
                return (published, satisfied)
            }
            for waiter in satisfied { waiter.answer(published) }
        }
    }

    /// Asks for a snapshot begun at or after `time`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which it is answered with nil; by default after the patience.
    ///   - answer: Called once, with nil if the deadline passed or the exchange was closed. It is called on the agent's
    ///     thread, on the exchange's own or, if the answer exists already, before this returns. It must return soon:
    ///     other answers wait for it.
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

    /// Answers all requests with nil, now and from now on. When it returns, no answer to an earlier request is still
    /// being given on another thread. Do not call it from an answer.
    package func closeForGood() {
        answering.withLock { _ in
            let waiters = state.withLock { state in
                let waiters = state.waiters
                state.waiters = []
                state.isClosed = true
                announce(state)
                return waiters
            }
            for waiter in waiters { waiter.answer(nil) }
        }
    }

    /// Blocks until a deadline passes, and answers its requests; returns false once the exchange is closed.
    ///
    /// A thread of the server calls it in a loop. The agent cannot do this: if no answer comes, it is the agent that
    /// hangs.
    package func expireOnce() -> Bool {
        var expirations: UInt64 = 0
        _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
        let (release, isOpen) = answering.withLock { _ in
            let (expired, release, isOpen) = state.withLock { state in
                let now = Self.now()
                let expired = state.waiters.filter { $0.deadline <= now }
                state.waiters.removeAll { $0.deadline <= now }
                let release = state.releaseTime.flatMap { $0 <= now ? state.release : nil }
                if release != nil { state.releaseTime = nil }
                announce(state)
                return (expired, release, !state.isClosed)
            }
            for waiter in expired { waiter.answer(nil) }
            return (release, isOpen)
        }
        if let release, release(Self.now()) {
            state.withLock { state in
                state.releaseTime = state.releaseTime ?? Self.now() + Self.releaseNanoseconds
                announce(state)
            }
        }
        return isOpen
    }

    private static let releaseNanoseconds: Int64 = 60_000_000_000

    /// Sets a function that frees memory of results that were made from snapshots and are not used any more.
    ///
    /// - Parameter release: Returns whether something is still held. It is called with the time on the thread that
    ///   calls ``expireOnce()``, once a minute as long as it returns true, and again after the next snapshot.
    package func setRelease(_ release: @escaping @Sendable (_ now: Int64) -> Bool) {
        state.withLock { $0.release = release }
    }

    /// Sets both descriptors according to the state.
    private func announce(_ state: borrowing State) {
        if state.waiters.isEmpty {
            ringside_eventfd_clear(wakeDescriptor)
        } else {
            ringside_eventfd_signal(wakeDescriptor)
        }
        let earliest = state.waiters.reduce(state.releaseTime ?? .max) { min($0, $1.deadline) }
        ringside_timerfd_arm(timer, state.isClosed ? 1 : earliest == .max ? 0 : earliest)
    }
}
