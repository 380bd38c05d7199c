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
    ///   - now: the minute that is counted back from, see ``RetentionClock``.
    ///   - wallMinute: what the wall clock says; nil where it says the same.
    ///   - share: the most that may go for its age in one call, of all hours that are stored; two hours may always go.
    ///   - live: series that are being written: they are kept, for their totals are counted on from.
    /// - Returns: the series that were let go of.
    package func retain(
        _ retention: HistoryRetention, now: Int64, wallMinute: Int64? = nil, share: Double = 1,
        live: Set<HistorySeriesKey>
    ) throws(HistoryFailure) -> Set<HistorySeriesKey> {
        let oldest = max(0, (now - retention.minutes) / Self.minutesPerHour)
        try removeHours(before: oldest, share: share)
        if let bytes = retention.bytes {
            try removeHours(untilBelow: bytes, present: (wallMinute ?? now) / Self.minutesPerHour)
        }
        // A series whose hours are still there would be lost with its name.
        let firstStored = try hour(from: 0).map { $0 * Self.minutesPerHour }
        let gone = try removeSeries(
            notSeenSince: min(now - retention.minutes, firstStored ?? .max), live: live)
        try connection.run("PRAGMA incremental_vacuum(4096)")
        return gone
    }

    /// The bytes of the file that hold something.
    package func usedBytes() throws(HistoryFailure) -> Int64 {
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try connection.integer("PRAGMA page_size") ?? 0)
    }

    private func removeHours(before bound: Int64, share: Double) throws(HistoryFailure) {
        guard let first = try hour(from: 0), first < bound else { return }
        let stored = try storedHours()
        let most = max(2, Int(Double(stored.count) * share))
        for hour in stored.prefix(most) where hour < bound { try remove(hour: hour) }
    }

    /// What was stored longest ago goes first. Hours that lie after the present were stored while the clock was ahead, before
    /// those of the present: kept longest, they would leave no room for what comes now.
    private func removeHours(untilBelow bytes: Int64, present: Int64) throws(HistoryFailure) {
        while try usedBytes() > bytes {
            var next = try hour(from: present + 2)
            if next == nil { next = try hour(from: 0) }
            guard let next else { return }
            try remove(hour: next)
        }
    }

    private func remove(hour: Int64) throws(HistoryFailure) {
        try connection.run(
            "DELETE FROM hour WHERE id >= ? AND id < ?",
            [
                .integer(HistorySchema.hourID(hour: hour, series: 0)),
                .integer(HistorySchema.hourID(hour: hour + 1, series: 0)),
            ])
    }

    /// The first hour that is stored at that one or after it.
    private func hour(from hour: Int64) throws(HistoryFailure) -> Int64? {
        try connection.integer(
            "SELECT id FROM hour WHERE id >= ? ORDER BY id LIMIT 1",
            [.integer(HistorySchema.hourID(hour: hour, series: 0))]
        ).map { HistorySchema.hour(ofID: $0) }
    }

    /// All hours that are stored, the first one first. Cost: one look-up an hour.
    private func storedHours() throws(HistoryFailure) -> [Int64] {
        var hours: [Int64] = []
        while let next = try hour(from: hours.last.map { $0 + 1 } ?? 0) { hours.append(next) }
        return hours
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
