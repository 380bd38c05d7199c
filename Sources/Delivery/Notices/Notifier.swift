internal import Platform
internal import Configuration
internal import Drain
internal import Rules
internal import Series

/// Tells destinations of alerts: once when one begins to fire, once when it ends, whatever restarts lie between.
///
/// What a destination was told is kept with its queue, in the same transaction as the request that tells it. Thread rule:
/// that of ``Delivery``.
final class Notifier {
    /// Somebody to tell.
    struct Target {
        enum Form {
            case alertmanager(AlertmanagerDefinition)
            case webhook(WebhookDefinition)
        }

        let form: Form
        let lane: DeliveryLane

        var selection: AlertSelection {
            switch form {
            case .alertmanager(let definition): definition.selection
            case .webhook(let definition): definition.selection
            }
        }
    }

    struct Key: Hashable {
        var subject: String
        var bot: String
    }

    private var told: [String: [Key: DeliveredNotice]]
    /// On CLOCK_MONOTONIC, of each Alertmanager.
    private var nextRefresh: [String: Int64] = [:]
    /// Those that fire as far as is known; nil before anybody has looked.
    private var standing: [AlertSnapshot]?
    /// Where a reader is sent who wants to see more.
    private let url: String
    private let time: TimeSource
    /// Of CLOCK_REALTIME over CLOCK_MONOTONIC, as it was at the turn before; nil before the first.
    private var wallOffset: Int64?

    /// - Parameter told: What an earlier collector told, by destination.
    init(told: [String: [DeliveredNotice]], url: String, time: TimeSource = .system) {
        self.told = [:]
        self.url = url
        self.time = time
        learn(told)
    }

    /// Takes note of what an earlier collector told.
    func learn(_ told: [String: [DeliveredNotice]]) {
        self.told = told.mapValues { tellings in
            Dictionary(tellings.map { ($0.key, $0) }) { _, last in last }
        }
    }

    /// Tells all of them what they do not know yet.
    ///
    /// - Parameter annotations: Of the alerts, by name.
    func turn(
        _ word: AlertMailbox.Batch, _ targets: [Target], annotations: [String: AlertDefinition.Annotations]
    ) {
        standing = word.standing ?? standing
        let isClockStepped = takeWallClock()
        if isClockStepped { nextRefresh = [:] }
        for target in targets {
            let name = target.lane.destination.name
            var step = NoticeStep(
                target.form, told: told[name] ?? [:], annotations: annotations, url: url,
                unixNanoseconds: time.unix())
            step.take(word, standing: standing)
            if case .alertmanager(let definition) = target.form {
                if isClockStepped { step.renewEnds(definition, waiting: target.lane.waitingKeys) }
                let now = time.monotonic()
                if !step.change.tellings.isEmpty || nextRefresh[name].map({ now >= $0 }) ?? true {
                    step.refresh(definition)
                    nextRefresh[name] = now + definition.intervalSeconds * 1_000_000_000
                }
            }
            // What cannot be kept is tried again at the next look: nothing was told.
            guard !step.change.isEmpty else {
                told[name] = step.told
                continue
            }
            if target.lane.enqueue(step.change) { told[name] = step.told }
        }
    }

    /// Whether the wall clock was set since the turn before, or may have been before the first. What waits for an Alertmanager
    /// carries its times, and is written anew then. A clock that is slewed is off by less between two turns.
    private func takeWallClock() -> Bool {
        let offset = time.unix() &- time.monotonic()
        defer { wallOffset = offset }
        guard let wallOffset else { return true }
        return (offset &- wallOffset).magnitude > Self.leastStepNanoseconds
    }

    private static let leastStepNanoseconds: UInt64 = 500_000_000
}

extension DeliveredNotice {
    var key: Notifier.Key { Notifier.Key(subject: notice.subject, bot: notice.bot) }
}

extension DeliveryStore.Change {
    fileprivate var isEmpty: Bool { entries.isEmpty && tellings.isEmpty && droppedKeys.isEmpty }
}
