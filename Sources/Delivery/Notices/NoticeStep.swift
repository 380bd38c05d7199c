internal import Platform
internal import Configuration
internal import Drain
internal import Rules
internal import Series

/// What one destination is to be told in one step, and what it knows after it.
struct NoticeStep {
    private let form: Notifier.Target.Form
    private(set) var told: [Notifier.Key: DeliveredNotice]
    private let annotations: [String: AlertDefinition.Annotations]
    private let url: String
    /// Now.
    private let unixNanoseconds: Int64
    private(set) var change = DeliveryStore.Change()

    init(
        _ form: Notifier.Target.Form, told: [Notifier.Key: DeliveredNotice],
        annotations: [String: AlertDefinition.Annotations], url: String, unixNanoseconds: Int64
    ) {
        self.form = form
        self.told = told
        self.annotations = annotations
        self.url = url
        self.unixNanoseconds = unixNanoseconds
    }

    /// - Parameter standing: The alerts that fire; nil where that is not known.
    mutating func take(_ word: AlertMailbox.Batch, standing: [AlertSnapshot]?) {
        for (alert, unixNanoseconds) in word.changes where takes(alert) {
            if alert.state == .firing {
                begin(Notice(alert, annotations[alert.alert]))
            } else {
                end(Notifier.Key(subject: alert.alert, bot: alert.bot), unixNanoseconds, value: alert.value)
            }
        }
        if case .webhook(let definition) = form, definition.sendsObjectives {
            for event in word.objectives { take(event) }
        }
        if let standing { reconcile(standing.filter(takes), unixNanoseconds: word.unixNanoseconds) }
    }

    private func takes(_ alert: AlertSnapshot) -> Bool {
        let selection =
            switch form {
            case .alertmanager(let definition): definition.selection
            case .webhook(let definition): definition.selection
            }
        return selection.takes(alert: alert.alert, severity: alert.severity, bot: alert.bot)
    }

    /// Makes up for what was missed: while the collector was not there, or before the destination was.
    private mutating func reconcile(_ firing: [AlertSnapshot], unixNanoseconds: Int64) {
        for alert in firing { begin(Notice(alert, annotations[alert.alert])) }
        let keys = Set(firing.map { Notifier.Key(subject: $0.alert, bot: $0.bot) })
        let gone = told.filter { $0.value.isFiring && $0.value.notice.isAlert && !keys.contains($0.key) }.keys
        let now = unixNanoseconds > 0 ? unixNanoseconds : self.unixNanoseconds
        for key in gone.sorted(by: { ($0.subject, $0.bot) < ($1.subject, $1.bot) }) { end(key, now, value: nil) }
    }

    private mutating func take(_ event: AlertMailbox.ObjectiveEvent) {
        func notice(_ subject: String, _ condition: String, _ value: Double?) -> Notice {
            Notice(
                subject: subject, objective: event.objective, bot: event.bot, condition: condition, value: value,
                startsUnixNanoseconds: event.unixNanoseconds)
        }
        switch event.change {
        case .state(.violated):
            begin(notice("objective:\(event.objective)", "the share of good events is below \(event.target)", nil))
        case .state(.met):
            end(
                Notifier.Key(subject: "objective:\(event.objective)", bot: event.bot), event.unixNanoseconds, value: nil
            )
        case .state(.noData): break
        case .burn(let burn):
            let subject = "burn:\(event.objective):\(burn.longWindow)"
            let condition = "the burn rate over \(burn.longWindow) and \(burn.shortWindow) is \(burn.limit) or more"
            if burn.isBurning == true {
                begin(notice(subject, condition, burn.longRate))
            } else {
                end(Notifier.Key(subject: subject, bot: event.bot), event.unixNanoseconds, value: burn.longRate)
            }
        }
    }

    private mutating func begin(_ notice: Notice) {
        let key = Notifier.Key(subject: notice.subject, bot: notice.bot)
        if let known = told[key] {
            // A restart may show again what has ended since.
            if !known.isFiring, known.notice.startsUnixNanoseconds == notice.startsUnixNanoseconds { return }
            if known.isFiring {
                told[key]?.notice.takeValue(of: notice)
                return
            }
        }
        let telling = DeliveredNotice(notice: notice, isFiring: true)
        told[key] = telling
        change.tellings.append(telling)
        if case .webhook(let definition) = form { change.entries.append(definition.entry(notice, url: url)) }
    }

    private mutating func end(_ key: Notifier.Key, _ unixNanoseconds: Int64, value: Double?) {
        guard let known = told[key], known.isFiring else { return }
        let notice = known.notice.ended(unixNanoseconds: unixNanoseconds, value: value)
        let telling = DeliveredNotice(notice: notice, isFiring: false)
        told[key] = telling
        change.tellings.append(telling)
        switch form {
        case .webhook(let definition):
            if definition.sendsResolved { change.entries.append(definition.entry(notice, url: url)) }
        case .alertmanager(let definition):
            change.entries.append(entry(definition, ended: notice, key))
        }
    }

    private func entry(_ definition: AlertmanagerDefinition, ended notice: Notice, _ key: Notifier.Key) -> DeliveryEntry
    {
        definition.entry(
            [notice], key: AlertmanagerDefinition.endKey(key), url: url, unixNanoseconds: self.unixNanoseconds)
    }

    /// Writes anew the ends that wait to be sent and lie after now: the clock was set back since they were written.
    ///
    /// - Parameter waiting: The keys of what waits.
    mutating func renewEnds(_ definition: AlertmanagerDefinition, waiting: Set<String>) {
        for (key, telling) in told where !telling.isFiring && waiting.contains(AlertmanagerDefinition.endKey(key)) {
            guard telling.notice.endsUnixNanoseconds ?? 0 > unixNanoseconds else { continue }
            change.entries.append(entry(definition, ended: telling.notice, key))
        }
    }

    /// Puts all that fires into the one request that waits with it, after those of what has ended.
    mutating func refresh(_ definition: AlertmanagerDefinition) {
        let firing = told.values.filter(\.isFiring).map(\.notice).sorted { ($0.subject, $0.bot) < ($1.subject, $1.bot) }
        if firing.isEmpty {
            if !change.tellings.isEmpty { change.droppedKeys.append(AlertmanagerDefinition.firingKey) }
        } else {
            change.entries.append(
                definition.entry(
                    firing, key: AlertmanagerDefinition.firingKey, url: url, unixNanoseconds: unixNanoseconds))
        }
    }
}
