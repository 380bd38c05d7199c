internal import Platform
internal import Configuration
internal import Series

/// What a lane is for, as the configuration says it.
enum LanePlan: Equatable {
    case alertmanager(AlertmanagerDefinition)
    case webhook(WebhookDefinition)
    case export(ExportDefinition)

    /// Those of a configuration, by name.
    static func all(of configuration: Configuration) -> [String: LanePlan] {
        let plans =
            configuration.alertmanagers.map { LanePlan.alertmanager($0) }
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

    /// How many spans are to be kept for it until it asks; nil where it wants none.
    var spanBound: Int? {
        guard case .export(let definition) = self, case .otlpTraces(let options) = definition.kind else { return nil }
        return options.bufferSpans
    }

    /// Where it posts to, what an answer means, and what makes its bodies; nil where notices do.
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

/// A lane at work.
struct RunningLane {
    let plan: LanePlan
    let lane: DeliveryLane
    private var encoder: (any SnapshotEncoder)?
    /// On CLOCK_MONOTONIC; nil of a lane that sends no snapshots.
    private(set) var nextExport: Int64?
    /// Whether it waits for the snapshot that was asked for.
    var isAwaiting = false

    init(plan: LanePlan, lane: DeliveryLane, encoder: (any SnapshotEncoder)?, now: Int64) {
        self.plan = plan
        self.lane = lane
        self.encoder = encoder
        if encoder != nil { nextExport = now }
    }

    /// Who is told of alerts by it.
    var target: Notifier.Target? {
        switch plan {
        case .alertmanager(let definition): Notifier.Target(form: .alertmanager(definition), lane: lane)
        case .webhook(let definition): Notifier.Target(form: .webhook(definition), lane: lane)
        case .export: nil
        }
    }

    /// Takes the place of a lane that ends, which sent to the same server.
    mutating func takeOver(from other: RunningLane?) {
        guard let other, let old = other.encoder, other.plan.destination.url == plan.destination.url else { return }
        encoder?.takeOver(from: old)
    }

    /// The next snapshot is an interval after the last was due; those that were missed are left out.
    mutating func schedule(after now: Int64) {
        guard case .export(let definition) = plan, let due = nextExport else { return }
        nextExport = max(due + definition.intervalNanoseconds, now)
    }

    /// Not before then.
    mutating func postpone(until time: Int64) { nextExport = nextExport.map { max($0, time) } }

    /// Queues what is to be sent of a snapshot.
    mutating func export(_ snapshot: Snapshot) {
        isAwaiting = false
        guard case .export(let definition) = plan, encoder != nil else { return }
        let entries = encoder!.entries(for: definition.route.applied(to: snapshot))
        if !entries.isEmpty { lane.enqueue(DeliveryStore.Change(entries: entries)) }
    }
}
