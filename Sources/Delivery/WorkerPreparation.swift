internal import Configuration
internal import Drain
internal import Glibc
internal import Platform
internal import Synchronization
internal import SQLite

/// Acquires the system resources of a configuration's destinations before it comes into force: the queues' file, and
/// for each new destination a thread, a descriptor and a libcurl handle. The workers wait until they are taken and
/// released.
///
/// May be used from any thread. One preparation runs at a time.
final class WorkerPreparation: Sendable {
    private struct Waiting: Sendable {
        var plan: DeliveryPlan
        var worker: DeliveryWorker
    }

    private struct State: Sendable {
        /// Nil until there is a destination.
        var store: DeliveryStore?
        /// The destinations of the last prepared configuration.
        var planned: [String: DeliveryPlan] = [:]
        var waiting: [String: Waiting] = [:]
    }

    private let directory: String?
    private let accounts: ExportAccounts
    private let logger: Logger
    private let userAgent: String
    private let time: TimeSource
    private let state = Mutex(State())

    /// How long a reload waits for a queue file that another process has locked.
    private static let lockNanoseconds: Int64 = 2_000_000_000

    /// - Parameter directory: The directory of the queues' file; nil keeps the queues in memory.
    init(directory: String?, accounts: ExportAccounts, logger: Logger, userAgent: String, time: TimeSource) {
        self.directory = directory
        self.accounts = accounts
        self.logger = logger
        self.userAgent = userAgent
        self.time = time
    }

    /// The queues; nil until there is a destination.
    var store: DeliveryStore? { state.withLock(\.store) }

    /// Opens the queues, once.
    ///
    /// - Parameter patience: How to wait for a file that another process has locked.
    /// - Throws: ``SystemRefusal`` if there is no memory for them, ``LockWait/Failure``.
    func openStore(patience: LockWait) throws {
        let opened = try DeliveryStore.open(in: directory, patience: patience, logger: logger, time: time)
        state.withLock { $0.store = $0.store ?? opened }
    }

    private func openedStore(_ state: inout State) throws(SystemRefusal) -> DeliveryStore {
        if let store = state.store { return store }
        do {
            let patience = LockWait(nanoseconds: Self.lockNanoseconds)
            let opened = try DeliveryStore.open(in: directory, patience: patience, logger: logger, time: time)
            state.store = opened
            return opened
        } catch {
            throw error as? SystemRefusal ?? SystemRefusal("file for the queues", reason: "\(error)", advice: nil)
        }
    }

    /// Acquires the resources that the configuration needs in addition to the previous one.
    ///
    /// - Throws: the system's refusal. Then nothing has changed.
    func prepare(_ configuration: CollectorConfiguration) throws(SystemRefusal) {
        let wanted = DeliveryPlan.all(of: configuration)
        let unwanted = try state.withLock { state throws(SystemRefusal) in
            let made = try makeWorkers(wanted.filter { state.planned[$0.key] != $0.value }, &state)
            var unwanted: [DeliveryWorker] = []
            for (name, waiting) in state.waiting where made[name] != nil || wanted[name] != waiting.plan {
                unwanted.append(waiting.worker)
                state.waiting[name] = nil
            }
            state.waiting.merge(made) { _, new in new }
            state.planned = wanted
            return unwanted
        }
        Self.discard(unwanted)
    }

    private func makeWorkers(
        _ plans: [String: DeliveryPlan], _ state: inout State
    ) throws(SystemRefusal) -> [String: Waiting] {
        var made: [String: Waiting] = [:]
        guard !plans.isEmpty else { return made }
        do throws(SystemRefusal) {
            let store = try openedStore(&state)
            for (name, plan) in plans { made[name] = Waiting(plan: plan, worker: try makeWorker(plan, store)) }
            return made
        } catch {
            Self.discard(made.values.map(\.worker))
            throw SystemRefusal(error, for: "\(plans.count) new or changed destinations of the configuration")
        }
    }

    private func makeWorker(_ plan: DeliveryPlan, _ store: DeliveryStore) throws(SystemRefusal) -> DeliveryWorker {
        // The encoder is not used here. DeliveryService makes another one, which belongs to its thread.
        let form = plan.form(ExportContext(host: Self.host, traces: TraceExchange(), accounts: accounts))
        let worker = try DeliveryWorker(
            plan.destination, url: form.url, policy: form.policy, store: store, accounts: accounts, logger: logger,
            userAgent: userAgent, time: time)
        try worker.prepare()
        return worker
    }

    /// Returns a worker that waits for its release. Makes it now if none was prepared.
    func take(_ name: String, _ plan: DeliveryPlan) throws(SystemRefusal) -> DeliveryWorker {
        try state.withLock { state throws(SystemRefusal) in
            if let waiting = state.waiting[name], waiting.plan == plan {
                state.waiting[name] = nil
                return waiting.worker
            }
            return try makeWorker(plan, openedStore(&state))
        }
    }

    /// Ends the workers that were not taken.
    func discardAll() {
        let workers = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.worker)
        }
        Self.discard(workers)
    }

    private static func discard(_ workers: [DeliveryWorker]) {
        for worker in workers { worker.beginEnd(by: .min) }
        for worker in workers { worker.join() }
    }

    /// This machine's name.
    static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}
