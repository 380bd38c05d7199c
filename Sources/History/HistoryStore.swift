internal import CSQLite

/// The one writer of a history file: takes minutes in, packs closed hours, and lets go of what is too old.
///
/// The file is in WAL mode: a reader (a query, `ringside history`, a backup) sees a whole transaction or none of it, keeps
/// nobody waiting, and needs no collector. `synchronous=NORMAL`: after a power failure the file is sound, though the last
/// minutes may be missing.
///
/// Thread rule: one thread at a time. Memory: 1 MiB of pages at most, beside what it is given.
package final class HistoryStore {
    let connection: HistoryConnection
    /// By key, the number of each series that was ever written and is not let go of yet.
    private(set) var known: [HistorySeriesKey: Int64] = [:]
    private(set) var lastID: Int64 = 0

    /// Minutes that are not packed before their hour is over.
    static let minutesPerHour: Int64 = 60

    /// - Parameters:
    ///   - path: of the file; it is made where it is missing.
    ///   - maximumPages: as SQLite's `max_page_count`: the most pages that the file may have; for tests of a full disk.
    /// - Throws: a failure whose `isDamage` says whether the file is to be set aside.
    package init(path: String, maximumPages: Int? = nil) throws(HistoryFailure) {
        connection = try HistoryConnection(path: path, mode: .writing)
        if let maximumPages { try connection.run("PRAGMA max_page_count=\(maximumPages)") }
        try connection.prepareForWriting()
        for series in try connection.allSeries() {
            known[series.key] = series.id
            lastID = max(lastID, series.id)
        }
    }

    /// One value of one series.
    package struct Entry: Equatable, Sendable {
        package var key: HistorySeriesKey
        package var help: String
        /// Counted in minutes since the Unix epoch.
        package var minute: Int64
        package var value: MinuteValue
        /// The series' totals before this value, where the store is not to take those that it has: of a series that it sees
        /// for the first time in the middle of its life, or that began anew.
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

    /// Writes what came in one transaction: all of it is there afterwards, or nothing.
    package func write(_ entries: [Entry]) throws(HistoryFailure) {
        let fresh = numbered(entries)
        // What the minutes not yet packed say of a series is part of its base, and would be added to a new one.
        if entries.contains(where: { $0.baseBefore != nil && fresh.ids[$0.key] == nil && known[$0.key] != nil }) {
            try pack(before: .max)
        }
        try connection.transaction { () throws(HistoryFailure) in
            for series in fresh.series { try connection.insert(series) }
            for entry in entries {
                guard let base = entry.baseBefore, let id = fresh.ids[entry.key] ?? known[entry.key] else { continue }
                try put(base: base, of: id)
            }
            try insert(minutes: entries) { fresh.ids[$0] ?? known[$0] }
        }
        for (key, id) in fresh.ids { known[key] = id }
        lastID = max(lastID, fresh.series.last?.id ?? 0)
    }

    private func numbered(_ entries: [Entry]) -> (series: [StoredSeries], ids: [HistorySeriesKey: Int64]) {
        var series: [StoredSeries] = []
        var ids: [HistorySeriesKey: Int64] = [:]
        for entry in entries where known[entry.key] == nil && ids[entry.key] == nil {
            let id = lastID + Int64(series.count) + 1
            // More series than any file could hold for long: a label that never repeats. They are left out.
            guard id <= HistorySchema.highestSeries else { break }
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
            try connection.run(
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
        try connection.run(
            "INSERT OR REPLACE INTO base(series, body) VALUES(?, ?)",
            [.integer(id), .blob(SealedBytes.seal(writer.bytes, compressing: false))])
    }

    /// The totals of a series up to the last hour packed; nil where it has none.
    func base(of id: Int64) throws(HistoryFailure) -> MinuteValue? {
        var body: [UInt8]?
        try connection.run("SELECT body FROM base WHERE series = ?", [.integer(id)]) { row throws(HistoryFailure) in
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
    /// The totals of every series as of the last minute written: what a collector that is started again counts from.
    ///
    /// Cost: reads the bases and the minutes that are not packed.
    package func totals() throws(HistoryFailure) -> [HistorySeriesKey: MinuteValue] {
        var totals: [Int64: MinuteValue] = [:]
        for id in known.values { if let base = try base(of: id) { totals[id] = base } }
        try connection.run("SELECT chunk, body FROM minute ORDER BY minute, id") { row throws(HistoryFailure) in
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

    /// The last minute that anything was written of; nil where nothing was.
    package func lastMinute() throws(HistoryFailure) -> Int64? {
        let open = try connection.integer("SELECT max(minute) FROM minute") ?? 0
        let packed = HistorySchema.hour(ofID: try connection.integer("SELECT max(id) FROM hour") ?? 0)
        let last = max(open, packed * Self.minutesPerHour)
        return last == 0 ? nil : last
    }
}
