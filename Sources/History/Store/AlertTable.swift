internal import SQLite

extension HistoryStore {
    /// Returns the episodes that have not ended.
    package func openAlerts() throws(HistoryFailure) -> [AlertEpisode] { try database.openAlerts() }

    func put(_ alerts: [AlertEpisode]) throws(HistoryFailure) {
        for alert in alerts {
            try database.run(
                """
                INSERT OR REPLACE INTO alert(alert, bot, severity, condition, value, began, ended, reason) \
                VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(alert.alert), .text(alert.bot), .text(alert.severity), .text(alert.condition),
                    alert.value.map { .real($0) } ?? .null, .integer(alert.beganUnixNanoseconds),
                    alert.endedUnixNanoseconds.map { .integer($0) } ?? .null, .text(alert.reason),
                ])
        }
    }

    /// Only an alert that toggles for weeks would need more.
    private static let mostAlerts: Int64 = 100_000

    /// Removes episodes that ended before a minute, and the oldest ended ones if there are too many.
    func removeAlerts(endedBefore minute: Int64, most: Int64 = HistoryStore.mostAlerts) throws(HistoryFailure) {
        let (bound, isTooFar) = minute.multipliedReportingOverflow(by: HistoryInterval.minuteNanoseconds)
        if !isTooFar { try database.run("DELETE FROM alert WHERE ended < ?", [.integer(bound)]) }
        let excess = (try database.integer("SELECT count(*) FROM alert") ?? 0) - most
        guard excess > 0 else { return }
        try database.run(
            """
            DELETE FROM alert WHERE id IN \
            (SELECT id FROM alert WHERE ended IS NOT NULL ORDER BY began LIMIT ?)
            """, [.integer(excess)])
    }
}

extension Database {
    /// Returns the alerts' episodes that have not ended.
    func openAlerts() throws(HistoryFailure) -> [AlertEpisode] {
        try alerts("WHERE ended IS NULL ORDER BY id", [])
    }

    /// Returns the alerts' episodes that an SQL condition selects.
    func alerts(_ condition: String, _ values: [Value]) throws(HistoryFailure) -> [AlertEpisode] {
        var episodes: [AlertEpisode] = []
        try run(
            "SELECT alert, bot, severity, condition, value, began, ended, reason FROM alert \(condition)", values
        ) { row throws(HistoryFailure) in
            episodes.append(
                AlertEpisode(
                    alert: row.text(0), bot: row.text(1), severity: row.text(2), condition: row.text(3),
                    value: row.isNull(4) ? nil : row.real(4), beganUnixNanoseconds: row.integer(5),
                    endedUnixNanoseconds: row.isNull(6) ? nil : row.integer(6), reason: row.text(7)))
        }
        return episodes
    }
}
