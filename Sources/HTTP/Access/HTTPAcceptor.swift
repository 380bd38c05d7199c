internal import CRingside
internal import CMicroHTTPD
internal import Drain
internal import Glibc
internal import Platform

/// Accepts connections while there is room, and ends those past their deadline, on its own thread. Sleeps until the
/// next deadline or connection.
final class HTTPAcceptor: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call; `isStarved` belongs to the thread;
    // libmicrohttpd's handle may be used from any thread.
    private var thread: NamedThread?
    private let listener: Int32
    private let daemon: OpaquePointer
    private let connections: HTTPConnections
    private let access: WebAccess
    private let stopping = Flag()
    /// Whether the last connection found no free descriptor, so that this is logged once.
    private var isStarved = false

    /// Connections accepted before the next check of deadlines.
    private static let series = 16
    /// How long to wait before a retry if no descriptor is free.
    private static let pauseNanoseconds: Int64 = 100_000_000

    /// - Parameter listener: A listening socket; its owner closes it after ``stop()``.
    /// - Throws: The system's refusal of a thread.
    init(
        _ listener: Int32, daemon: OpaquePointer, connections: HTTPConnections, access: WebAccess
    ) throws(SystemRefusal) {
        self.listener = listener
        self.daemon = daemon
        self.connections = connections
        self.access = access
        thread = try NamedThread("accept") { [self] in run() }
    }

    /// Returns when the thread has ended. Called once.
    func stop() {
        stopping.raise()
        ringside_eventfd_signal(connections.wakeDescriptor)
        thread?.join()
    }

    private func run() {
        while !stopping.isRaised {
            connections.limits = access.current.configuration.limits
            let now = SnapshotExchange.now()
            let hasRoom = connections.hasRoom(now: now)
            let next = connections.reap(now: now)
            // A signal that came before `reap` cleared the descriptor is still visible in the flag.
            if stopping.isRaised { return }
            if wait(until: next, forConnection: hasRoom, now: now) { acceptSeries() }
        }
    }

    /// - Returns: Whether a connection is waiting and may be accepted.
    private func wait(until next: MonotonicTime?, forConnection hasRoom: Bool, now: MonotonicTime) -> Bool {
        // Rounded up, so that it does not wake just before the deadline.
        let wait = next.map { Int32(clamping: max(0, ($0 - now) / 1_000_000 + 1)) } ?? -1
        var descriptors = [
            pollfd(fd: connections.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasRoom ? listener : -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), wait)
        return hasRoom && descriptors[1].revents != 0
    }

    private func acceptSeries() {
        for _ in 0..<Self.series {
            let now = SnapshotExchange.now()
            // Ends a connection only when a new one is there to take its place.
            guard isOneWaiting, connections.makeRoom(now: now), accept(now: now) else { return }
        }
    }

    private var isOneWaiting: Bool {
        var descriptor = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }

    /// - Returns: Whether another connection may be waiting.
    private func accept(now: MonotonicTime) -> Bool {
        var (address, length) = (sockaddr_storage(), socklen_t(0))
        let descriptor = ringside_http_accept(listener, &address, &length)
        guard descriptor >= 0 else { return failed(errno, now: now) }
        isStarved = false
        let client = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { HTTPClientAddress($0) }
        }
        connections.enter(descriptor, client, now: now)
        if ringside_http_add(daemon, descriptor, &address, length) == 0 { connections.end(descriptor) }
        return true
    }

    private func failed(_ code: Int32, now: MonotonicTime) -> Bool {
        switch code {
        case EAGAIN: return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            if !isStarved {
                access.logger.warn(
                    "a connection waits: the system has no descriptor for it; raise the limit (ulimit -n, LimitNOFILE=)",
                    [("reason", "\(HTTPServerError.systemMessage(code))")])
            }
            isStarved = true
            connections.yieldDescriptor(now: now)
            // The connection stays in the kernel's queue, which stays readable: without a pause this would spin.
            usleep(useconds_t(Self.pauseNanoseconds / 1000))
            return false
        default: return true
        }
    }
}
