internal import Configuration
internal import CRingside
internal import Drain
internal import Glibc
internal import Platform
internal import Series
internal import Synchronization

/// Sends the queue of one destination, oldest entry first, on a thread of its own. So a slow or absent destination
/// delays no other.
///
/// A temporary failure is retried after a pause. The pause is random, from 0.1 s up to a bound: 1 s, doubled with each
/// failure, up to the destination's longest pause (full jitter; AWS Architecture Blog, "Exponential Backoff And
/// Jitter"). If the answer has a Retry-After, that is the pause, up to an hour. An entry that is rejected permanently
/// is dropped, counted and logged. An entry is otherwise removed only after it was accepted, so after a crash it may be
/// sent twice, but is never lost.
package final class DeliveryWorker: @unchecked Sendable {
    // Unchecked: `thread` is written by `prepare`, before any other call. The rest is constant, or used by the worker's
    // thread alone, or has a lock of its own.
    let destination: Destination
    private let url: String
    private let policy: ResponsePolicy
    private let store: DeliveryStore
    private let accounts: ExportAccounts
    private let logger: Logger
    private let client: PushClient
    private let time: TimeSource
    private let wakeup: Wakeup
    private let state = Mutex(State())
    private var thread: NamedThread?

    private struct State {
        /// Whether it may begin to send.
        var isReleased = false
        /// The time at which the last attempt is aborted, on CLOCK_MONOTONIC; nil while the worker is not ending.
        var end: Int64?
        var inFlight: Int64?
    }

    static let longestRetryAfterSeconds: Int64 = 3600
    private static let firstPauseNanoseconds: Int64 = 1_000_000_000

    /// Makes a worker, and acquires all its system resources except its thread.
    ///
    /// - Parameter url: The URL to which its entries are posted.
    /// - Throws: the system's refusal.
    init(
        _ destination: Destination, url: String, policy: ResponsePolicy, store: DeliveryStore,
        accounts: ExportAccounts, logger: Logger, userAgent: String, time: TimeSource = .system
    ) throws(SystemRefusal) {
        self.destination = destination
        self.url = url
        self.policy = policy
        self.store = store
        self.accounts = accounts
        self.logger = logger
        self.time = time
        client = try PushClient(destination, userAgent: userAgent)
        wakeup = try Wakeup()
    }

    var name: String { destination.name }

    /// Starts the thread, which waits for ``release()``.
    ///
    /// - Throws: the system's refusal of a thread.
    func prepare() throws(SystemRefusal) { thread = try NamedThread("send") { [self] in run() } }

    /// Lets the thread begin to send.
    func release() {
        state.withLock { $0.isReleased = true }
        wakeup.signal()
    }

    func start() throws(SystemRefusal) {
        try prepare()
        release()
    }

    /// Ends the worker. It sends until the deadline, each entry at most once. The rest stays in the queue.
    func beginEnd(by deadline: Int64) {
        state.withLock { $0.end = deadline }
        wakeup.signal()
    }

    /// Waits for the thread to end. Called once, after ``beginEnd(by:)``.
    func join() { thread?.join() }

    /// Adds entries to the queue. May be called from any thread. Waits for the disk.
    ///
    /// - Returns: Whether they are stored. A failure is counted and logged.
    @discardableResult
    package func enqueue(_ change: DeliveryStore.Change) -> Bool {
        do {
            let dropped = try store.apply(
                change, to: name, bounds: destination.queue, sparing: state.withLock(\.inFlight))
            noteQueue { $0.dropped["full", default: 0] += UInt64(dropped) }
            if dropped > 0 {
                warn("the queue is full: its oldest entries are dropped", [("entries", .integer(Int64(dropped)))])
            }
            wakeup.signal()
            return true
        } catch {
            accounts.note(name) { $0.dropped["storage", default: 0] += UInt64(change.entries.count) }
            warn("cannot be queued", [("reason", "\(error)")])
            return false
        }
    }

    /// The keys of the entries in the queue.
    var waitingKeys: Set<String> { (try? store.keys(of: name)) ?? [] }

    // MARK: On its thread

    private func run() {
        while !isReleased, !isOver { wakeup.wait(nanoseconds: 60_000_000_000) }
        /// On the queue's clock.
        var pauseUntil: Int64 = 0
        var failures = 0
        noteQueue { _ in }
        while !isOver {
            expire()
            guard let head = nextEntry() else {
                if isEnding { return }
                wakeup.wait(nanoseconds: 60_000_000_000)
                continue
            }
            let (now, due) = (store.now, max(pauseUntil, head.nextNanoseconds))
            if now < due, !isEnding {
                wakeup.wait(nanoseconds: due - now)
                continue
            }
            guard let pause = attempt(head, failures: failures) else {
                (failures, pauseUntil) = (0, 0)
                continue
            }
            failures += 1
            pauseUntil = store.now + pause
            if isEnding { return }
        }
    }

    private var isReleased: Bool { state.withLock(\.isReleased) }

    private var isEnding: Bool { state.withLock { $0.end != nil } }

    private var isOver: Bool { state.withLock { $0.end.map { time.monotonic() >= $0 } ?? false } }

    private func nextEntry() -> QueuedEntry? {
        do {
            return try store.head(of: name)
        } catch {
            warn("the queue cannot be read", [("reason", "\(error)")])
            return nil
        }
    }

    private func expire() {
        let expired = (try? store.expire(name, ageSeconds: destination.queue.maximumAgeSeconds)) ?? 0
        guard expired > 0 else { return }
        noteQueue { $0.dropped["age", default: 0] += UInt64(expired) }
        warn("entries are older than the queue keeps them; they are dropped", [("entries", .integer(Int64(expired)))])
    }

    /// Sends an entry once.
    ///
    /// - Returns: The pause before the next attempt, in nanoseconds; nil once the entry is finished.
    private func attempt(_ head: QueuedEntry, failures: Int) -> Int64? {
        state.withLock { $0.inFlight = head.id }
        defer { state.withLock { $0.inFlight = nil } }
        if head.attempts > 0 { accounts.note(name) { $0.retries += 1 } }
        do throws(PushFailure) {
            let answer = try client.post(head.entry, to: url) { [unowned self] in isOver }
            let now = time.unix()
            switch policy.judge(answer) {
            case .delivered: finish(head) { $0.noteSuccess(unixNanoseconds: now) }
            case .partial(let why):
                finish(head) {
                    $0.noteSuccess(unixNanoseconds: now)
                    $0.failed["partial", default: 0] += 1
                }
                warn("accepted a part and rejected the rest permanently", [("answer", .text(why))])
            case .rejected(let why):
                finish(head) {
                    $0.isOK = false
                    $0.failed["rejected", default: 0] += 1
                    $0.dropped["rejected", default: 0] += 1
                }
                warn("rejected an entry permanently; it is dropped", [("answer", .text(why))])
            case .retry(let why):
                let reason = answer.status == 429 ? "throttled" : "unavailable"
                return postpone(
                    head, reason: reason, message: why, failures: failures, retryAfterSeconds: answer.retryAfterSeconds)
            }
            return nil
        } catch .cancelled {
            return 0
        } catch {
            return postpone(head, reason: error.reason, message: error.message, failures: failures)
        }
    }

    private func finish(_ head: QueuedEntry, _ change: (inout ExportStatus) -> Void) {
        do {
            try store.remove(head.id, of: name)
        } catch {
            warn("a finished entry cannot be removed and will be sent again", [("reason", "\(error)")])
            // Pauses, so that a failing store causes no busy loop.
            wakeup.wait(nanoseconds: 1_000_000_000)
        }
        noteQueue(change)
    }

    private func postpone(
        _ head: QueuedEntry, reason: String, message: String, failures: Int, retryAfterSeconds: Int64 = 0
    ) -> Int64 {
        let pause = pauseNanoseconds(failures: failures, retryAfterSeconds: retryAfterSeconds)
        try? store.postpone(head.id, attempts: head.attempts + 1, pauseNanoseconds: pause)
        accounts.note(name) {
            $0.isOK = false
            $0.failed[reason, default: 0] += 1
        }
        warn(
            "does not accept entries; they are retried",
            [("reason", .text(message)), ("pause_seconds", .number(Double(pause) / 1e9))])
        return pause
    }

    private func pauseNanoseconds(failures: Int, retryAfterSeconds: Int64) -> Int64 {
        if retryAfterSeconds > 0 { return min(retryAfterSeconds, Self.longestRetryAfterSeconds) * 1_000_000_000 }
        let longest = min(destination.longestPauseNanoseconds, Self.firstPauseNanoseconds << Int64(min(failures, 20)))
        // The pause is never zero, since the server has just refused.
        return Int64.random(in: min(100_000_000, longest)...longest)
    }

    private func noteQueue(_ change: (inout ExportStatus) -> Void) {
        let level = store.level(of: name)
        accounts.note(name) {
            $0.noteQueue(level)
            change(&$0)
        }
    }

    /// Logs a message, the same one at most once a minute.
    private func warn(_ message: String, _ fields: [Logger.Field]) {
        let isSaid = complaints.withLock { said in
            let now = time.monotonic()
            if let last = said[message], now - last < Self.complaintIntervalNanoseconds { return false }
            said[message] = now
            return true
        }
        if isSaid { logger.warn("export: \(message)", [("export", .text(name))] + fields) }
    }

    private let complaints = Mutex<[String: Int64]>([:])
    private static let complaintIntervalNanoseconds: Int64 = 60_000_000_000
}

extension ExportStatus {
    fileprivate mutating func noteSuccess(unixNanoseconds: Int64) {
        isOK = true
        sent += 1
        lastSuccessUnixNanoseconds = unixNanoseconds
    }
}
