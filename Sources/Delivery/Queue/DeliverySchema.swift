internal import SQLite

/// The SQLite file of the delivery queues, which outlives the collector, or the same tables in memory.
///
/// It uses WAL with `synchronous=NORMAL`, so committed data survives a killed process.
enum DeliverySchema {
    private static let version: Int64 = 1
    private static let busyMilliseconds: Int32 = 2000

    /// Opens the file, and creates missing tables.
    ///
    /// - Parameter path: nil keeps everything in memory.
    static func open(path: String?) throws(DatabaseFailure) -> Database {
        let database = try Database(path: path, busyMilliseconds: busyMilliseconds)
        // Sent entries free their space at once, so the bound of a queue is also the bound of its file.
        for pragma in [
            "auto_vacuum=FULL", "locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL", "cache_size=-256",
            "wal_autocheckpoint=512", "journal_size_limit=4194304",
        ] { try database.run("PRAGMA \(pragma)") }
        try check(database)
        try makeTables(database)
        return database
    }

    private static func check(_ database: Database) throws(DatabaseFailure) {
        try database.checkPages()
        let found = try database.integer("PRAGMA user_version") ?? 0
        guard found == 0 || found == version else {
            throw DatabaseFailure(damage: "it has format \(found); this collector reads \(version)")
        }
    }

    private static func makeTables(_ database: Database) throws(DatabaseFailure) {
        try database.run(
            """
            CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY AUTOINCREMENT, export TEXT NOT NULL, key TEXT,
            created INTEGER NOT NULL, attempts INTEGER NOT NULL, next INTEGER NOT NULL, type TEXT NOT NULL,
            headers TEXT NOT NULL, body BLOB NOT NULL)
            """)
        try database.run("CREATE INDEX IF NOT EXISTS entry_by_export ON entry(export, id)")
        try database.run(
            """
            CREATE TABLE IF NOT EXISTS told(export TEXT NOT NULL, subject TEXT NOT NULL, bot TEXT NOT NULL,
            firing INTEGER NOT NULL, ended INTEGER NOT NULL, notice BLOB NOT NULL, PRIMARY KEY(export, subject, bot)) WITHOUT ROWID
            """)
        try makeClock(database)
        try database.run("PRAGMA user_version=\(version)")
    }

    /// Adds the table of the ``QueueClock`` and the column `noted`, which older files of the same format lack. Older
    /// collectors can still read the file.
    private static func makeClock(_ database: Database) throws(DatabaseFailure) {
        try database.run(
            """
            CREATE TABLE IF NOT EXISTS clock(id INTEGER PRIMARY KEY CHECK(id = 1), boot TEXT NOT NULL,
            offset INTEGER NOT NULL, latest INTEGER NOT NULL)
            """)
        let hasDate = try database.integer("SELECT 1 FROM pragma_table_info('told') WHERE name = 'noted'") != nil
        if !hasDate { try database.run("ALTER TABLE told ADD COLUMN noted INTEGER NOT NULL DEFAULT 0") }
    }
}

extension Database {
    /// Returns the queue's clock as an earlier collector stored it; nil if the file has none.
    func clockRecord() throws(DatabaseFailure) -> QueueClock.Record? {
        var record: QueueClock.Record?
        try run("SELECT boot, offset, latest FROM clock WHERE id = 1") { row throws(DatabaseFailure) in
            record = QueueClock.Record(bootID: row.text(0), offset: row.integer(1), latest: row.integer(2))
        }
        return record
    }

    func save(_ record: QueueClock.Record) throws(DatabaseFailure) {
        try run(
            "INSERT OR REPLACE INTO clock(id, boot, offset, latest) VALUES(1, ?, ?, ?)",
            [.text(record.bootID), .integer(record.offset), .integer(record.latest)])
    }
}
