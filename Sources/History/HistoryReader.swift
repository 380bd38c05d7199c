internal import CSQLite

/// Reads a history file, one that a collector writes meanwhile too.
///
/// Thread rule: one thread at a time.
package final class HistoryReader {
    let connection: HistoryConnection
    /// Hours of which something could not be read: they are shown without it, and as not complete.
    private(set) var damagedHours: Set<Int64> = []

    /// - Throws: a failure where there is no file, or it is no history.
    package init(path: String) throws(HistoryFailure) {
        connection = try HistoryConnection(path: path, mode: .reading)
        try connection.check(mayBeNew: false)
    }

    /// Every series that the file holds, by number.
    package func series() throws(HistoryFailure) -> [StoredSeries] { try connection.allSeries() }

    /// Those that an answer needs.
    func series(for query: HistoryQuery) throws(HistoryFailure) -> [StoredSeries] {
        try connection.allSeries(
            named: [query.metric, NotedSeries.lostName, NotedSeries.incompleteName]
                + [NotedSeries.watched, NotedSeries.displaced].map(\.name))
    }

    /// What `body` reads is of one moment, whatever is written meanwhile.
    ///
    /// - Parameter fixing: calls what it is given, which fixes the moment, once.
    package func atOneMoment<Result>(
        fixing: (() -> Void) -> Void = { $0() }, _ body: () throws(HistoryFailure) -> Result
    ) throws(HistoryFailure) -> Result {
        try connection.run("BEGIN")
        defer { try? connection.run("COMMIT") }
        // The moment is that of the first read. Where that fails, so does the next.
        fixing { _ = try? connection.integer("SELECT count(*) FROM sqlite_schema") }
        return try body()
    }

    /// The first and the last minute that anything is known of; nil where nothing is.
    package func minutes() throws(HistoryFailure) -> ClosedRange<Int64>? {
        var places: [Int64] = []
        for sql in ["SELECT id FROM hour ORDER BY id LIMIT 1", "SELECT id FROM hour ORDER BY id DESC LIMIT 1"] {
            guard let id = try connection.integer(sql) else { continue }
            places.append(HistorySchema.hour(ofID: id) * HistoryStore.minutesPerHour)
        }
        if let last = places.last { places.append(last + HistoryStore.minutesPerHour - 1) }
        for sql in ["SELECT minute FROM minute ORDER BY minute LIMIT 1", "SELECT max(minute) FROM minute"] {
            if let minute = try connection.integer(sql), minute > 0 { places.append(minute) }
        }
        guard let first = places.min(), let last = places.max() else { return nil }
        return first...last
    }

    /// The bytes of each series' packed hours, by its number.
    package func packedBytes() throws(HistoryFailure) -> [Int64: Int64] {
        var bytes: [Int64: Int64] = [:]
        try connection.run("SELECT id, length(body) FROM hour") { row throws(HistoryFailure) in
            bytes[HistorySchema.series(ofID: row.integer(0)), default: 0] += row.integer(1)
        }
        return bytes
    }

    /// One hour of some series.
    ///
    /// - Parameters:
    ///   - open: what is not packed yet, as ``openMinutes(of:in:)`` gave it.
    /// - Returns: by series, the minutes of the hour; series without one are missing.
    func hour(_ hour: Int64, of ids: [Int64], open: OpenMinutes) throws(HistoryFailure) -> [Int64: HourBlock] {
        var blocks: [Int64: HourBlock] = [:]
        for id in ids {
            var packed: [UInt8]?
            let place = HistorySchema.hourID(hour: hour, series: id)
            try connection.run("SELECT body FROM hour WHERE id = ?", [.integer(place)]) { row throws(HistoryFailure) in
                packed = row.blob(0)
            }
            guard let packed else { continue }
            do { blocks[id] = try HourBlock(sealed: packed) } catch { damagedHours.insert(hour) }
        }
        for value in open.byHour[hour] ?? [] {
            blocks[value.id, default: HourBlock(tag: value.value.tag)].merge(
                value.value, atMinute: Int(value.minute % HistoryStore.minutesPerHour))
        }
        return blocks
    }

    /// Minutes that are not packed yet, by hour.
    struct OpenMinutes {
        var byHour: [Int64: [(id: Int64, minute: Int64, value: MinuteValue)]] = [:]

        mutating func append(id: Int64, minute: Int64, value: MinuteValue) {
            byHour[minute / HistoryStore.minutesPerHour, default: []].append((id, minute, value))
        }
    }

    func openMinutes(of ids: Set<Int64>, in minutes: Range<Int64>) throws(HistoryFailure) -> OpenMinutes {
        var open = OpenMinutes()
        for chunk in Set(ids.map { MinuteChunk.number(ofSeries: $0) }).sorted() {
            try connection.run(
                "SELECT minute, body FROM minute WHERE chunk = ? AND minute >= ? AND minute < ? ORDER BY minute, id",
                [.integer(chunk), .integer(minutes.lowerBound), .integer(minutes.upperBound)]
            ) { row throws(HistoryFailure) in
                do throws(HistoryDamage) {
                    try MinuteChunk.forEach(in: row.blob(1), chunk: chunk, where: { ids.contains($0) }) { id, value in
                        open.append(id: id, minute: row.integer(0), value: value)
                    }
                } catch {
                    throw HistoryFailure(error)
                }
            }
        }
        return open
    }

    /// Copies the file, which may be written meanwhile, into a new one and has SQLite check the copy.
    ///
    /// - Parameter path: of the copy; there must be none yet.
    package func backUp(to path: String) throws(HistoryFailure) {
        let copy = try HistoryConnection(path: path, mode: .writing)
        guard let backup = sqlite3_backup_init(copy.handle, "main", connection.handle, "main") else {
            throw copy.failure(sqlite3_errcode(copy.handle))
        }
        // In one step: a read lock for its length, which keeps no writer of a WAL file waiting.
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw copy.failure(code) }
        // One file by itself, to be carried elsewhere.
        guard try copy.text("PRAGMA journal_mode=DELETE") == "delete" else {
            throw HistoryFailure(code: SQLITE_IOERR, description: "the copy cannot be closed")
        }
        let verdict = try copy.text("PRAGMA integrity_check")
        guard verdict == "ok" else {
            throw HistoryFailure(HistoryDamage("the copy is not sound: \(verdict ?? "no answer")"))
        }
    }
}
