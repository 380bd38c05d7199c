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

extension HistoryReader {
    /// Returns the episodes that have not ended. A file of an earlier version has none.
    package func openAlerts() throws(HistoryFailure) -> [AlertEpisode] {
        try hasAlerts() ? try database.openAlerts() : []
    }

    /// Returns the episodes that a query selects, newest first, and their total number.
    func alerts(_ query: AlertQuery) throws(HistoryFailure) -> (newest: [AlertEpisode], count: Int) {
        guard try hasAlerts() else { return ([], 0) }
        var condition = "WHERE began < ? AND (ended IS NULL OR ended >= ?)"
        var values: [Database.Value] = [
            .integer(query.unixNanoseconds.upperBound), .integer(query.unixNanoseconds.lowerBound),
        ]
        for (column, text) in [("alert", query.alert), ("bot", query.bot)] {
            guard let text else { continue }
            condition += " AND \(column) = ?"
            values.append(.text(text))
        }
        let count = try database.integer("SELECT count(*) FROM alert \(condition)", values) ?? 0
        let newest = try database.alerts(
            "\(condition) ORDER BY began DESC, alert, bot LIMIT ?", values + [.integer(Int64(query.limit))])
        return (newest, Int(count))
    }

    private func hasAlerts() throws(HistoryFailure) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_schema WHERE name = 'alert'") != nil
    }
}

extension Database {
    fileprivate func openAlerts() throws(HistoryFailure) -> [AlertEpisode] {
        try alerts("WHERE ended IS NULL ORDER BY id", [])
    }

    fileprivate func alerts(_ condition: String, _ values: [Value]) throws(HistoryFailure) -> [AlertEpisode] {
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
