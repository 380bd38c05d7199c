internal import CSQLite

/// Reads a history file, one that a collector writes meanwhile too.
///
/// Thread rule: one thread at a time.
package final class HistoryReader {
    let connection: HistoryConnection
    /// Hours of which something could not be read: they are shown without it, and as not complete.
    private(set) var damagedHours: Set<Int64> = []
    /// Asked while something is read, some thousand times a second: once it says no, reading ends with a failure.
    package var isWanted: () -> Bool = { true }
    private var openCache = OpenRowCache()
    private var heldMinutes: ClosedRange<Int64>??

    /// - Throws: a failure where there is no file, or it is no history.
    package init(path: String) throws(HistoryFailure) {
        connection = try HistoryConnection(path: path, mode: .reading)
        try connection.check(mayBeNew: false)
    }

    /// Every series that the file holds, by number.
    package func series() throws(HistoryFailure) -> [StoredSeries] { try connection.allSeries() }

    /// Calls `body` with each series of some metrics, by number, so that who wants few of many keeps few.
    func forEachSeries(
        named names: [String], _ body: (StoredSeries) -> Void
    ) throws(HistoryFailure) {
        try connection.forEachSeries(named: names) { series throws(HistoryFailure) in
            try checkIsWanted()
            body(series)
        }
    }

    /// Whether the file knows a bot of this name.
    func knows(bot: String) throws(HistoryFailure) -> Bool {
        try connection.integer("SELECT 1 FROM series WHERE bot = ? LIMIT 1", [.text(bot)]) != nil
    }

    /// What `body` reads is of one moment, whatever is written meanwhile.
    package func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
        try beginMoment()
        defer { endMoment() }
        return try body()
    }

    /// All that is read from here on is of one moment, until it ends or the reader is gone.
    ///
    /// - Parameter fixing: calls what it is given, which fixes the moment, once.
    package func beginMoment(fixing: (() -> Void) -> Void = { $0() }) throws(HistoryFailure) {
        try connection.run("BEGIN")
        // The moment is that of the first read. Where that fails, so does the next.
        fixing { _ = try? connection.integer("SELECT count(*) FROM sqlite_schema") }
        forgetWhatWasRead()
    }

    package func endMoment() {
        try? connection.run("COMMIT")
        forgetWhatWasRead()
    }

    /// What was kept of the file is of an earlier moment, maybe.
    func forgetWhatWasRead() {
        openCache = OpenRowCache()
        heldMinutes = nil
        damagedHours = []
    }

    func noteDamage(hour: Int64) { damagedHours.insert(hour) }

    /// Goes on with what is known to be damaged for every series.
    func forgetDamage(but hours: Set<Int64>) { damagedHours = hours }

    /// - Throws: a failure where what is read is not wanted any more.
    func checkIsWanted() throws(HistoryFailure) {
        guard isWanted() else { throw HistoryFailure.notWanted }
    }

    /// The minutes that anything is known of, looked up once a moment.
    func minutesHeld() throws(HistoryFailure) -> ClosedRange<Int64>? {
        if let heldMinutes { return heldMinutes }
        let held = try minutes()
        heldMinutes = .some(held)
        return held
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

    /// The bytes of one packed hour of a series; nil where there is none.
    func packedHour(_ hour: Int64, of id: Int64) throws(HistoryFailure) -> [UInt8]? {
        var packed: [UInt8]?
        let place = HistorySchema.hourID(hour: hour, series: id)
        try connection.run("SELECT body FROM hour WHERE id = ?", [.integer(place)]) { row throws(HistoryFailure) in
            packed = row.blob(0)
        }
        return packed
    }

    /// The rows of an hour that are not packed yet, in the order in which they came.
    func openRows(chunk: Int64, hour: Int64) throws(HistoryFailure) -> OpenRowCache.Rows {
        let place = OpenRowCache.Place(chunk: chunk, hour: hour)
        guard try openPlaces().contains(place) else { return [] }
        if let known = openCache[place] { return known }
        var rows: OpenRowCache.Rows = []
        let first = hour * HistoryStore.minutesPerHour
        try connection.run(
            "SELECT minute, body FROM minute WHERE chunk = ? AND minute >= ? AND minute < ? ORDER BY minute, id",
            [.integer(chunk), .integer(first), .integer(first + HistoryStore.minutesPerHour)]
        ) { row throws(HistoryFailure) in
            try checkIsWanted()
            do throws(HistoryDamage) {
                rows.append((row.integer(0), try SealedBytes.open(row.blob(1))))
            } catch {
                throw HistoryFailure(error)
            }
        }
        openCache.keep(rows, at: place)
        return rows
    }

    /// Where rows are that are not packed yet: read once a moment, from the index alone.
    private func openPlaces() throws(HistoryFailure) -> Set<OpenRowCache.Place> {
        if let places = openCache.places { return places }
        var places: Set<OpenRowCache.Place> = []
        try connection.run("SELECT DISTINCT chunk, minute / 60 FROM minute") { row throws(HistoryFailure) in
            places.insert(OpenRowCache.Place(chunk: row.integer(0), hour: row.integer(1)))
        }
        openCache.places = places
        return places
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
