internal import SQLite

/// The only writer of a history file. It adds minutes, packs hours that are over, and removes old ones.
///
/// The file is in WAL mode. A reader (a query, `ringside history`, a backup) sees whole transactions, does not block
/// the writer, and needs no collector. With `synchronous=NORMAL` the file is sound after a power failure, though the
/// last minutes may be missing.
///
/// Thread rule: one thread at a time. Memory: at most 1 MiB of pages, beside its arguments.
package final class HistoryStore {
    let database: Database
    /// The number of each series that was written and not yet removed, by key.
    private(set) var known: [HistorySeriesKey: Int64] = [:]
    private(set) var lastID: Int64 = 0

    static let minutesPerHour: Int64 = 60

    /// - Parameters:
    ///   - path: of the file; created if it is missing.
    ///   - maximumPages: SQLite's `max_page_count`: the most pages of the file; for tests of a full disk.
    /// - Throws: a failure whose `isDamage` says whether to set the file aside.
    package init(path: String, maximumPages: Int? = nil) throws(HistoryFailure) {
        database = try Database(path: path, busyMilliseconds: HistorySchema.busyMilliseconds)
        if let maximumPages { try database.run("PRAGMA max_page_count=\(maximumPages)") }
        try database.prepareForWriting()
        for series in try database.allSeries() {
            known[series.key] = series.id
            lastID = max(lastID, series.id)
        }
    }

    /// Whether a series was left out because all numbers of series are used.
    package private(set) var isFull = false

    /// One value of one series.
    package struct Entry: Equatable, Sendable {
        package var key: HistorySeriesKey
        package var help: String
        /// Counted in minutes since the Unix epoch.
        package var minute: Int64
        package var value: MinuteValue
        /// The series' totals before this value, if the store must not use its own: if the store first sees the series
        /// in the middle of its life, or the series began anew.
        package var baseBefore: MinuteValue?

        package init(
            key: HistorySeriesKey, help: String = "", minute: Int64, value: MinuteValue,
            baseBefore: MinuteValue? = nil
        ) {
            self.key = key
            self.help = help
            self.minute = minute
            self.value = value
            self.baseBefore = baseBefore
        }
    }

    /// Writes entries and alerts in one transaction: all or nothing.
    ///
    /// - Parameter alerts: Those that began or ended; each replaces a stored one.
    package func write(_ entries: [Entry], alerts: [AlertEpisode] = []) throws(HistoryFailure) {
        let fresh = numbered(entries)
        // Minutes that are not packed yet are part of a series' base, and would be added to a new base.
        if entries.contains(where: { $0.baseBefore != nil && fresh.ids[$0.key] == nil && known[$0.key] != nil }) {
            try pack(before: .max)
        }
        try database.transaction { () throws(HistoryFailure) in
            for series in fresh.series { try database.insert(series) }
            for entry in entries {
                guard let base = entry.baseBefore, let id = fresh.ids[entry.key] ?? known[entry.key] else { continue }
                try put(base: base, of: id)
            }
            try insert(minutes: entries) { fresh.ids[$0] ?? known[$0] }
            try put(alerts)
        }
        for (key, id) in fresh.ids { known[key] = id }
        lastID = max(lastID, fresh.series.last?.id ?? 0)
    }

    private func numbered(_ entries: [Entry]) -> (series: [StoredSeries], ids: [HistorySeriesKey: Int64]) {
        var series: [StoredSeries] = []
        var ids: [HistorySeriesKey: Int64] = [:]
        for entry in entries where known[entry.key] == nil && ids[entry.key] == nil {
            let id = lastID + Int64(series.count) + 1
            // Leaves out series beyond the highest number. Only a label whose values never repeat makes so many.
            guard id <= HistorySchema.highestSeries else {
                isFull = true
                break
            }
            ids[entry.key] = id
            series.append(StoredSeries(id: id, key: entry.key, help: entry.help, seen: entry.minute))
        }
        return (series, ids)
    }

    private func insert(
        minutes entries: [Entry], id: (HistorySeriesKey) -> Int64?
    ) throws(HistoryFailure) {
        struct Place: Hashable {
            let minute: Int64
            let chunk: Int64
        }
        var rows: [Place: [(id: Int64, value: MinuteValue)]] = [:]
        for entry in entries where !entry.value.isIdle {
            guard let id = id(entry.key) else { continue }
            rows[Place(minute: entry.minute, chunk: MinuteChunk.number(ofSeries: id)), default: []].append(
                (id, entry.value))
        }
        for (place, values) in rows.sorted(by: { ($0.key.minute, $0.key.chunk) < ($1.key.minute, $1.key.chunk) }) {
            try database.run(
                "INSERT INTO minute(chunk, minute, body) VALUES(?, ?, ?)",
                [
                    .integer(place.chunk), .integer(place.minute),
                    .blob(MinuteChunk.sealed(values.sorted { $0.id < $1.id })),
                ])
        }
    }

    func put(base: MinuteValue, of id: Int64) throws(HistoryFailure) {
        var writer = PackedWriter()
        writer.write(base)
        try database.run(
            "INSERT OR REPLACE INTO base(series, body) VALUES(?, ?)",
            [.integer(id), .blob(SealedBytes.seal(writer.bytes, compressing: false))])
    }

    /// Returns the totals of a series over its packed minutes; nil if it has none.
    func base(of id: Int64) throws(HistoryFailure) -> MinuteValue? {
        var body: [UInt8]?
        try database.run("SELECT body FROM base WHERE series = ?", [.integer(id)]) { row throws(HistoryFailure) in
            body = row.blob(0)
        }
        guard let body else { return nil }
        do {
            var reader = PackedReader(try SealedBytes.open(body))
            return try reader.value()
        } catch {
            throw HistoryFailure(error)
        }
    }

    func forget(_ ids: Set<Int64>) -> Set<HistorySeriesKey> {
        let gone = known.filter { ids.contains($0.value) }
        for key in gone.keys { known[key] = nil }
        return Set(gone.keys)
    }
}

extension HistoryStore {
    /// Returns the totals of every series at the last stored minute. A restarted collector counts from them.
    ///
    /// Cost: reads the bases and the minutes that are not packed.
    package func totals() throws(HistoryFailure) -> [HistorySeriesKey: MinuteValue] {
        var totals: [Int64: MinuteValue] = [:]
        for id in known.values { if let base = try base(of: id) { totals[id] = base } }
        try database.run("SELECT chunk, body FROM minute ORDER BY minute, id") { row throws(HistoryFailure) in
            do throws(HistoryDamage) {
                try MinuteChunk.forEach(in: row.blob(1), chunk: row.integer(0), where: { _ in true }) { id, value in
                    if totals[id] == nil { totals[id] = value } else { totals[id]?.merge(value) }
                }
            } catch {
                throw HistoryFailure(error)
            }
        }
        return known.compactMapValues { totals[$0] }
    }

    /// Returns the last minute with a stored value; nil if there is none. If that minute is packed, returns the first
    /// minute of its hour.
    package func lastMinute() throws(HistoryFailure) -> Int64? {
        let open = try database.integer("SELECT max(minute) FROM minute") ?? 0
        let packed = HistorySchema.hour(ofID: try database.integer("SELECT max(id) FROM hour") ?? 0)
        let last = max(open, packed * Self.minutesPerHour)
        return last == 0 ? nil : last
    }
}
