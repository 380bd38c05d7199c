internal import Configuration
internal import CRingside
package import Drain
internal import Glibc
package import Platform
internal import Rules
internal import Series
internal import Synchronization

/// Everything that the collector sends by itself: alerts to those who are to be told, and snapshots to where they are kept.
///
/// One thread, named `delivery`, decides what is to be sent, makes the bodies and puts them into the queues; each
/// destination has a ``DeliveryLane`` that empties its own. The drain's thread hands over word and snapshots without waiting.
/// A configuration that is reloaded is taken on here within a second, and what is queued stays.
package final class Delivery: @unchecked Sendable {
    // Unchecked: `thread` is written by `start`; what changes is touched by the delivery's thread alone, or behind a mutex.
    /// Nil until there is somebody to send to.
    private var store: DeliveryStore?
    private let directory: StateDirectory?
    private let configuration: ConfigurationFile
    private let exchange: SnapshotExchange
    private let readiness: HTTPReadiness
    private let logger: Logger
    private let version: String
    private let notifier: Notifier
    private let accounts = ExportAccounts()
    private let traces = TraceExchange()
    private let wakeup: Wakeup
    private let board: NoticeBoard
    private let announced: [AlertSnapshot]
    private let mailbox = Mutex<Mail>(Mail())
    private let stopping = Flag()
    private var thread: NamedThread?
    private var lanes: [String: RunningLane] = [:]
    private var loaded: UInt64 = 0
    private var annotations: [String: AlertDefinition.Annotations] = [:]
    private var nextHousekeeping: Int64 = 0

    private struct Mail {
        var isAsked = false
        var snapshot: Snapshot?
    }

    /// How long the lanes may go on sending when the collector ends.
    static let lingerNanoseconds: Int64 = 5_000_000_000
    private static let lookNanoseconds: Int64 = 1_000_000_000
    private static let tellingsNanoseconds: Int64 = 7 * 86_400_000_000_000

    /// - Parameters:
    ///   - directory: Where the queues are kept; nil keeps them in memory.
    ///   - url: The collector's own address, for those who are told of an alert.
    package init(
        directory: StateDirectory?, configuration: ConfigurationFile, exchange: SnapshotExchange,
        readiness: HTTPReadiness, logger: Logger, version: String, url: String
    ) {
        self.directory = directory
        self.configuration = configuration
        self.exchange = exchange
        self.readiness = readiness
        self.logger = logger
        self.version = version
        wakeup = Wakeup()
        board = NoticeBoard(wakeup: wakeup)
        if !LanePlan.all(of: configuration.current.configuration).isEmpty {
            store = DeliveryStore.open(in: directory?.path, logger: logger)
        }
        let told = store?.toldBefore ?? [:]
        notifier = Notifier(told: told, url: url)
        announced = told.values.joined().filter { $0.isFiring && $0.notice.isAlert }.map(\.notice.alert)
    }

    /// For the drain's thread.
    package var links: DeliveryLinks {
        DeliveryLinks(notices: board, exports: accounts, traces: traces, announced: announced)
    }

    package func start() { thread = .needed("delivery") { [self] in run() } }

    /// Sends the last snapshot and what else waits, for some seconds; what is left is sent by the next collector. Called
    /// once, after the drain's end.
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
            for name in lanes.keys { lanes[name]?.export(last) }
        }
        end(Array(lanes.values), lingerNanoseconds: Self.lingerNanoseconds)
    }

    private func turn() {
        takeConfiguration()
        let targets = lanes.values.compactMap(\.target)
        notifier.turn(board.take(), targets, annotations: annotations)
        export()
        let now = monotonicNow()
        guard now >= nextHousekeeping else { return }
        nextHousekeeping = now + 600_000_000_000
        let limit = unixNow() - QueueBounds().maximumAgeSeconds * 1_000_000_000
        try? store?.expireOthers(than: Set(lanes.keys), createdBefore: limit)
        try? store?.forgetTellings(endedBefore: unixNow() - Self.tellingsNanoseconds)
    }

    // MARK: Snapshots

    private var untilNextExport: Int64 {
        let next = lanes.values.compactMap(\.nextExport).min() ?? .max
        return max(1_000_000, next &- monotonicNow())
    }

    /// Asks for one snapshot for all exports that are due, and sends what came of the last question.
    private func export() {
        let now = monotonicNow()
        if let snapshot = mailbox.withLock({ $0.snapshot.take() }) {
            for name in lanes.keys where lanes[name]!.isAwaiting { lanes[name]!.export(snapshot) }
        }
        let due = lanes.keys.filter { lanes[$0]!.nextExport.map { $0 <= now } ?? false }
        guard !due.isEmpty else { return }
        guard readiness.reasonToWait == nil else {
            for name in due { lanes[name]!.postpone(until: now + Self.lookNanoseconds / 4) }
            return
        }
        for name in due {
            lanes[name]!.schedule(after: now)
            lanes[name]!.isAwaiting = true
        }
        let isAsked = mailbox.withLock { mail in
            defer { mail.isAsked = true }
            return mail.isAsked
        }
        guard !isAsked else { return }
        exchange.request(since: now) { [weak self] in self?.receive($0?.snapshot) }
    }

    /// On the drain's thread.
    private func receive(_ snapshot: Snapshot?) {
        mailbox.withLock { $0 = Mail(isAsked: false, snapshot: snapshot ?? $0.snapshot) }
        wakeup.signal()
    }

    // MARK: The configuration

    private func takeConfiguration() {
        let current = configuration.current
        guard current.number != loaded else { return }
        loaded = current.number
        annotations = Dictionary(current.configuration.alerts.map { ($0.name, $0.annotations) }) { first, _ in first }
        let wanted = LanePlan.all(of: current.configuration)
        let ending = lanes.filter { wanted[$0.key] != $0.value.plan }
        end(Array(ending.values), lingerNanoseconds: 0)
        for name in ending.keys { lanes[name] = nil }
        accounts.keep(Set(wanted.keys))
        follow(wanted, rules: current.configuration.metrics)
        guard !wanted.isEmpty else { return }
        let store = openedStore()
        for (name, plan) in wanted where lanes[name] == nil {
            lanes[name] = begin(plan, store, inPlaceOf: ending[name])
        }
        if store.path == nil {
            logger.info("what waits to be sent is kept in memory alone: there is no state directory")
        }
    }

    private func openedStore() -> DeliveryStore {
        if let store { return store }
        let opened = DeliveryStore.open(in: directory?.path, logger: logger)
        store = opened
        notifier.learn(opened.toldBefore)
        return opened
    }

    /// Has spans gathered for those who send them.
    private func follow(_ plans: [String: LanePlan], rules: [MetricRule]) {
        var bounds: [String: Int] = [:]
        for (name, plan) in plans { bounds[name] = plan.spanBound }
        traces.rules = rules
        traces.keep(Set(bounds.keys))
        for (name, bound) in bounds { traces.subscribe(name, bound: bound) }
    }

    private func begin(_ plan: LanePlan, _ store: DeliveryStore, inPlaceOf other: RunningLane?) -> RunningLane {
        let form = plan.form(ExportSurroundings(host: Self.host, traces: traces, accounts: accounts))
        let lane = DeliveryLane(
            plan.destination, url: form.url, policy: form.policy, store: store, accounts: accounts, logger: logger,
            userAgent: "ringside/\(version)")
        lane.start()
        var running = RunningLane(plan: plan, lane: lane, encoder: form.encoder)
        running.takeOver(from: other)
        return running
    }

    private func end(_ ending: [RunningLane], lingerNanoseconds: Int64) {
        let deadline = monotonicNow() + lingerNanoseconds
        for running in ending { running.lane.beginEnd(by: deadline) }
        for running in ending { running.lane.join() }
    }

    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

extension DeliveryStore {
    /// What an earlier collector told; nothing where that cannot be read.
    fileprivate var toldBefore: [String: [Telling]] { (try? tellings()) ?? [:] }
}

extension Notice {
    /// The alert that it tells of, as it stood then.
    fileprivate var alert: AlertSnapshot {
        AlertSnapshot(
            alert: name, severity: severity, bot: bot, state: .firing, condition: condition, value: value,
            labels: labels.sorted { $0.key < $1.key }.map { Label($0.key, $0.value) },
            sinceUnixNanoseconds: startsUnixNanoseconds)
    }
}
