internal import Configuration

/// Resolved notices: they report the end of an alert or objective whose beginning was sent.
extension DueNotices {
    private static let resolvedUnseen =
        "it no longer fires; that was found after a restart or a change of configuration"

    /// Adds the notice that an alert or objective ended, if its beginning was sent.
    mutating func notifyResolved(_ key: Notifier.Key, _ unixNanoseconds: Int64, value: Double?, reason: String) {
        guard let known = lastSent[key], known.isFiring else { return }
        let notice = known.notice.ended(unixNanoseconds: unixNanoseconds, value: value, reason: reason)
        let delivered = DeliveredNotice(notice: notice, isFiring: false)
        lastSent[key] = delivered
        change.notices.append(delivered.stored)
        switch form {
        case .webhook(let definition):
            if definition.sendsResolved { change.entries.append(definition.entry(notice, url: url)) }
        case .alertmanager(let definition):
            change.entries.append(entry(definition, resolved: notice, key))
        }
    }

    private func entry(_ definition: AlertmanagerDefinition, resolved notice: Notice, _ key: Notifier.Key)
        -> DeliveryEntry
    {
        definition.entry(
            [notice], key: AlertmanagerDefinition.endKey(key), url: url, unixNanoseconds: self.unixNanoseconds)
    }

    /// Adds the end of all alerts, or of all objectives, whose last notice says that they fire, and that are not among
    /// these.
    mutating func notifyResolvedOthers(than keys: Set<Notifier.Key>, areAlerts: Bool, _ unixNanoseconds: Int64) {
        let gone = lastSent.filter {
            $0.value.isFiring && $0.value.notice.isAlert == areAlerts && !keys.contains($0.key)
        }.keys
        let now = unixNanoseconds > 0 ? unixNanoseconds : self.unixNanoseconds
        for key in gone.sorted(by: { ($0.subject, $0.bot) < ($1.subject, $1.bot) }) {
            notifyResolved(key, now, value: nil, reason: Self.resolvedUnseen)
        }
    }

    /// Replaces queued resolved notices whose end lies after now, because the clock was set back since they were
    /// written.
    ///
    /// - Parameter waiting: The keys in the queue.
    mutating func renewResolved(_ definition: AlertmanagerDefinition, waiting: Set<String>) {
        for (key, sent) in lastSent where !sent.isFiring && waiting.contains(AlertmanagerDefinition.endKey(key)) {
            guard sent.notice.endsUnixNanoseconds ?? 0 > unixNanoseconds else { continue }
            change.entries.append(entry(definition, resolved: sent.notice, key))
        }
    }
}
