internal import Glibc
internal import SQLite

/// The SQLite file of the checkpoints: entries, each with a number, a name and bytes.
///
/// It is in WAL mode with `synchronous=NORMAL`. Each transaction is stored whole or not at all if the process dies. The
/// file stays sound if the power fails, though the last transactions may then be missing. One process uses it at a
/// time.
///
/// Thread rule: one thread at a time. Memory: 256 KiB of pages at most, beside SQLite's own 100 KiB.
final class StateDatabase {
    struct Entry: Equatable {
        var id: Int64
        var name: String
        var value: [UInt8]
    }

    /// The smallest page of an SQLite file.
    private static let smallestFile = 512
    /// A reader between two checkpoints may delay the next one. The drain waits for neither.
    private static let busyMilliseconds: Int32 = 2000
    private let path: String
    private let database: Database
    private var isPrepared = false

    /// Opens the file, or creates an empty one. Writes nothing before the first transaction.
    ///
    /// - Parameter path: the path of the file. Its journal is `PATH-wal`.
    init(path: String) throws(DatabaseFailure) {
        self.path = path
        database = try Database(path: path, busyMilliseconds: Self.busyMilliseconds)
        // With exclusive locking, SQLite needs neither a shared-memory file nor a lock for each transaction.
        for pragma in ["locking_mode=EXCLUSIVE", "synchronous=NORMAL", "cache_size=-256", "wal_autocheckpoint=512"] {
            try database.run("PRAGMA \(pragma)")
        }
    }

    /// Checks that the file is sound and returns every entry; none if the file is new.
    ///
    /// - Throws: a failure whose `isDamage` says whether the file itself is bad.
    func entries() throws(DatabaseFailure) -> [Entry] {
        try database.checkPages()
        // SQLite treats a file that is smaller than a page as empty.
        var status = stat()
        guard stat(path, &status) != 0 || status.st_size == 0 || status.st_size >= Self.smallestFile else {
            throw DatabaseFailure(damage: "it has \(status.st_size) bytes, less than a page")
        }
        guard try database.integer("SELECT 1 FROM sqlite_schema WHERE name = 'entry'") != nil else { return [] }
        var entries: [Entry] = []
        try database.run("SELECT id, name, value FROM entry ORDER BY id") { row in
            entries.append(Entry(id: row.integer(0), name: row.text(1), value: row.blob(2)))
        }
        return entries
    }

    /// Writes and removes entries in one transaction. Each written one replaces the entry with its number.
    ///
    /// - Parameter ids: the numbers of the entries to remove; nil removes all others.
    func write(_ entries: [Entry], removing ids: [Int64]?) throws(DatabaseFailure) {
        try prepare()
        try database.transaction { () throws(DatabaseFailure) in
            if ids == nil { try database.run("DELETE FROM entry") }
            for entry in entries {
                try database.run(
                    "INSERT OR REPLACE INTO entry(id, name, value) VALUES(?, ?, ?)",
                    [.integer(entry.id), .text(entry.name), .blob(entry.value)])
            }
            for id in ids ?? [] { try database.run("DELETE FROM entry WHERE id = ?", [.integer(id)]) }
        }
    }

    /// Sets the journal mode and makes the table. Works once per connection, and again after a failure.
    private func prepare() throws(DatabaseFailure) {
        if isPrepared { return }
        guard try database.text("PRAGMA journal_mode=WAL") == "wal" else {
            throw DatabaseFailure(obstacle: "it cannot have a write-ahead log")
        }
        try database.run(
            "CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value BLOB NOT NULL)")
        isPrepared = true
    }
}
