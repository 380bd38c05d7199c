internal import SQLite

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
