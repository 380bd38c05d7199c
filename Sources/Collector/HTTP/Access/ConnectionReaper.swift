internal import CMicroHTTPD
internal import CRingside
internal import Glibc

/// The thread that ends connections whose time is up. It sleeps until the next deadline.
final class ConnectionReaper: @unchecked Sendable {
    // Unchecked: `thread` is written by `init` before any other call.
    private var thread = pthread_t()
    private let connections: HTTPConnections
    private let stopping = Flag()

    /// Nil where no thread can be had.
    init?(_ connections: HTTPConnections) {
        self.connections = connections
        let context = Unmanaged.passRetained(self)
        guard pthread_create(&thread, nil, runReaper, context.toOpaque()) == 0 else {
            context.release()
            return nil
        }
    }

    /// Returns when the thread has ended. Called once.
    func stop() {
        stopping.raise()
        ringside_eventfd_signal(connections.wakeDescriptor)
        pthread_join(thread, nil)
    }

    fileprivate func run() {
        ringside_name_thread("reaper")
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

private func runReaper(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<ConnectionReaper>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}
