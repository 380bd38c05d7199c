internal import Platform
internal import Configuration
internal import Series

/// The purpose of a worker, as configured.
enum DeliveryPlan: Equatable {
    case alertmanager(AlertmanagerDefinition)
    case webhook(WebhookDefinition)
    case export(ExportDefinition)

    /// Returns the workers of a configuration, by name.
    static func all(of configuration: CollectorConfiguration) -> [String: DeliveryPlan] {
        let plans =
            configuration.alertmanagers.map { DeliveryPlan.alertmanager($0) }
            + configuration.webhooks.map { .webhook($0) } + configuration.exports.map { .export($0) }
        return Dictionary(plans.map { ($0.destination.name, $0) }) { first, _ in first }
    }

    var destination: Destination {
        switch self {
        case .alertmanager(let definition): definition.destination
        case .webhook(let definition): definition.destination
        case .export(let definition): definition.destination
        }
    }

    /// How many spans are kept for the worker until it takes them; nil if it sends none.
    var spanBound: Int? {
        guard case .export(let definition) = self, case .otlpTraces(let options) = definition.kind else { return nil }
        return options.bufferSpans
    }

    /// Returns the worker's URL, the meaning of an answer, and its encoder. A worker for notices has no encoder.
    func form(_ surroundings: ExportContext) -> (
        url: String, policy: ResponsePolicy, encoder: (any SnapshotEncoder)?
    ) {
        switch self {
        case .alertmanager(let definition): return (definition.apiURL, .standard, nil)
        case .webhook(let definition): return (definition.destination.url, .standard, nil)
        case .export(let definition):
            let form = ExportEndpoint(definition, surroundings)
            return (form.url, form.policy, form.encoder)
        }
    }
}

/// A worker that was released, with the time and the encoder of its snapshots.
struct RunningWorker {
    let plan: DeliveryPlan
    let worker: DeliveryWorker
    private var encoder: (any SnapshotEncoder)?
    /// The time of its next snapshot, on CLOCK_MONOTONIC; nil for a worker that sends no snapshots.
    private(set) var nextExport: Int64?
    /// Whether it waits for a snapshot that was requested.
    var isAwaiting = false

    init(plan: DeliveryPlan, worker: DeliveryWorker, encoder: (any SnapshotEncoder)?, now: Int64) {
        self.plan = plan
        self.worker = worker
        self.encoder = encoder
        if encoder != nil { nextExport = now }
    }

    /// The worker as a target of alerts; nil if it sends none.
    var target: Notifier.Target? {
        switch plan {
        case .alertmanager(let definition): Notifier.Target(form: .alertmanager(definition), queue: worker)
        case .webhook(let definition): Notifier.Target(form: .webhook(definition), queue: worker)
        case .export: nil
        }
    }

    /// Takes over the encoder's memory from a worker that ends, if that sent to the same URL.
    mutating func takeOver(from other: RunningWorker?) {
        guard let other, let old = other.encoder, other.plan.destination.url == plan.destination.url else { return }
        encoder?.takeOver(from: old)
    }

    /// Schedules the next snapshot an interval after the last was due. Skips missed ones.
    mutating func schedule(after now: Int64) {
        guard case .export(let definition) = plan, let due = nextExport else { return }
        nextExport = max(due + definition.intervalNanoseconds, now)
    }

    /// Delays the next snapshot until a time, or later.
    mutating func postpone(until time: Int64) { nextExport = nextExport.map { max($0, time) } }

    /// Encodes and queues a snapshot.
    mutating func export(_ snapshot: Snapshot) {
        isAwaiting = false
        guard case .export(let definition) = plan, encoder != nil else { return }
        let entries = encoder!.entries(for: definition.route.applied(to: snapshot))
        if !entries.isEmpty { worker.enqueue(DeliveryStore.Change(entries: entries)) }
    }
}
