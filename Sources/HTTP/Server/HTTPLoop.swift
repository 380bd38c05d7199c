internal import CMicroHTTPD
internal import CRingside
internal import Drain
internal import Glibc
internal import Platform

/// The server's own thread. It accepts connections while there is room, runs libmicrohttpd, which serves them, and ends
/// those past their deadline. It sleeps until something happens or the next deadline.
///
/// libmicrohttpd has a loop of its own, which is not used. Up to version 1.0.1 it takes 128 events of epoll(7) at a
/// time. If exactly so many connections are ready, it waits for another event, without a limit, before it serves them.
final class HTTPLoop: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call. The variables below it belong to the thread.
    private var thread: NamedThread?
    /// Whether the next turn checks the connections.
    private var isDue = true
    /// The time at which the connections are checked if nothing happens before.
    private var nextLook = MonotonicTime.max
    private var mayAccept = false
    /// The time from which it accepts again, if no descriptor was free. Otherwise it is in the past.
    private var acceptsFrom = MonotonicTime.min
    /// Whether the last connection found no free descriptor, so that this is logged once.
    private var isStarved = false

    private let listener: Int32
    private let daemon: OpaquePointer
    /// Readable when libmicrohttpd has something to do.
    private let readiness: Int32
    private let connections: HTTPConnections
    private let access: WebConfigurationFile
    private let closing = Flag()
    private let stopping = Flag()

    /// The most connections that are accepted before the next check of deadlines.
    private static let series = 16
    /// How long to wait before a retry if no descriptor is free.
    private static let pauseNanoseconds: Int64 = 100_000_000
    /// The most turns at the end, in which the last answers are sent.
    private static let lastTurns = 1000

    /// - Parameters:
    ///   - listener: A listening socket. Its owner closes it after ``stop()``.
    ///   - daemon: libmicrohttpd's handle. Its owner ends it after ``stop()``.
    /// - Throws: The system's refusal of a thread.
    init(
        _ listener: Int32, daemon: OpaquePointer, connections: HTTPConnections, access: WebConfigurationFile
    ) throws(SystemRefusal) {
        self.listener = listener
        self.daemon = daemon
        readiness = ringside_http_epoll_descriptor(daemon)
        self.connections = connections
        self.access = access
        thread = try NamedThread("http") { [self] in run() }
    }

    /// Accepts no connection from now on. Existing connections are still served.
    func close() {
        closing.raise()
        ringside_eventfd_signal(connections.wakeDescriptor)
    }

    /// Sends the answers that are ready, and returns when the thread has ended. Called once.
    func stop() {
        stopping.raise()
        ringside_eventfd_signal(connections.wakeDescriptor)
        thread?.join()
    }

    private func run() {
        while !stopping.isRaised {
            if isDue { look() }
            MHD_run(daemon)
            if wait() { acceptSeries() }
        }
        for _ in 0..<Self.lastTurns {
            MHD_run(daemon)
            guard ringside_http_has_work(daemon) else { return }
        }
    }

    /// Ends the connections that are past their deadline, and decides whether others are accepted. Cost: a check of
    /// each connection, which most requests do not need.
    private func look() {
        connections.limits = access.current.configuration.limits
        let now = SnapshotExchange.now()
        mayAccept = !closing.isRaised && acceptsFrom <= now && connections.hasRoom(now: now)
        // This clears the wake descriptor. A signal from here on ends the next wait.
        nextLook = min(connections.reap(now: now) ?? .max, acceptsFrom > now ? acceptsFrom : .max)
    }

    /// Waits until something happens or the next check is due.
    ///
    /// - Returns: Whether a connection is waiting and may be accepted.
    private func wait() -> Bool {
        var descriptors = [
            pollfd(fd: connections.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readiness, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mayAccept ? listener : -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), waitMilliseconds)
        let hasNewcomer = descriptors[2].revents != 0
        isDue = descriptors[0].revents != 0 || hasNewcomer || nextLook <= SnapshotExchange.now()
        return hasNewcomer
    }

    /// How long to sleep; -1 until something happens.
    private var waitMilliseconds: Int32 {
        if ringside_http_has_work(daemon) { return 0 }
        // Rounded up, so that it does not wake just before the deadline.
        return nextLook == .max ? -1 : Int32(clamping: max(0, (nextLook - SnapshotExchange.now()) / 1_000_000 + 1))
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

    /// Accepts a connection and hands it to libmicrohttpd.
    ///
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
            // The connection stays in the kernel's queue, and the listener stays readable. Without a pause the loop
            // would spin.
            acceptsFrom = now + Self.pauseNanoseconds
            return false
        default: return true
        }
    }
}
