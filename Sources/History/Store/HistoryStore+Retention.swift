internal import SQLite

/// How much history is kept.
package struct HistoryRetention: Equatable, Sendable {
    /// Hours that ended longer ago are removed.
    package var minutes: Int64 = 30 * 24 * 60
    /// The file's size above which the oldest hours are removed; nil for no bound.
    package var bytes: Int64?

    package init(minutes: Int64 = 30 * 24 * 60, bytes: Int64? = nil) {
        self.minutes = minutes
        self.bytes = bytes
    }
}

extension HistoryStore {
    /// Removes old hours, then the oldest hours while the file is too large, and returns the space to the file system.
    ///
    /// - Parameters:
    ///   - now: the present minute, see ``RetentionClock``.
    ///   - wallMinute: the minute of the wall clock; nil if it is the same.
    ///   - share: the largest share of the stored hours that one call may remove for their age. It may always remove
    ///     two hours.
    ///   - live: series that are being written. They are kept, since their next values are counted from their totals.
    /// - Returns: the removed series.
    package func retain(
        _ retention: HistoryRetention, now: Int64, wallMinute: Int64? = nil, share: Double = 1,
        live: Set<HistorySeriesKey>
    ) throws(HistoryFailure) -> Set<HistorySeriesKey> {
        let oldest = max(0, (now - retention.minutes) / Self.minutesPerHour)
        try removeHours(before: oldest, share: share)
        if let bytes = retention.bytes {
            try removeHours(untilBelow: bytes, present: (wallMinute ?? now) / Self.minutesPerHour)
        }
        try removeAlerts(endedBefore: now - retention.minutes)
        // A series with stored hours keeps its row: without its name they would be lost.
        let firstStored = try database.packedHour(from: 0).map { $0 * Self.minutesPerHour }
        let gone = try removeSeries(
            notSeenSince: min(now - retention.minutes, firstStored ?? .max), live: live)
        try database.run("PRAGMA incremental_vacuum(4096)")
        return gone
    }

    /// Returns the number of bytes of the file that are in use.
    package func usedBytes() throws(HistoryFailure) -> Int64 {
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try database.integer("PRAGMA page_size") ?? 0)
    }

    private func removeHours(before bound: Int64, share: Double) throws(HistoryFailure) {
        guard let first = try database.packedHour(from: 0), first < bound else { return }
        let stored = try storedHours()
        let most = max(2, Int(Double(stored.count) * share))
        for hour in stored.prefix(most) where hour < bound { try remove(hour: hour) }
    }

    /// Removes hours while the file is too large, the one that was stored longest ago first. Hours after the present
    /// come first: they were stored while the clock was ahead, before those of the present. If they were kept longest,
    /// they would leave no room for new ones.
    private func removeHours(untilBelow bytes: Int64, present: Int64) throws(HistoryFailure) {
        while try usedBytes() > bytes {
            var next = try database.packedHour(from: present + 2)
            if next == nil { next = try database.packedHour(from: 0) }
            guard let next else { return }
            try remove(hour: next)
        }
    }

    private func remove(hour: Int64) throws(HistoryFailure) {
        try database.run(
            "DELETE FROM hour WHERE id >= ? AND id < ?",
            [
                .integer(HistorySchema.hourID(hour: hour, series: 0)),
                .integer(HistorySchema.hourID(hour: hour + 1, series: 0)),
            ])
    }

    /// Returns all stored hours, ascending. Cost: one look-up per hour.
    private func storedHours() throws(HistoryFailure) -> [Int64] {
        var hours: [Int64] = []
        while let next = try database.packedHour(from: hours.last.map { $0 + 1 } ?? 0) { hours.append(next) }
        return hours
    }

    private func removeSeries(
        notSeenSince minute: Int64, live: Set<HistorySeriesKey>
    ) throws(HistoryFailure) -> Set<HistorySeriesKey> {
        let kept = Set(live.compactMap { known[$0] })
        var gone: Set<Int64> = []
        try database.run("SELECT id FROM series WHERE seen < ?", [.integer(minute)]) { row throws(HistoryFailure) in
            if !kept.contains(row.integer(0)) { gone.insert(row.integer(0)) }
        }
        guard !gone.isEmpty else { return [] }
        try database.transaction { () throws(HistoryFailure) in
            for id in gone {
                try database.run("DELETE FROM series WHERE id = ?", [.integer(id)])
                try database.run("DELETE FROM base WHERE series = ?", [.integer(id)])
            }
        }
        return forget(gone)
    }
}
