internal import CRingside
internal import CMicroHTTPD
internal import Configuration
internal import Glibc
internal import Platform
internal import Synchronization

/// Every connection of the server, what it is waited for, and since when: the bounds that libmicrohttpd does not keep. It
/// restarts its one timeout with each byte, and stops accepting at its one limit; here a connection has until a deadline for
/// each step, whatever trickles in, and at the limit the one that has waited longest without a request gives way.
///
/// May be used from any thread. A connection is shut down, not closed, and under the lock: its descriptor is libmicrohttpd's,
/// which says that a connection is over before it closes it.
final class HTTPConnections: Sendable {
    /// What happens next on a connection.
    private enum Step {
        /// The headers of its first request come.
        case first
        /// Those of another one come.
        case next
        /// The body of a request comes.
        case body
        /// The answer is made, or read by the client.
        case answer
    }

    private struct Entry {
        let descriptor: Int32
        let address: HTTPClientAddress
        var step: Step
        var since: MonotonicTime
        var isShut = false

        var isIdle: Bool { (step == .first || step == .next) && !isShut }
    }

    /// The address of libmicrohttpd's account of a connection, which is its own until that is over.
    private typealias Name = UInt

    private struct State {
        var entries: [Name: Entry] = [:]
        var limits: WebLimits
        /// When the reaper looks next; nil while it waits to be woken.
        var nextLook: MonotonicTime?
    }

    private let state: Mutex<State>
    /// Readable when the reaper is to look earlier than it meant to.
    let wakeDescriptor: Int32

    init(limits: WebLimits) throws(HTTPServerError) {
        state = Mutex(State(limits: limits))
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

    /// Whether a connection from there may be accepted. Where there is no room, one that has no request makes it.
    func admits(_ address: HTTPClientAddress) -> Bool {
        state.withLock { state in
            let open = state.entries.values.filter { !$0.isShut }
            let hasRoom = open.count < state.limits.connections
            let own = open.count { $0.address == address }
            guard own < state.limits.connectionsPerAddress else {
                return Self.makeRoom(&state) { $0.address == address }
            }
            return hasRoom || Self.makeRoom(&state) { _ in true }
        }
    }

    /// Shuts down the one of these that has waited longest without a request; false where all have one.
    private static func makeRoom(_ state: inout State, among isMeant: (Entry) -> Bool) -> Bool {
        let idle = state.entries.filter { $0.value.isIdle && isMeant($0.value) }
        guard let oldest = idle.min(by: { $0.value.since < $1.value.since })?.key else { return false }
        shut(oldest, in: &state)
        return true
    }

    private static func shut(_ connection: Name, in state: inout State) {
        guard let entry = state.entries[connection], !entry.isShut else { return }
        state.entries[connection]?.isShut = true
        shutdown(entry.descriptor, Int32(SHUT_RDWR))
    }

    func begin(_ connection: OpaquePointer, descriptor: Int32, address: HTTPClientAddress, now: MonotonicTime) {
        enter(Entry(descriptor: descriptor, address: address, step: .first, since: now), Name(bitPattern: connection))
    }

    private func enter(_ entry: Entry, _ connection: Name) {
        let isEarlier = state.withLock { state in
            state.entries[connection] = entry
            let deadline = Self.deadline(entry, state.limits)
            return deadline < state.nextLook ?? .max
        }
        if isEarlier { ringside_eventfd_signal(wakeDescriptor) }
    }

    /// It is over; its descriptor is about to be closed.
    func end(_ connection: OpaquePointer) {
        let name = Name(bitPattern: connection)
        state.withLock { $0.entries[name] = nil }
    }

    /// The headers of a request have come.
    func noteHeaders(_ connection: OpaquePointer, now: MonotonicTime) { move(connection, to: .body, now: now) }

    /// A request has come whole.
    func noteRequest(_ connection: OpaquePointer, now: MonotonicTime) { move(connection, to: .answer, now: now) }

    /// A request was answered.
    func noteAnswer(_ connection: OpaquePointer, now: MonotonicTime) { move(connection, to: .next, now: now) }

    private func move(_ connection: OpaquePointer, to step: Step, now: MonotonicTime) {
        let name = Name(bitPattern: connection)
        let entry = state.withLock { state -> Entry? in
            guard var entry = state.entries[name], entry.step != step else { return nil }
            (entry.step, entry.since) = (step, now)
            return entry
        }
        if let entry { enter(entry, name) }
    }

    func address(of connection: OpaquePointer) -> HTTPClientAddress {
        let name = Name(bitPattern: connection)
        return state.withLock { $0.entries[name]?.address } ?? HTTPClientAddress(nil)
    }

    var count: Int { state.withLock(\.entries.count) }

    private static func deadline(_ entry: Entry, _ limits: WebLimits) -> MonotonicTime {
        switch entry.step {
        case .first, .body: entry.since + limits.requestNanoseconds
        case .next: entry.since + limits.keepAliveNanoseconds
        case .answer: entry.since + limits.answerNanoseconds
        }
    }

    /// Shuts down every connection whose time is up.
    ///
    /// - Returns: when to look again; nil where there is nothing to look at before the descriptor is readable.
    func reap(now: MonotonicTime) -> MonotonicTime? {
        ringside_eventfd_clear(wakeDescriptor)
        return state.withLock { state in
            for (connection, entry) in state.entries where Self.deadline(entry, state.limits) <= now {
                Self.shut(connection, in: &state)
            }
            let limits = state.limits
            state.nextLook = state.entries.values.filter { !$0.isShut }.map { Self.deadline($0, limits) }.min()
            return state.nextLook
        }
    }
}
