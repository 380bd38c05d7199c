internal import Configuration
internal import CRingside
package import Drain
internal import Glibc
package import Platform
internal import Rules
internal import Series
internal import Synchronization
package import SQLite

/// Sends alerts to Alertmanagers and webhooks, and snapshots to the export destinations.
///
/// One thread, named `delivery`, finds the alerts and snapshots to send, encodes them and puts them into the queues.
/// Each destination has a ``DeliveryWorker`` that empties its queue. The drain's thread hands over alerts and snapshots
/// without waiting. The system resources of a configuration are acquired before it comes into force, so that a reload
/// under resource pressure is refused and changes nothing. A new configuration is applied here within a second, and
/// queued entries stay.
package final class DeliveryService: @unchecked Sendable {
    // Unchecked: `thread` is written by `start`. Mutable state is used by the delivery thread alone, or behind a mutex.
    private let preparation: WorkerPreparation
    private let time: TimeSource
    private let configuration: ConfigurationFile
    private let exchange: SnapshotExchange
    private let readiness: Readiness
    private let logger: Logger
    private let notifier: Notifier
    private let accounts: ExportAccounts
    private let traces = TraceExchange()
    private let wakeup: Wakeup
    private let board: AlertMailbox
    private let announced: [AlertSnapshot]
    private let mailbox = Mutex<Mail>(Mail())
    private let stopping = Flag()
    private var thread: NamedThread?
    private var workers: [String: RunningWorker] = [:]
    private var loaded: UInt64 = 0
    private var annotations: [String: AlertDefinition.Annotations] = [:]
    private var nextHousekeeping: Int64 = 0
    /// Whether the notices of an earlier collector, stored with the queues, are loaded.
    private var knowsSentNotices = false
    /// Whether a wanted worker could not be made yet.
    private var isLacking = false

    private struct Mail {
        var isAsked = false
        var snapshot: Snapshot?
    }

    /// How long the workers may still send when the collector ends.
    static let lingerNanoseconds: Int64 = 5_000_000_000
    private static let lookNanoseconds: Int64 = 1_000_000_000
    private static let endedNoticesSeconds: Int64 = 7 * 86_400

    /// - Parameters:
    ///   - directory: The directory of the queues' file; nil keeps the queues in memory.
    ///   - url: The collector's own address, for alert notices.
    ///   - patience: How to wait for a locked queue.
    /// - Throws: The system's refusal; ``LockWait/Failure`` if the queue stays locked.
    package init(
        directory: String?, patience: LockWait = LockWait(), configuration: ConfigurationFile,
        exchange: SnapshotExchange, readiness: Readiness, logger: Logger, version: String, url: String,
        time: TimeSource = .system
    ) throws {
        self.configuration = configuration
        self.exchange = exchange
        self.readiness = readiness
        self.logger = logger
        self.time = time
        let accounts = ExportAccounts()
        self.accounts = accounts
        wakeup = try Wakeup()
        board = AlertMailbox(wakeup: wakeup)
        preparation = WorkerPreparation(
            directory: directory, accounts: accounts, logger: logger, userAgent: "ringside/\(version)", time: time)
        if !DeliveryPlan.all(of: configuration.current.configuration).isEmpty {
            try preparation.openStore(patience: patience)
        }
        let sent = preparation.store?.sentBefore ?? [:]
        knowsSentNotices = preparation.store != nil
        notifier = Notifier(lastSent: sent, url: url, time: time)
        announced = sent.values.joined().filter { $0.isFiring && $0.notice.isAlert }.map(\.notice.alert)
    }

    /// The objects by which the drain's thread hands over alerts, accounts and spans.
    package var links: DeliveryLinks {
        DeliveryLinks(notices: board, exports: accounts, traces: traces, announced: announced)
    }

    /// Starts with the configuration in force. From then on acquires the resources of each configuration before it is
    /// reloaded.
    ///
    /// - Throws: the system's refusal. Then nothing has started.
    package func start() throws(SystemRefusal) {
        try preparation.prepare(configuration.current.configuration)
        do throws(SystemRefusal) {
            thread = try NamedThread("delivery") { [self] in run() }
        } catch {
            preparation.discardAll()
            throw error
        }
        configuration.beforeReloads { [preparation] next throws(SystemRefusal) in try preparation.prepare(next) }
    }

    /// Ends the service. Sends the last snapshot and the queued entries for some seconds. The next collector sends the
    /// rest. Called once, after the drain's end.
    package func stop() {
        stopping.raise()
        wakeup.signal()
        thread?.join()
    }

    private func run() {
        while !stopping.isRaised {
            turn()
            wakeup.wait(nanoseconds: min(Self.lookNanoseconds, untilNextExport))
        }
        turn()
        if readiness.reasonToWait == nil, let last = exchange.latest?.snapshot {
            for name in workers.keys { workers[name]?.export(last) }
        }
        end(Array(workers.values), lingerNanoseconds: Self.lingerNanoseconds)
        preparation.discardAll()
    }

    private func turn() {
        takeConfiguration()
        let targets = workers.values.compactMap(\.target)
        notifier.turn(board.take(), targets, annotations: annotations)
        export()
        let now = time.monotonic()
        guard now >= nextHousekeeping else { return }
        nextHousekeeping = now + 600_000_000_000
        let store = preparation.store
        try? store?.expireOthers(than: Set(workers.keys), ageSeconds: QueueBounds().maximumAgeSeconds)
        try? store?.forgetEndedNotices(ageSeconds: Self.endedNoticesSeconds)
        try? store?.saveClock()
    }

    // MARK: Snapshots

    private var untilNextExport: Int64 {
        let next = workers.values.compactMap(\.nextExport).min() ?? .max
        return max(1_000_000, next &- time.monotonic())
    }

    /// Requests one snapshot for all exports that are due, and queues the one that was requested before.
    private func export() {
        let now = time.monotonic()
        if let snapshot = mailbox.withLock({ $0.snapshot.take() }) {
            for name in workers.keys where workers[name]!.isAwaiting { workers[name]!.export(snapshot) }
        }
        let due = workers.keys.filter { workers[$0]!.nextExport.map { $0 <= now } ?? false }
        guard !due.isEmpty else { return }
        guard readiness.reasonToWait == nil else {
            for name in due { workers[name]!.postpone(until: now + Self.lookNanoseconds / 4) }
            return
        }
        for name in due {
            workers[name]!.schedule(after: now)
            workers[name]!.isAwaiting = true
        }
        let isAsked = mailbox.withLock { mail in
            defer { mail.isAsked = true }
            return mail.isAsked
        }
        guard !isAsked else { return }
        exchange.request(since: now) { [weak self] in self?.receive($0?.snapshot) }
    }

    /// Takes a requested snapshot. Called on the drain's thread.
    private func receive(_ snapshot: Snapshot?) {
        mailbox.withLock { $0 = Mail(isAsked: false, snapshot: snapshot ?? $0.snapshot) }
        wakeup.signal()
    }

    // MARK: The configuration

    private func takeConfiguration() {
        let current = configuration.current
        guard current.number != loaded || isLacking else { return }
        loaded = current.number
        annotations = Dictionary(current.configuration.alerts.map { ($0.name, $0.annotations) }) { first, _ in first }
        let wanted = DeliveryPlan.all(of: current.configuration)
        let ending = workers.filter { wanted[$0.key] != $0.value.plan }
        end(Array(ending.values), lingerNanoseconds: 0)
        for name in ending.keys { workers[name] = nil }
        accounts.keep(Set(wanted.keys))
        follow(wanted, rules: current.configuration.metrics)
        guard !wanted.isEmpty else { return isLacking = false }
        begin(wanted.filter { workers[$0.key] == nil }, inPlaceOf: ending)
        guard let store = preparation.store else { return }
        if !knowsSentNotices { notifier.restore(store.sentBefore) }
        knowsSentNotices = true
        if store.path == nil {
            logger.info("queues are kept in memory only: there is no state directory")
        }
    }

    /// Releases the workers that were prepared for this configuration. Makes a missing worker now. If the system refuses,
    /// tries again at the next turn.
    private func begin(_ plans: [String: DeliveryPlan], inPlaceOf ending: [String: RunningWorker]) {
        var refusal: SystemRefusal?
        for (name, plan) in plans {
            do throws(SystemRefusal) {
                let worker = try preparation.take(name, plan)
                let form = plan.form(
                    ExportContext(host: WorkerPreparation.host, traces: traces, accounts: accounts))
                var running = RunningWorker(plan: plan, worker: worker, encoder: form.encoder, now: time.monotonic())
                running.takeOver(from: ending[name])
                workers[name] = running
                worker.release()
            } catch {
                refusal = error
            }
        }
        if let refusal, !isLacking {
            logger.error("export: cannot start yet; it is tried again", [("reason", "\(refusal)")])
        }
        isLacking = refusal != nil
    }

    /// Collects spans for the exports that send them.
    private func follow(_ plans: [String: DeliveryPlan], rules: [MetricRule]) {
        var bounds: [String: Int] = [:]
        for (name, plan) in plans { bounds[name] = plan.spanBound }
        traces.rules = rules
        traces.keep(Set(bounds.keys))
        for (name, bound) in bounds { traces.subscribe(name, bound: bound) }
    }

    private func end(_ ending: [RunningWorker], lingerNanoseconds: Int64) {
        let deadline = time.monotonic() + lingerNanoseconds
        for running in ending { running.worker.beginEnd(by: deadline) }
        for running in ending { running.worker.join() }
    }
}

extension DeliveryStore {
    /// The notices of an earlier collector; none if they cannot be read.
    fileprivate var sentBefore: [String: [DeliveredNotice]] {
        ((try? sentNotices()) ?? [:]).mapValues { $0.compactMap { DeliveredNotice($0) } }
    }
}

extension Notice {
    /// The alert of the notice, as it was when the notice was made.
    fileprivate var alert: AlertSnapshot {
        AlertSnapshot(
            alert: name, severity: severity, bot: bot, state: .firing, condition: condition, value: value,
            labels: labels.sorted { $0.key < $1.key }.map { Label($0.key, $0.value) },
            sinceUnixNanoseconds: startsUnixNanoseconds)
    }
}
