internal import CRingside
internal import CMicroHTTPD
internal import Configuration
internal import Glibc
internal import Platform
internal import Synchronization

/// Every connection of the server, with its current step. libmicrohttpd restarts its only timeout with each byte. Here
/// each step has a deadline, so that a client cannot extend it by sending slowly.
///
/// No connection is refused for lack of room. If there is no room, the server ends a connection that is idle or whose
/// client reads slowly. Of the address with the most such connections, it ends the one that has waited longest. It does
/// not end a new connection that still has time for its first request, nor a connection whose answer is being made or
/// was just handed over. If there are only such connections, new ones wait in the kernel's queue.
///
/// May be used from any thread. A connection is identified by its descriptor. It is shut down under the lock, not
/// closed. libmicrohttpd owns the descriptor, and reports the end of a connection before it closes the descriptor.
final class HTTPConnections: Sendable {
    private struct State {
        var connections: [Int32: HTTPConnection] = [:]
        var limits: WebLimits
        /// The time at which the server's thread checks next; nil while it waits to be woken.
        var nextLook: MonotonicTime?
        /// Whether a connection may wait for room.
        var isFull = false
    }

    private let state: Mutex<State>
    /// The most connections for which this process has descriptors, whatever the configuration allows.
    private let descriptorBound: Int
    /// Readable when the server's thread must check earlier than planned.
    let wakeDescriptor: Int32

    /// How many connections may be shut down but not yet closed, beyond the limit.
    private static let closingBound = 16

    init(limits: WebLimits, descriptorBound: Int = .max) throws(HTTPServerError) {
        state = Mutex(State(limits: limits))
        self.descriptorBound = descriptorBound
        wakeDescriptor = ringside_eventfd()
        guard wakeDescriptor >= 0 else {
            throw HTTPServerError("cannot make an eventfd: \(HTTPServerError.systemMessage())")
        }
    }

    deinit { close(wakeDescriptor) }

    var limits: WebLimits {
        get { state.withLock(\.limits) }
        set { state.withLock { $0.limits = newValue } }
    }

    /// Connections that are open or being closed.
    var count: Int { state.withLock(\.connections.count) }

    // MARK: Accepting

    /// Returns whether there is room for another connection, or a connection that can be ended to make room. If there
    /// is not, the server's thread is woken when that changes.
    func hasRoom(now: MonotonicTime) -> Bool {
        state.withLock { state in
            let isClosing = state.connections.count >= bound(state) + Self.closingBound
            state.isFull =
                isClosing || (isAtBound(state) && !state.connections.values.contains { $0.mayGiveWay(now: now) })
            return !state.isFull
        }
    }

    /// Makes room for a connection that waits to be accepted. Ends another one if there is no room. Returns false if
    /// none can be ended.
    func makeRoom(now: MonotonicTime) -> Bool {
        state.withLock { state in
            guard state.connections.count < bound(state) + Self.closingBound else { return false }
            return !isAtBound(state) || Self.endOne(&state, now: now) { _ in true }
        }
    }

    private func bound(_ state: borrowing State) -> Int { min(state.limits.connections, descriptorBound) }

    private func isAtBound(_ state: borrowing State) -> Bool {
        state.connections.values.count { !$0.isShut } >= bound(state)
    }

    /// Adds an accepted connection before it is handed to libmicrohttpd. If its address has too many connections that
    /// can be ended, ends some of them.
    func enter(_ descriptor: Int32, _ address: HTTPClientAddress, now: MonotonicTime) {
        state.withLock { state in
            let bound = max(1, min(state.limits.connectionsPerAddress, descriptorBound))
            var waiting = state.connections.values.count { $0.address == address && $0.mayGiveWay(now: now) }
            while waiting >= bound, Self.endOne(&state, now: now, among: { $0.address == address }) { waiting -= 1 }
            state.connections[descriptor] = HTTPConnection(address: address, now: now)
        }
    }

    /// Ends a connection that is idle or whose client reads slowly, if there is one, to free its descriptor.
    func yieldDescriptor(now: MonotonicTime) {
        state.withLock { _ = Self.endOne(&$0, now: now) { _ in true } }
    }

    /// Shuts down one connection that can be ended. Returns false if there is none.
    private static func endOne(
        _ state: inout State, now: MonotonicTime, among isMeant: (HTTPConnection) -> Bool
    ) -> Bool {
        let all = state.connections.filter { $0.value.mayGiveWay(now: now) && isMeant($0.value) }
        // Ends a connection of the more common kind: idle, or with a slow reader.
        let readers = all.filter(\.value.isReader)
        let candidates = readers.count * 2 > all.count ? readers : all.filter { !$0.value.isReader }
        let counts = Dictionary(candidates.values.map { ($0.address, 1) }, uniquingKeysWith: +)
        guard let most = counts.max(by: { $0.value < $1.value })?.key,
            let oldest = candidates.filter({ $0.value.address == most }).min(by: { $0.value.since < $1.value.since })
        else { return false }
        shut(oldest.key, in: &state)
        return true
    }

