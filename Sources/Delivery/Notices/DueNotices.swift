internal import Platform
internal import Configuration
internal import Drain
internal import Rules
internal import Series

/// Finds the notices that one destination lacks: about alerts and objectives that began to fire, and about those that
/// ended.
struct DueNotices {
    let form: Notifier.Target.Form
    /// The last notice that was sent about each subject of each bot.
    var lastSent: [Notifier.Key: DeliveredNotice]
    private let annotations: [String: AlertDefinition.Annotations]
    let url: String
    /// The current time.
    let unixNanoseconds: Int64
    /// The requests and the notices to store.
    var change = DeliveryStore.Change()
    /// Bots with a silenced alert of their death or standstill. Later alerts have the same cause and are not sent
    /// either.
    private var botsWithSilencedCause: Set<String> = []

    init(
        _ form: Notifier.Target.Form, lastSent: [Notifier.Key: DeliveredNotice],
        annotations: [String: AlertDefinition.Annotations], url: String, unixNanoseconds: Int64
    ) {
        self.form = form
        self.lastSent = lastSent
        self.annotations = annotations
        self.url = url
        self.unixNanoseconds = unixNanoseconds
    }

    /// Adds the notices that are due after these changes.
    ///
    /// - Parameter firing: The alerts that fire; nil if they are unknown.
    mutating func add(_ batch: AlertMailbox.Batch, firing: [AlertSnapshot]?) {
        let causes = (firing ?? []).filter { $0.isCause && $0.isSilenced && takes($0) }
        botsWithSilencedCause = Set(causes.map(\.bot))
        for (alert, unixNanoseconds) in batch.changes.filter({ takes($0.alert) }).causesFirst {
            if alert.state == .firing {
                notifyFiring(alert)
            } else {
                let key = Notifier.Key(subject: alert.alert, bot: alert.bot)
                notifyResolved(key, unixNanoseconds, value: alert.value, reason: alert.resolution)
            }
        }
        for event in batch.objectives where takes(event) { notify(event) }
        if let firing { reconcile(firing.filter(takes), unixNanoseconds: batch.unixNanoseconds) }
        if let objectives = batch.firingObjectives {
            reconcile(objectives.filter(takes), unixNanoseconds: batch.unixNanoseconds)
        }
    }

    private func takes(_ alert: AlertSnapshot) -> Bool {
        form.selection.takes(alert: alert.alert, severity: alert.severity, bot: alert.bot)
    }

    /// Returns whether the destination takes an objective. Only bots select objectives, not severities and names of
    /// alerts.
    private func takes(_ event: AlertMailbox.ObjectiveEvent) -> Bool {
        form.sendsObjectives && form.selection.bots.contains { $0.matches(event.bot) }
    }

    /// Adds the notices about alerts that were missed while the collector was down, or before the destination existed.
    private mutating func reconcile(_ firing: [AlertSnapshot], unixNanoseconds: Int64) {
        for alert in firing.filter(\.isCause) + firing.filter({ !$0.isCause }) { notifyFiring(alert) }
        notifyResolvedOthers(
            than: Set(firing.map { Notifier.Key(subject: $0.alert, bot: $0.bot) }), areAlerts: true, unixNanoseconds)
    }

    /// Adds the notices about objectives that were missed in the same way.
    private mutating func reconcile(_ firing: [AlertMailbox.ObjectiveEvent], unixNanoseconds: Int64) {
        for event in firing { notify(event) }
        notifyResolvedOthers(
            than: Set(firing.map { Notifier.Key(subject: $0.subject, bot: $0.bot) }), areAlerts: false,
            unixNanoseconds)
    }

    private mutating func notifyFiring(_ alert: AlertSnapshot) {
        notifyFiring(Notice(alert, annotations[alert.alert]), isSilenced: alert.isSilenced)
    }

    /// Returns whether the bot's death or standstill fires, and its notice was sent or is silenced. A sent one that is
    /// about to end does not count. Later alerts have the same cause. Those that still fire when the bot is back are
    /// sent then.
    private func hasCause(_ notice: Notice) -> Bool {
        notice.isAlert && !AlertDefinition.causes.contains(notice.subject)
            && (botsWithSilencedCause.contains(notice.bot)
                || AlertDefinition.causes.contains {
                    let cause = lastSent[Notifier.Key(subject: $0, bot: notice.bot)]
                    return cause?.isFiring == true && cause?.notice.isResolving != true
                })
    }

    /// Returns a notice. If it is about a cause, adds the names of the bot's alerts that fire beside it.
    private func completed(_ notice: Notice) -> Notice {
        guard AlertDefinition.causes.contains(notice.subject) else { return notice }
        let others = lastSent.values.filter { $0.isFiring && $0.notice.isAlert && $0.notice.bot == notice.bot }
            .map(\.notice.subject).filter { !AlertDefinition.causes.contains($0) }.sorted()
        guard !others.isEmpty else { return notice }
        var notice = notice
        if !notice.description.isEmpty { notice.description += " " }
        notice.description +=
            "Alerts of the bot that already fire: \(others.joined(separator: ", "))."
        return notice
    }

