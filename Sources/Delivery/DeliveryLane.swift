internal import Configuration
internal import CRingside
internal import Drain
internal import Glibc
internal import Platform
internal import Series
internal import Synchronization

/// Sends what waits for one destination, oldest first, on a thread of its own: one that is slow or away delays no other.
///
/// What is worth another attempt is tried again after a pause that grows: full jitter between 0 and 1 s doubled with each
/// failure, up to the destination's longest pause (AWS Architecture Blog, "Exponential Backoff And Jitter"), or what
/// Retry-After asks for, up to an hour. What is refused for good is dropped, counted and logged. An entry is removed after
/// the answer that took it: after a crash it may be sent twice, and never not at all.
package final class DeliveryLane: @unchecked Sendable {
    // Unchecked: `thread` is written by `start`, before any other call; the rest is constant or guarded by itself.
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
        /// On CLOCK_MONOTONIC: when the last attempt is broken off; nil while there is no end in sight.
        var end: Int64?
        var inFlight: Int64?
    }

    static let longestRetryAfterSeconds: Int64 = 3600
    private static let firstPauseNanoseconds: Int64 = 1_000_000_000

    /// Has at once all that it needs of the system but its thread.
    ///
    /// - Parameter url: Where its entries are posted to.
    /// - Throws: what the system refuses.
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

    private var name: String { destination.name }

    /// Begins its thread, which waits to be released.
    ///
    /// - Throws: where the system gives no thread.
    func prepare() throws(SystemRefusal) { thread = try NamedThread("send") { [self] in run() } }

    /// Lets its thread send.
    func release() {
        state.withLock { $0.isReleased = true }
        wakeup.signal()
    }

    func start() throws(SystemRefusal) {
        try prepare()
        release()
    }

    /// Lets it send what it can until then, each entry once at most; what is left stays in the queue.
    func beginEnd(by deadline: Int64) {
        state.withLock { $0.end = deadline }
        wakeup.signal()
    }

    /// Waits for the end of its thread. Called once, after ``beginEnd(by:)``.
    func join() { thread?.join() }

    /// Adds to its queue. May be called from any thread; waits for the disk.
    ///
    /// - Returns: Whether it is kept; where not, that is counted and logged.
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

    /// The keys of what waits in its queue.
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
        warn("entries are older than the queue keeps them, and are dropped", [("entries", .integer(Int64(expired)))])
    }

    /// - Returns: How long to pause before the next attempt; nil where the entry is done with.
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
                warn("took a part, and refused the rest for good", [("answer", .text(why))])
            case .rejected(let why):
                finish(head) {
                    $0.isOK = false
                    $0.failed["rejected", default: 0] += 1
                    $0.dropped["rejected", default: 0] += 1
                }
                warn("refuses an entry for good, which is dropped", [("answer", .text(why))])
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
            warn("an entry that is done with cannot be removed, and will be sent again", [("reason", "\(error)")])
            // Not at once and for ever.
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
            "does not take what is sent; it is tried again",
            [("reason", .text(message)), ("pause_seconds", .number(Double(pause) / 1e9))])
        return pause
    }

    private func pauseNanoseconds(failures: Int, retryAfterSeconds: Int64) -> Int64 {
        if retryAfterSeconds > 0 { return min(retryAfterSeconds, Self.longestRetryAfterSeconds) * 1_000_000_000 }
        let longest = min(destination.longestPauseNanoseconds, Self.firstPauseNanoseconds << Int64(min(failures, 20)))
        // A pause of nothing would ask a server that just said no.
        return Int64.random(in: min(100_000_000, longest)...longest)
    }

    private func noteQueue(_ change: (inout ExportStatus) -> Void) {
        let level = store.level(of: name)
        accounts.note(name) {
            $0.noteQueue(level)
            change(&$0)
        }
    }

    /// The same is said once in a minute at most.
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