    private static func shut(_ descriptor: Int32, in state: inout State) {
        guard let connection = state.connections[descriptor], !connection.isShut else { return }
        state.connections[descriptor]?.isShut = true
        if connection.step == .sending {
            // Makes the kernel discard unread data at the close.
            var abort = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Steps

    /// Records that libmicrohttpd starts to process the connection.
    func begin(_ descriptor: Int32, _ address: HTTPClientAddress, now: MonotonicTime) {
        state.withLock { state in
            // The connection may have waited longer than an entry is kept.
            if state.connections[descriptor] == nil {
                state.connections[descriptor] = HTTPConnection(address: address, now: now)
            }
        }
        move(descriptor, to: .first, now: now)
    }

    /// Records that the headers of a request are complete.
    func noteHeaders(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .body, now: now) }

    /// Records that a request is complete.
    func noteRequest(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .making, now: now) }

    /// Records that an answer was handed over. Ends a slow reader if there are too many.
    func noteAnswer(_ descriptor: Int32, now: MonotonicTime) {
        move(descriptor, to: .sending, now: now)
        state.withLock { state in
            // Each slow reader may keep another whole answer in memory.
            let bound = max(4, state.limits.connections / 8)
            let slow = state.connections.values.count { $0.isReader && $0.mayGiveWay(now: now) }
            if slow > bound { _ = Self.endOne(&state, now: now, among: \.isReader) }
        }
    }

    /// Records that the answer is a stream without an end.
    func noteStream(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .streaming, now: now) }

    /// Restarts the deadline of a stream whose client has taken the events that were ready.
    func noteProgress(_ descriptor: Int32, now: MonotonicTime) {
        state.withLock { state in
            guard state.connections[descriptor]?.step == .streaming else { return }
            state.connections[descriptor]?.move(to: .streaming, now: now)
        }
    }

    /// Records that a request was answered.
    func noteEnd(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .next, now: now) }

    /// Removes a connection whose descriptor is about to be closed.
    func end(_ descriptor: Int32) {
        let isAwaited = state.withLock { state in
            state.connections[descriptor] = nil
            return state.isFull
        }
        if isAwaited { ringside_eventfd_signal(wakeDescriptor) }
    }

    private func move(_ descriptor: Int32, to step: HTTPConnection.Step, now: MonotonicTime) {
        let isEarlier = state.withLock { state in
            guard var connection = state.connections[descriptor], connection.step != step else { return false }
            connection.move(to: step, now: now)
            state.connections[descriptor] = connection
            let giving = state.isFull ? connection.givesWayFrom : nil
            return min(connection.deadline(state.limits), giving ?? .max) < state.nextLook ?? .max
        }
        if isEarlier { ringside_eventfd_signal(wakeDescriptor) }
    }

    func address(of descriptor: Int32) -> HTTPClientAddress {
        state.withLock { $0.connections[descriptor]?.address } ?? HTTPClientAddress(nil)
    }

    /// Counts a request against the connection's allowance. Returns the share of the allowance that was left, 0 to 1.
    func takeRequest(_ descriptor: Int32, now: MonotonicTime) -> Double {
        state.withLock { $0.connections[descriptor]?.takeRequest(now: now) } ?? 0
    }

    // MARK: Deadlines

    /// Shuts down every connection past its deadline.
    ///
    /// - Returns: when to check again; nil if there is nothing to check before the descriptor is readable.
    func reap(now: MonotonicTime) -> MonotonicTime? {
        ringside_eventfd_clear(wakeDescriptor)
        return state.withLock { state in
            let limits = state.limits
            for (descriptor, connection) in state.connections where connection.deadline(limits) <= now {
                if connection.step == .accepted {
                    // libmicrohttpd may have closed it without a report, and the number may belong to another
                    // connection by now.
                    state.connections[descriptor] = nil
                } else {
                    Self.shut(descriptor, in: &state)
                }
            }
            let open = state.connections.values.filter { !$0.isShut }
            let times = open.map { connection in
                let giving = state.isFull ? connection.givesWayFrom : nil
                return min(connection.deadline(limits), giving ?? .max)
            }
            state.nextLook = times.min()
            return state.nextLook
        }
    }
}
