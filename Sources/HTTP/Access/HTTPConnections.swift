internal import CRingside
internal import CMicroHTTPD
internal import Configuration
internal import Glibc
internal import Platform
internal import Synchronization

/// Every connection of the server, what it is waited for, and since when: the bounds that libmicrohttpd does not keep. It
/// restarts its one timeout with each byte; here a connection has until a deadline for each step, whatever trickles in.
///
/// Nobody is refused for want of room. Where there is none, a connection that the server waits for gives way, an idle one or one
/// whose client reads slowly: of the address that has most of them, the one that has waited longest. Newcomers have a while for their first request, and
/// connections for which an answer is made, or was handed over just now, stay; where there are no others new ones wait in the
/// kernel's queue.
///
/// May be used from any thread. A connection is known by its descriptor. It is shut down, not closed, and under the lock: its
/// descriptor is libmicrohttpd's, which says that a connection is over before it closes it.
final class HTTPConnections: Sendable {
    private struct State {
        var connections: [Int32: HTTPConnection] = [:]
        var limits: WebLimits
        /// When the acceptor looks next; nil while it waits to be woken.
        var nextLook: MonotonicTime?
        /// Whether it waits for room.
        var isFull = false
    }

    private let state: Mutex<State>
    /// Connections for which this process has descriptors, whatever the configuration allows.
    private let descriptorBound: Int
    /// Readable when the acceptor is to look earlier than it meant to.
    let wakeDescriptor: Int32

    /// Connections that are shut down and not closed yet, beyond the limit.
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

    /// Whether there is room for another connection, or one that can make it. Where there is neither, the acceptor is woken when
    /// that has changed.
    func hasRoom(now: MonotonicTime) -> Bool {
        state.withLock { state in
            let isClosing = state.connections.count >= bound(state) + Self.closingBound
            state.isFull =
                isClosing || (isAtBound(state) && !state.connections.values.contains { $0.mayGiveWay(now: now) })
            return !state.isFull
        }
    }

    /// Ends a connection, where there is no room, for one that waits to be accepted; false where none can be ended.
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

    /// Enters a connection that was accepted, before it is handed over. Others of its address give way to it where the server
    /// waits for too many of them.
    func enter(_ descriptor: Int32, _ address: HTTPClientAddress, now: MonotonicTime) {
        state.withLock { state in
            let bound = max(1, min(state.limits.connectionsPerAddress, descriptorBound))
            var waiting = state.connections.values.count { $0.address == address && $0.mayGiveWay(now: now) }
            while waiting >= bound, Self.endOne(&state, now: now, among: { $0.address == address }) { waiting -= 1 }
            state.connections[descriptor] = HTTPConnection(address: address, now: now)
        }
    }

    /// Ends an idle connection, where there is one, so that its descriptor becomes free.
    func yieldDescriptor(now: MonotonicTime) {
        state.withLock { _ = Self.endOne(&$0, now: now) { _ in true } }
    }

    /// Shuts down one connection that may give way; false where there is none.
    private static func endOne(
        _ state: inout State, now: MonotonicTime, among isMeant: (HTTPConnection) -> Bool
    ) -> Bool {
        let all = state.connections.filter { $0.value.mayGiveWay(now: now) && isMeant($0.value) }
        // Of idle ones and slow readers those go of which there are more.
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
            // What the client did not read is not kept by the kernel after the close.
            var abort = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Steps

    /// libmicrohttpd begins with it.
    func begin(_ descriptor: Int32, _ address: HTTPClientAddress, now: MonotonicTime) {
        state.withLock { state in
            // It may have waited longer than an entry is kept.
            if state.connections[descriptor] == nil {
                state.connections[descriptor] = HTTPConnection(address: address, now: now)
            }
        }
        move(descriptor, to: .first, now: now)
    }

    /// The headers of a request have come.
    func noteHeaders(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .body, now: now) }

    /// A request has come whole.
    func noteRequest(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .making, now: now) }

    /// An answer was handed over.
    func noteAnswer(_ descriptor: Int32, now: MonotonicTime) {
        move(descriptor, to: .sending, now: now)
        state.withLock { state in
            // Each of them may keep another whole answer in memory.
            let bound = max(4, state.limits.connections / 8)
            let slow = state.connections.values.count { $0.isReader && $0.mayGiveWay(now: now) }
            if slow > bound { _ = Self.endOne(&state, now: now, among: \.isReader) }
        }
    }

    /// A request was answered.
    func noteEnd(_ descriptor: Int32, now: MonotonicTime) { move(descriptor, to: .next, now: now) }

    /// It is over; its descriptor is about to be closed.
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

    /// Counts a request; whether the connection asks no more than a scraper or a person does.
    func isLight(_ descriptor: Int32, now: MonotonicTime) -> Bool {
        state.withLock { $0.connections[descriptor]?.takeRequest(now: now) } ?? false
    }

    // MARK: Deadlines

    /// Shuts down every connection whose time is up.
    ///
    /// - Returns: when to look again; nil where there is nothing to look at before the descriptor is readable.
    func reap(now: MonotonicTime) -> MonotonicTime? {
        ringside_eventfd_clear(wakeDescriptor)
        return state.withLock { state in
            let limits = state.limits
            for (descriptor, connection) in state.connections where connection.deadline(limits) <= now {
                if connection.step == .accepted {
                    // libmicrohttpd may have closed it without a word: the number may be another's by now.
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
