internal import CSQLite

/// How much of the past is kept.
package struct HistoryRetention: Equatable, Sendable {
    /// Hours that ended longer ago are let go of.
    package var minutes: Int64 = 30 * 24 * 60
    /// The file's size above which the oldest hours are let go of; nil for no bound.
    package var bytes: Int64?

    package init(minutes: Int64 = 30 * 24 * 60, bytes: Int64? = nil) {
        self.minutes = minutes
        self.bytes = bytes
    }
}

extension HistoryStore {
    /// Lets go of what is too old, then of the oldest hours while the file is too large, and gives the room back to the file
    /// system.
    ///
    /// - Parameters:
    ///   - now: the present minute.
    ///   - live: series that are being written: they are kept, for their totals are counted on from.
    /// - Returns: the series that were let go of.
    package func retain(
        _ retention: HistoryRetention, now: Int64, live: Set<HistorySeriesKey>
    ) throws(HistoryFailure) -> Set<HistorySeriesKey> {
        let oldest = max(0, (now - retention.minutes) / Self.minutesPerHour)
        try removeHours(before: oldest)
        if let bytes = retention.bytes { try removeHours(untilBelow: bytes) }
        let gone = try removeSeries(notSeenSince: now - retention.minutes, live: live)
        try connection.run("PRAGMA incremental_vacuum(4096)")
        return gone
    }

    /// The bytes of the file that hold something.
    package func usedBytes() throws(HistoryFailure) -> Int64 {
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try connection.integer("PRAGMA page_size") ?? 0)
    }

    private func removeHours(before hour: Int64) throws(HistoryFailure) {
        let first = HistorySchema.hourID(hour: hour, series: 0)
        guard try connection.integer("SELECT id FROM hour ORDER BY id LIMIT 1") ?? first < first else { return }
        try connection.run("DELETE FROM hour WHERE id < ?", [.integer(first)])
    }

    private func removeHours(untilBelow bytes: Int64) throws(HistoryFailure) {
        while try usedBytes() > bytes, let oldest = try connection.integer("SELECT id FROM hour ORDER BY id LIMIT 1") {
            try removeHours(before: HistorySchema.hour(ofID: oldest) + 1)
        }
    }

    private func removeSeries(
        notSeenSince minute: Int64, live: Set<HistorySeriesKey>
    ) throws(HistoryFailure) -> Set<HistorySeriesKey> {
        let kept = Set(live.compactMap { known[$0] })
        var gone: Set<Int64> = []
        try connection.run("SELECT id FROM series WHERE seen < ?", [.integer(minute)]) { row throws(HistoryFailure) in
            if !kept.contains(row.integer(0)) { gone.insert(row.integer(0)) }
        }
        guard !gone.isEmpty else { return [] }
        try connection.transaction { () throws(HistoryFailure) in
            for id in gone {
                try connection.run("DELETE FROM series WHERE id = ?", [.integer(id)])
                try connection.run("DELETE FROM base WHERE series = ?", [.integer(id)])
            }
        }
        return forget(gone)
    }
}
