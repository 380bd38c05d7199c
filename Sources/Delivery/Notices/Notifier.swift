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

    private var told: [String: [Key: Telling]]
    /// On CLOCK_MONOTONIC, of each Alertmanager.
    private var nextRefresh: [String: Int64] = [:]
    /// Those that fire as far as is known; nil before anybody has looked.
    private var standing: [AlertSnapshot]?
    /// Where a reader is sent who wants to see more.
    private let url: String

    /// - Parameter told: What an earlier collector told, by destination.
    init(told: [String: [Telling]], url: String) {
        self.told = [:]
        self.url = url
        learn(told)
    }

    /// Takes note of what an earlier collector told.
    func learn(_ told: [String: [Telling]]) {
        self.told = told.mapValues { tellings in
            Dictionary(tellings.map { ($0.key, $0) }) { _, last in last }
        }
    }

    /// Tells all of them what they do not know yet.
    ///
    /// - Parameter annotations: Of the alerts, by name.
    func turn(
        _ word: NoticeBoard.Word, _ targets: [Target], annotations: [String: AlertDefinition.Annotations]
    ) {
        standing = word.standing ?? standing
        for target in targets {
            let name = target.lane.destination.name
            var step = NoticeStep(
                target.form, told: told[name] ?? [:], annotations: annotations, url: url)
            step.take(word, standing: standing)
            let isDue = nextRefresh[name].map { monotonicNow() >= $0 } ?? true
            if case .alertmanager(let definition) = target.form, isDue || !step.change.tellings.isEmpty {
                step.refresh(definition)
                nextRefresh[name] = monotonicNow() + definition.intervalSeconds * 1_000_000_000
            }
            // What cannot be kept is tried again at the next look: nothing was told.
            guard !step.change.isEmpty else {
                told[name] = step.told
                continue
            }
            if target.lane.enqueue(step.change) { told[name] = step.told }
        }
    }
}

extension Telling {
    var key: Notifier.Key { Notifier.Key(subject: notice.subject, bot: notice.bot) }
}

extension DeliveryStore.Change {
    fileprivate var isEmpty: Bool { entries.isEmpty && tellings.isEmpty && droppedKeys.isEmpty }
}
