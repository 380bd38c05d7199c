package import Drain
internal import Exposition
package import Platform
internal import Synchronization

/// A stream of snapshots and of the changes between them, for any number of listeners.
///
/// While there are listeners, its thread requests a snapshot each second, renders it once and wakes them. Each listener
/// has a position in the log of events, and takes the events that follow when its socket has room. Nothing is buffered
/// for a slow listener. It goes on with the changes that are still kept, or with the last whole document. Without
/// listeners nothing is rendered.
///
/// Members may be used from any thread.
package final class EventFeed: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call; all else is behind the mutex or immutable.
    private struct State {
        var log: EventLog
        /// The suspended connections of the listeners that have every event.
        var waiting: [ObjectIdentifier: SuspendedConnection] = [:]
        var listenerCount = 0
        /// The time at which the last listener left.
        var emptySince: MonotonicTime = 0
        var heartbeat: (number: UInt64, block: EventBlock)?
        var lastEvent: MonotonicTime
        var isClosed = false
    }

    private let exchange: SnapshotExchange
    private let quantiles: [Double]
    private let unix: @Sendable () -> Int64
    private let intervalNanoseconds: Int64
    private let heartbeatNanoseconds: Int64
    private let wakeup: Wakeup
    private let state: Mutex<State>
    /// Returns the answer to a request that comes before there is anything to show; nil from then on.
    let refusal: @Sendable () -> HTTPResponse?
    private var thread: NamedThread?

    /// How long the log is kept without listeners, for a listener that connects again.
    private static let keepNanoseconds: Int64 = 16_000_000_000

    /// Starts the thread, which sleeps until there is a listener. It runs until ``close()``.
    ///
    /// - Parameters:
    ///   - quantiles: The quantiles that a snapshot shows.
    ///   - refusal: Called for each request. If it returns a response, that is the answer.
    ///   - intervalNanoseconds: The time between two snapshots.
    ///   - heartbeatNanoseconds: The longest time without an event.
    /// - Throws: the system's refusal of a thread or a descriptor.
    package init(
        exchange: SnapshotExchange, quantiles: [Double], refusal: @escaping @Sendable () -> HTTPResponse?,
        intervalNanoseconds: Int64 = 1_000_000_000, heartbeatNanoseconds: Int64 = 5_000_000_000,
        unix: @escaping @Sendable () -> Int64 = TimeSource.system.unix
    ) throws(SystemRefusal) {
        self.exchange = exchange
        self.quantiles = quantiles
        self.refusal = refusal
        self.intervalNanoseconds = intervalNanoseconds
        self.heartbeatNanoseconds = heartbeatNanoseconds
        self.unix = unix
        wakeup = try Wakeup()
        let epoch = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        state = Mutex(State(log: EventLog(epoch: epoch), lastEvent: SnapshotExchange.now()))
        thread = try NamedThread("events") { [self] in run() }
    }

    /// The number of listeners.
    package var listenerCount: Int { state.withLock(\.listenerCount) }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Ends the stream of each listener, and returns when the thread has ended. Close the exchange first, since the
    /// thread may wait for a snapshot. Later calls do nothing.
    func close() {
        let waiting: [SuspendedConnection]? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        guard let waiting else { return }
        for connection in waiting { connection.resume() }
        wakeup.signal()
        thread?.join()
    }

    // MARK: Listeners

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - lastEventID: The id of the last event that it got from an earlier stream.
    ///   - limit: The most listeners at one time.
    ///   - progress: Called on the server's thread whenever the client has taken what it was sent.
    /// - Returns: Nil if there are too many, or the feed is closed.
    func open(lastEventID: String?, limit: Int, progress: @escaping @Sendable () -> Void) -> EventListener? {
        let now = SnapshotExchange.now()
        let opened = state.withLock { state -> (number: UInt64?, heartbeat: UInt64)? in
            guard !state.isClosed, state.listenerCount < limit else { return nil }
            state.listenerCount += 1
            return (state.log.number(ofID: lastEventID), state.heartbeat?.number ?? 0)
        }
        guard let opened else { return nil }
        wakeup.signal()
        return EventListener(
            feed: self, number: opened.number, heartbeat: opened.heartbeat, oldest: now - intervalNanoseconds,
            progress: progress)
    }

    func leave(_ listener: EventListener) {
        state.withLock { state in
            state.listenerCount -= 1
            state.waiting[ObjectIdentifier(listener)] = nil
            if state.listenerCount == 0 { state.emptySince = SnapshotExchange.now() }
        }
    }

    /// The next step of a listener.
    enum Step {
        case send([EventBlock], EventListener.Position)
        case wait
        case end
    }

    func next(after position: EventListener.Position) -> Step {
        state.withLock { Self.next(after: position, in: $0) }
    }

    private static func next(after position: EventListener.Position, in state: borrowing State) -> Step {
        if state.isClosed { return .end }
        var position = position
        if let begun = state.log.begun, begun >= position.oldest,
            let (blocks, number) = state.log.events(after: position.number)
        {
            position.number = number
            return .send(blocks, position)
        }
        if let heartbeat = state.heartbeat, heartbeat.number > position.heartbeat {
            position.heartbeat = heartbeat.number
            return .send([heartbeat.block], position)
        }
        return .wait
    }

    /// Keeps the suspended connection of a listener that has every event, until there are more.
    ///
    /// - Returns: False if there are more by now. Then the caller resumes the connection.
    func wait(_ listener: EventListener, _ connection: SuspendedConnection) -> Bool {
        state.withLock { state in
            guard case .wait = Self.next(after: listener.position, in: state) else { return false }
            state.waiting[ObjectIdentifier(listener)] = connection
            return true
        }
    }

    // MARK: The thread

    private func run() {
        var due = SnapshotExchange.now()
        while !isClosed {
            let now = SnapshotExchange.now()
            guard hasListeners(now: now) else {
                due = now
                wakeup.wait(nanoseconds: Self.keepNanoseconds)
                continue
            }
            if now < due {
                wakeup.wait(nanoseconds: due - now)
                continue
            }
            due = max(due + intervalNanoseconds, now)
            if let published = exchange.waitForPublished() {
                due = max(due, published.begun + intervalNanoseconds)
                take(published)
            } else {
                beat()
                // A closed exchange answers at once.
                due = max(due, SnapshotExchange.now() + intervalNanoseconds)
            }
        }
    }

    /// Returns whether there are listeners. Removes the log if there have been none for some time.
    private func hasListeners(now: MonotonicTime) -> Bool {
        state.withLock { state in
            if state.listenerCount == 0, now - state.emptySince >= Self.keepNanoseconds { state.log.removeAll() }
            return state.listenerCount > 0
        }
    }

    private func take(_ published: SnapshotExchange.Published) {
        let base = state.withLock(\.log.base)
        guard published.number != base?.number else { return beat() }
        let document = LatestJSON.document(published.snapshot, quantiles: quantiles)
        let change = base.flatMap { document.change(from: $0.document) }
        wake { state in
            state.log.append(document, change: change, number: published.number, begun: published.begun)
        }
    }

    /// Sends a heartbeat if there was no event for some time.
    private func beat() {
        let isDue = state.withLock { SnapshotExchange.now() - $0.lastEvent >= heartbeatNanoseconds }
        guard isDue else { return }
        let block = EventBlock.heartbeat(unixNanoseconds: unix())
        wake { state in state.heartbeat = ((state.heartbeat?.number ?? 0) + 1, block) }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.lastEvent = SnapshotExchange.now()
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for connection in waiting { connection.resume() }
    }
}
