internal import Platform
internal import Configuration
internal import Drain
internal import Rules
internal import Series

/// The queue of one destination, as the notifier uses it.
protocol NoticeQueue {
    /// The destination's name.
    var name: String { get }
    /// The keys of the queued requests.
    var waitingKeys: Set<String> { get }
    /// Stores requests and notices in one step.
    ///
    /// - Returns: Whether they are stored.
    func enqueue(_ change: DeliveryStore.Change) -> Bool
}

extension DeliveryWorker: NoticeQueue {}

/// Sends one notice when an alert begins to fire and one when it ends, even if the collector restarts in between.
///
/// The notices of a destination are stored with its queue, in the same transaction as the request that carries them.
/// Thread rule: that of ``DeliveryService``.
final class Notifier {
    /// A destination of notices.
    struct Target {
        enum Form {
            case alertmanager(AlertmanagerDefinition)
            case webhook(WebhookDefinition)

            var selection: AlertSelection {
                switch self {
                case .alertmanager(let definition): definition.selection
                case .webhook(let definition): definition.selection
                }
            }

            var sendsObjectives: Bool {
                switch self {
                case .alertmanager(let definition): definition.sendsObjectives
                case .webhook(let definition): definition.sendsObjectives
                }
            }
        }

        let form: Form
        let queue: any NoticeQueue
    }

    struct Key: Hashable {
        var subject: String
        var bot: String
    }

    /// The last notices, by destination.
    private var lastSent: [String: [Key: DeliveredNotice]]
    /// The changes of batches whose notices could not be stored, by destination. They hold the values and the reasons of
    /// ends, which the states that follow lack.
    private var unsent: [String: AlertMailbox.Batch] = [:]
    /// The time of the next refresh on CLOCK_MONOTONIC, for each Alertmanager and for each webhook with a watchdog.
    private var nextRefresh: [String: Int64] = [:]
    /// The time at which the alerts were last evaluated, on CLOCK_MONOTONIC; nil before the first evaluation.
    /// `aliveSince` is the time of the first evaluation, as Unix time.
    private var lastLook: Int64?
    private var aliveSince: Int64 = 0
    /// The alerts that fire, as far as known; nil before the first evaluation.
    private var firing: [AlertSnapshot]?
    /// The address to which notices link.
    private let url: String
    private let time: TimeSource
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC at the previous turn; nil before the first.
    private var wallOffset: Int64?

    /// - Parameter lastSent: The notices of an earlier collector, by destination.
    init(lastSent: [String: [DeliveredNotice]], url: String, time: TimeSource = .system) {
        self.lastSent = [:]
        self.url = url
        self.time = time
        restore(lastSent)
    }

    /// Restores the notices of an earlier collector.
    func restore(_ lastSent: [String: [DeliveredNotice]]) {
        self.lastSent = lastSent.mapValues { notices in
            Dictionary(notices.map { ($0.key, $0) }) { _, last in last }
        }
    }

    /// Sends each target the notices that it lacks.
    ///
    /// - Parameter annotations: The alerts' annotations, by name.
    func turn(
        _ batch: AlertMailbox.Batch, _ targets: [Target], annotations: [String: AlertDefinition.Annotations]
    ) {
        firing = batch.firing ?? firing
        if batch.firing != nil {
            if lastLook == nil { aliveSince = time.unix() }
            lastLook = time.monotonic()
        }
        let isAlive = lastLook.map { time.monotonic() - $0 < Self.longestLookNanoseconds } ?? false
        let isClockStepped = takeWallClock()
        if isClockStepped { nextRefresh = [:] }
        for target in targets {
            let name = target.queue.name
            var due = DueNotices(
                target.form, lastSent: lastSent[name] ?? [:], annotations: annotations, url: url,
                unixNanoseconds: time.unix())
            due.add(unsent[name]?.followed(by: batch) ?? batch, firing: firing)
            switch target.form {
            case .webhook(let definition):
                let now = time.monotonic()
                guard let seconds = definition.watchdogSeconds, isAlive, nextRefresh[name].map({ now >= $0 }) ?? true
                else { break }
                due.sendWatchdog(definition)
                nextRefresh[name] = now + seconds * 1_000_000_000
            case .alertmanager(let definition):
                if isClockStepped { due.renewResolved(definition, waiting: target.queue.waitingKeys) }
                let now = time.monotonic()
                if !due.change.notices.isEmpty || nextRefresh[name].map({ now >= $0 }) ?? true {
                    due.refresh(definition, aliveSince: isAlive ? aliveSince : nil)
                    nextRefresh[name] = now + definition.intervalSeconds * 1_000_000_000
                }
            }
            // A change that cannot be stored was not sent. It is repeated in the next turn.
            if due.change.isEmpty || target.queue.enqueue(due.change) {
                lastSent[name] = due.lastSent
                unsent[name] = nil
            } else {
                unsent[name] = unsent[name]?.followed(by: batch) ?? batch
            }
        }
    }

    /// Returns whether the wall clock was set since the previous turn. Returns true at the first turn, since it may
    /// have been set before. Queued requests to Alertmanagers carry its times, and are then replaced. Slewing moves the
    /// clock by less between two turns.
    private func takeWallClock() -> Bool {
        let offset = time.unix() &- time.monotonic()
        defer { wallOffset = offset }
        guard let wallOffset else { return true }
        return (offset &- wallOffset).magnitude > Self.leastStepNanoseconds
    }

    /// Alerts are evaluated once a second. After this long without an evaluation, the drain counts as dead and its
    /// watchdog stops.
    private static let longestLookNanoseconds: Int64 = 10_000_000_000

    private static let leastStepNanoseconds: UInt64 = 500_000_000
}

extension DeliveredNotice {
    var key: Notifier.Key { Notifier.Key(subject: notice.subject, bot: notice.bot) }
}

extension DeliveryStore.Change {
    fileprivate var isEmpty: Bool { entries.isEmpty && notices.isEmpty && droppedKeys.isEmpty }
}
