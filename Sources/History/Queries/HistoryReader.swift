internal import SQLite

/// Reads a history file, even while a collector writes it.
///
/// Thread rule: one thread at a time.
package final class HistoryReader {
    let database: Database
    /// Hours that are partly unreadable. They are shown without the unreadable part, and as incomplete.
    private(set) var damagedHours: Set<Int64> = []
    /// Called during reads, some thousand times a second. Once it returns false, reading ends with a failure.
    package var isWanted: () -> Bool = { true }
    private var openCache = OpenRowCache()
    private var heldMinutes: ClosedRange<Int64>??

    /// - Throws: a failure if there is no file, or it is not a history.
    package init(path: String) throws(HistoryFailure) {
        database = try Database(path: path, access: .readOnly, busyMilliseconds: HistorySchema.busyMilliseconds)
        try database.check(mayBeNew: false)
    }

    /// Returns every series in the file, by number.
    package func series() throws(HistoryFailure) -> [StoredSeries] { try database.allSeries() }

    /// Calls `body` with each series of some metrics, by number. A caller that needs few series stores only those.
    func forEachSeries(
        named names: [String], _ body: (StoredSeries) -> Void
    ) throws(HistoryFailure) {
        try database.forEachSeries(named: names) { series throws(HistoryFailure) in
            try checkIsWanted()
            body(series)
        }
    }

    /// Returns whether the file has a bot of this name.
    func knows(bot: String) throws(HistoryFailure) -> Bool {
        try database.integer("SELECT 1 FROM series WHERE bot = ? LIMIT 1", [.text(bot)]) != nil
    }

    /// Returns the bots in the file, sorted.
    package func bots() throws(HistoryFailure) -> [String] {
        var bots: [String] = []
        try database.run("SELECT DISTINCT bot FROM series WHERE bot <> '' ORDER BY bot") { row throws(HistoryFailure) in
            bots.append(row.text(0))
        }
        return bots
    }

    /// Runs `body`, whose reads all see one moment, whatever is written meanwhile.
    package func atOneMoment<Result>(_ body: () throws -> Result) throws -> Result {
        try beginMoment()
        defer { endMoment() }
        return try body()
    }

    /// Makes all reads from here on see one moment, until it ends or the reader is released.
    ///
    /// - Parameter fixing: calls its argument once, which fixes the moment.
    package func beginMoment(fixing: (() -> Void) -> Void = { $0() }) throws(HistoryFailure) {
        try database.run("BEGIN")
        // The first read fixes the moment. If it fails, so does the next.
        fixing { _ = try? database.integer("SELECT count(*) FROM sqlite_schema") }
        forgetWhatWasRead()
    }

    package func endMoment() {
        try? database.run("COMMIT")
        forgetWhatWasRead()
    }

    /// Removes cached data, which may be of an earlier moment.
    func forgetWhatWasRead() {
        openCache = OpenRowCache()
        heldMinutes = nil
        damagedHours = []
    }

    func noteDamage(hour: Int64) { damagedHours.insert(hour) }

    /// Forgets damaged hours, except those that are damaged for every series.
    func forgetDamage(but hours: Set<Int64>) { damagedHours = hours }

    /// Throws a failure if the answer is no longer wanted.
    func checkIsWanted() throws(HistoryFailure) {
        guard isWanted() else { throw HistoryFailure.notWanted }
    }

    /// Returns the same as ``minutes()``, but looks it up only once per moment.
    func minutesHeld() throws(HistoryFailure) -> ClosedRange<Int64>? {
        if let heldMinutes { return heldMinutes }
        let held = try minutes()
        heldMinutes = .some(held)
        return held
    }

    /// Returns the first and last stored minute; nil if nothing is stored. Packed hours count as whole hours.
    package func minutes() throws(HistoryFailure) -> ClosedRange<Int64>? {
        var places: [Int64] = []
        for sql in ["SELECT id FROM hour ORDER BY id LIMIT 1", "SELECT id FROM hour ORDER BY id DESC LIMIT 1"] {
            guard let id = try database.integer(sql) else { continue }
            places.append(HistorySchema.hour(ofID: id) * HistoryStore.minutesPerHour)
        }
        if let last = places.last { places.append(last + HistoryStore.minutesPerHour - 1) }
        for sql in ["SELECT minute FROM minute ORDER BY minute LIMIT 1", "SELECT max(minute) FROM minute"] {
            if let minute = try database.integer(sql), minute > 0 { places.append(minute) }
        }
        guard let first = places.min(), let last = places.max() else { return nil }
        return first...last
    }

    /// Returns the size of each series' packed hours, by its number.
    package func packedBytes() throws(HistoryFailure) -> [Int64: Int64] {
        var bytes: [Int64: Int64] = [:]
        try database.run("SELECT id, length(body) FROM hour") { row throws(HistoryFailure) in
            bytes[HistorySchema.series(ofID: row.integer(0)), default: 0] += row.integer(1)
        }
        return bytes
    }

    /// Returns the bytes of one packed hour of a series; nil if there are none.
    func packedHour(_ hour: Int64, of id: Int64) throws(HistoryFailure) -> [UInt8]? {
        var packed: [UInt8]?
        let place = HistorySchema.hourID(hour: hour, series: id)
        try database.run("SELECT body FROM hour WHERE id = ?", [.integer(place)]) { row throws(HistoryFailure) in
            packed = row.blob(0)
        }
        return packed
    }

    /// Returns the rows of an hour that are not packed yet, in order of arrival.
    func openRows(chunk: Int64, hour: Int64) throws(HistoryFailure) -> OpenRowCache.Rows {
        let place = OpenRowCache.Place(chunk: chunk, hour: hour)
        guard try openPlaces().contains(place) else { return [] }
        if let known = openCache[place] { return known }
        var rows: OpenRowCache.Rows = []
        let first = hour * HistoryStore.minutesPerHour
        try database.run(
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

    /// Returns the places of rows that are not packed yet. Finds them once per moment, from the index alone.
    private func openPlaces() throws(HistoryFailure) -> Set<OpenRowCache.Place> {
        if let places = openCache.places { return places }
        var places: Set<OpenRowCache.Place> = []
        try database.run("SELECT DISTINCT chunk, minute / 60 FROM minute") { row throws(HistoryFailure) in
            places.insert(OpenRowCache.Place(chunk: row.integer(0), hour: row.integer(1)))
        }
        openCache.places = places
        return places
    }

    /// Copies the file, even while it is written, into a new one, and checks the copy with SQLite.
    ///
    /// - Parameter path: of the copy; it must not exist yet.
    package func backUp(to path: String) throws(HistoryFailure) {
        let copy = try Database(path: path, busyMilliseconds: HistorySchema.busyMilliseconds)
        try database.backUp(to: copy)
        // Without WAL the copy is a single file, which can be moved.
        guard try copy.text("PRAGMA journal_mode=DELETE") == "delete" else {
            throw HistoryFailure(obstacle: "the copy cannot be closed")
        }
        let verdict = try copy.text("PRAGMA integrity_check") ?? "no answer"
        guard verdict == "ok" else { throw HistoryFailure(damage: "the copy is not sound: \(verdict)") }
    }
}