    private mutating func notify(_ event: AlertMailbox.ObjectiveEvent) {
        let key = Notifier.Key(subject: event.subject, bot: event.bot)
        switch event.change {
        case .state(.violated), .burn(_, isBurning: true): notifyFiring(Notice(event))
        case .state(.met):
            notifyResolved(
                key, event.unixNanoseconds, value: nil, reason: "the share of good events is \(event.target) or more")
        case .state(.noData): break
        case .burn(let burn, isBurning: false):
            let reason = burn.isBurning == nil ? "there is no more data" : "the burn rate is below \(burn.limit)"
            notifyResolved(key, event.unixNanoseconds, value: burn.longRate, reason: reason)
        }
    }

    /// Adds the notice that an alert or objective fires, unless it was sent already.
    ///
    /// - Parameter isSilenced: A notice that was sent stays. A new one waits until the silence has ended, and is sent
    ///   if the alert still fires.
    private mutating func notifyFiring(_ notice: Notice, isSilenced: Bool = false) {
        let key = Notifier.Key(subject: notice.subject, bot: notice.bot)
        if let known = lastSent[key] {
            // A restart may report an alert again that has already ended.
            if !known.isFiring, known.notice.startsUnixNanoseconds == notice.startsUnixNanoseconds { return }
            if known.isFiring {
                lastSent[key]?.notice.takeValue(of: notice)
                return
            }
        }
        guard !isSilenced, !hasCause(notice) else { return }
        let notice = completed(notice)
        let delivered = DeliveredNotice(notice: notice, isFiring: true)
        lastSent[key] = delivered
        change.notices.append(delivered.stored)
        if case .webhook(let definition) = form { change.entries.append(definition.entry(notice, url: url)) }
    }

    /// Adds the watchdog of a webhook: the notice that the collector evaluates its alerts.
    mutating func sendWatchdog(_ definition: WebhookDefinition) {
        change.entries.append(definition.watchdogEntry(url: url, unixNanoseconds: unixNanoseconds))
    }

    /// Puts all firing alerts into one request, behind the queued resolved notices.
    ///
    /// - Parameter aliveSince: The time since which the collector has evaluated its alerts; nil while it does not.
    mutating func refresh(_ definition: AlertmanagerDefinition, aliveSince: Int64? = nil) {
        var firing = lastSent.values.filter(\.isFiring).map(\.notice).sorted {
            ($0.subject, $0.bot) < ($1.subject, $1.bot)
        }
        if let aliveSince, definition.sendsWatchdog { firing.append(.watchdog(sinceUnixNanoseconds: aliveSince)) }
        if firing.isEmpty {
            if !change.notices.isEmpty { change.droppedKeys.append(AlertmanagerDefinition.firingKey) }
        } else {
            change.entries.append(
                definition.entry(
                    firing, key: AlertmanagerDefinition.firingKey, url: url, unixNanoseconds: unixNanoseconds))
        }
    }
}

extension AlertMailbox.ObjectiveEvent {
    /// The notice's subject, unique within a bot.
    fileprivate var subject: String {
        switch change {
        case .state: "objective:\(objective)"
        case .burn(let burn, _): "burn:\(objective):\(burn.longWindow)"
        }
    }
}

extension Notice {
    fileprivate init(_ event: AlertMailbox.ObjectiveEvent) {
        switch event.change {
        case .state:
            self.init(
                subject: event.subject, objective: event.objective, bot: event.bot,
                condition: "the share of good events is below \(event.target)", value: nil,
                labels: ["kind": "violation"], startsUnixNanoseconds: event.unixNanoseconds)
        case .burn(let burn, _):
            self.init(
                subject: event.subject, objective: event.objective, bot: event.bot,
                condition:
                    "the burn rate over \(burn.longWindow) and \(burn.shortWindow) is \(burn.limit) or more",
                value: burn.longRate,
                labels: ["kind": "burn", "long": burn.longWindow, "short": burn.shortWindow],
                startsUnixNanoseconds: event.unixNanoseconds)
        }
    }
}

extension AlertSnapshot {
    /// Whether it causes other alerts of its bot.
    fileprivate var isCause: Bool { AlertDefinition.causes.contains(alert) }
}

extension [(alert: AlertSnapshot, unixNanoseconds: Int64)] {
    /// The changes with causes before their consequences. Each alert's own changes keep their order.
    fileprivate var causesFirst: Self { filter(\.alert.isCause) + filter { !$0.alert.isCause } }
}
