internal import CRingside
internal import Glibc
internal import Series

/// The thread that asks for a snapshot again and again and has it dumped.
final class SnapshotDumpThread: @unchecked Sendable {
    // Unchecked: `thread` is written by `start` before any other call.
    private let dump: SnapshotDump
    private let intervalNanoseconds: Int64
    private let exchange: SnapshotExchange
    private let readiness: HTTPReadiness
    private var thread = pthread_t()
    private let stopping = Flag()
    /// Raised for the end.
    private let wake: UnsafeMutablePointer<sem_t>

    init(
        _ dump: SnapshotDump, intervalNanoseconds: Int64, exchange: SnapshotExchange, readiness: HTTPReadiness
    ) {
        self.dump = dump
        self.intervalNanoseconds = intervalNanoseconds
        self.exchange = exchange
        self.readiness = readiness
        wake = .allocate(capacity: 1)
        sem_init(wake, 0, 0)
    }

    deinit {
        sem_destroy(wake)
        wake.deallocate()
    }

    var status: ServiceStatus { dump.status }

    func start() {
        let status = pthread_create(&thread, nil, runDumps, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "the system gives no thread: \(String(cString: strerror(status)))")
    }

    /// Dumps the last snapshot and waits for the thread to end. Called once, when nothing is drained any more.
    func stop() {
        stopping.raise()
        sem_post(wake)
        pthread_join(thread, nil)
        if let last = exchange.latest, readiness.reasonToWait == nil { dump.write(last.snapshot) }
    }

    fileprivate func run() {
        ringside_name_thread("json")
        while !wait(nanoseconds: intervalNanoseconds) {
            guard readiness.reasonToWait == nil, let snapshot = exchange.wait(), !stopping.isRaised else { continue }
            dump.write(snapshot)
        }
    }

    /// - Returns: whether it is time to end.
    private func wait(nanoseconds: Int64) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let end = Int64(deadline.tv_sec) * 1_000_000_000 + Int64(deadline.tv_nsec) + nanoseconds
        deadline = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while !stopping.isRaised, sem_timedwait(wake, &deadline) != 0, errno == EINTR {}
        return stopping.isRaised
    }
}

private func runDumps(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<SnapshotDumpThread>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}
