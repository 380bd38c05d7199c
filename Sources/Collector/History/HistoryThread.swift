internal import CRingside
internal import Glibc
internal import Series
internal import Synchronization

/// The thread that turns the history's crank: a snapshot at the end of each minute, and when many late minutes wait, as while an
/// old log is imported.
final class HistoryThread: @unchecked Sendable {
    // Unchecked: `thread` is written by `start` before any other call.
    private let recorder: HistoryRecorder
    private let exchange: SnapshotExchange
    private let readiness: HTTPReadiness
    private var thread = pthread_t()
    private let stopping = Flag()
    /// Raised for the end.
    private let wake: UnsafeMutablePointer<sem_t>

    init(
        _ recorder: HistoryRecorder, exchange: SnapshotExchange, readiness: HTTPReadiness, late: LateReceipt
    ) {
        self.recorder = recorder
        self.exchange = exchange
        self.readiness = readiness
        wake = .allocate(capacity: 1)
        sem_init(wake, 0, 0)
        late.whenMany { [self] in sem_post(wake) }
    }

    deinit {
        sem_destroy(wake)
        wake.deallocate()
    }

    func start() {
        let status = pthread_create(&thread, nil, runHistory, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "the system gives no thread: \(String(cString: strerror(status)))")
    }

    /// Records the last part of a minute and waits for the thread to end. Called once, when nothing is drained any more.
    func stop() {
        stopping.raise()
        sem_post(wake)
        pthread_join(thread, nil)
        if let last = exchange.latest, readiness.reasonToWait == nil { recorder.record(last.snapshot) }
    }

    fileprivate func run() {
        ringside_name_thread("history")
        recorder.open()
        // Totals before that may still be those of an older state.
        while readiness.reasonToWait != nil, !sleep(seconds: 0.1) {}
        recordNow()
        while !sleep(seconds: Self.secondsToNextMinute) { recordNow() }
    }

    private func recordNow() {
        guard !stopping.isRaised, let snapshot = exchange.wait() else { return }
        recorder.record(snapshot)
    }

    private static var secondsToNextMinute: Double {
        let now = realTime()
        return 60 - now.truncatingRemainder(dividingBy: 60)
    }

    private static func realTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// - Returns: whether it is time to end.
    private func sleep(seconds: Double) -> Bool {
        let end = Self.realTime() + seconds
        var deadline = timespec(
            tv_sec: Int(end), tv_nsec: min(999_999_999, Int(end.truncatingRemainder(dividingBy: 1) * 1e9)))
        while !stopping.isRaised, sem_timedwait(wake, &deadline) != 0, errno == EINTR {}
        return stopping.isRaised
    }
}

private func runHistory(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<HistoryThread>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}

extension SnapshotExchange {
    /// Waits for a snapshot that is begun from here on; nil where none came in time. For threads that may wait.
    func wait() -> Snapshot? {
        let answer = WaitedAnswer()
        request(since: Self.now()) { answer.put($0?.snapshot) }
        return answer.take()
    }
}

/// Hands one answer from one thread to another.
private final class WaitedAnswer: Sendable {
    private let answer = Mutex<Snapshot??>(nil)
    // Sendable: sem_post(3) and sem_wait(3) may be called from any thread.
    nonisolated(unsafe) private let isThere: UnsafeMutablePointer<sem_t>

    init() {
        isThere = .allocate(capacity: 1)
        sem_init(isThere, 0, 0)
    }

    deinit {
        sem_destroy(isThere)
        isThere.deallocate()
    }

    func put(_ snapshot: Snapshot?) {
        answer.withLock { $0 = .some(snapshot) }
        sem_post(isThere)
    }

    func take() -> Snapshot? {
        while sem_wait(isThere) != 0 {}
        return answer.withLock { $0 ?? nil }
    }
}
