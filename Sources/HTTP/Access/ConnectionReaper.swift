internal import CRingside
internal import CMicroHTTPD
internal import Drain
internal import Glibc
internal import Platform

/// The thread that ends connections whose time is up. It sleeps until the next deadline.
final class ConnectionReaper: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call.
    private var thread: NamedThread?
    private let connections: HTTPConnections
    private let stopping = Flag()

    /// Nil where no thread can be had.
    init?(_ connections: HTTPConnections) {
        self.connections = connections
        thread = NamedThread("reaper") { [self] in run() }
        if thread == nil { return nil }
    }

    /// Returns when the thread has ended. Called once.
    func stop() {
        stopping.raise()
        ringside_eventfd_signal(connections.wakeDescriptor)
        thread?.join()
    }

    private func run() {
        while !stopping.isRaised {
            let now = SnapshotExchange.now()
            let next = connections.reap(now: now)
            // Rounded up, so that it does not wake just before.
            let wait = next.map { Int32(clamping: max(0, ($0 - now) / 1_000_000 + 1)) } ?? -1
            // A signal that came before `reap` cleared the descriptor is seen in the flag.
            if stopping.isRaised { return }
            var descriptor = pollfd(fd: connections.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, wait)
        }
    }
}
