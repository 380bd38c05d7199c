package import Series

/// One time that an alert of a bot fired, from its beginning to its end.
package struct AlertEpisode: Equatable, Sendable {
    package var alert: String
    package var bot: String
    package var severity: String
    package var condition: String
    /// The value at its beginning; nil if it is unknown.
    package var value: Double?
    package var beganUnixNanoseconds: Int64
    /// Nil while it fires.
    package var endedUnixNanoseconds: Int64?
    /// The reason why it ended; "" while it fires.
    package var reason: String

    package init(
        alert: String, bot: String, severity: String, condition: String, value: Double?, beganUnixNanoseconds: Int64,
        endedUnixNanoseconds: Int64? = nil, reason: String = ""
    ) {
        self.alert = alert
        self.bot = bot
        self.severity = severity
        self.condition = condition
        self.value = value
        self.beganUnixNanoseconds = beganUnixNanoseconds
        self.endedUnixNanoseconds = endedUnixNanoseconds
        self.reason = reason
    }

    /// Makes the episode of an alert that has begun to fire.
    init(beginning alert: AlertSnapshot) {
        self.init(
            alert: alert.alert, bot: alert.bot, severity: alert.severity, condition: alert.condition,
            value: alert.value, beganUnixNanoseconds: alert.sinceUnixNanoseconds)
    }

    /// Makes the episode of an alert that began before a restart. Only its times are known.
    init?(ended alert: AlertSnapshot) {
        guard let began = alert.firedSinceUnixNanoseconds else { return nil }
        self.init(
            alert: alert.alert, bot: alert.bot, severity: alert.severity, condition: alert.condition, value: nil,
            beganUnixNanoseconds: began)
    }

    /// The name by which an operator refers to the alert.
    var id: String { "\(alert)/\(bot)" }

    static let endedUnseen = "it no longer fires; that was found after a restart or a change of configuration"

    func ended(_ unixNanoseconds: Int64, _ reason: String) -> AlertEpisode {
        var ended = self
        ended.endedUnixNanoseconds = max(unixNanoseconds, beganUnixNanoseconds)
        ended.reason = reason
        return ended
    }

    /// Returns the changes that a snapshot makes to the open episodes: episodes that began, and episodes that ended.
    ///
    /// If events are missing, as after a kill, the alert states in the snapshot make up for them.
    ///
    /// - Parameters:
    ///   - open: At most one for each alert of a bot.
    ///   - written: Changes up to this one are in `open`.
    /// - Returns: the episodes in order of change. An episode that began and ended appears once, with its end.
    package static func changes(
        to open: [AlertEpisode], by snapshot: Snapshot, after written: UInt64
    ) -> [AlertEpisode] {
        var open = Dictionary(open.map { ($0.id, $0) }) { first, _ in first }
        var changes: [AlertEpisode] = []
        func end(_ id: String, _ unixNanoseconds: Int64, _ reason: String) {
            guard let episode = open.removeValue(forKey: id)?.ended(unixNanoseconds, reason) else { return }
            changes.removeAll { $0.isSame(as: episode) }
            changes.append(episode)
        }
        func begin(_ alert: AlertSnapshot) {
            if let known = open[alert.id] {
                if known.beganUnixNanoseconds == alert.sinceUnixNanoseconds { return }
                end(alert.id, alert.sinceUnixNanoseconds, endedUnseen)
            }
            let episode = AlertEpisode(beginning: alert)
            open[alert.id] = episode
            changes.append(episode)
        }
        for event in snapshot.alertEvents where event.number > written {
            if event.alert.state == .firing {
                begin(event.alert)
            } else {
                if open[event.alert.id] == nil { open[event.alert.id] = AlertEpisode(ended: event.alert) }
                end(event.alert.id, event.alert.sinceUnixNanoseconds, event.alert.resolution)
            }
        }
        let firing = snapshot.alerts.filter { $0.state == .firing }
        let ids = Set(firing.map(\.id))
        for id in open.keys.filter({ !ids.contains($0) }).sorted() {
            end(id, snapshot.unixNanoseconds, endedUnseen)
        }
        for alert in firing { begin(alert) }
        return changes
    }

    /// Returns whether both are the same firing of the same alert.
    func isSame(as other: AlertEpisode) -> Bool {
        beganUnixNanoseconds == other.beganUnixNanoseconds && alert == other.alert && bot == other.bot
    }
}
