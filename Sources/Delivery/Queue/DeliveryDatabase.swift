internal import CSQLite
internal import Glibc

/// The SQLite file in which what waits for a destination survives the collector, or the same in memory.
///
/// WAL with `synchronous=NORMAL`: whatever was committed is there after the process was killed. Thread rule: one thread at
/// a time.
final class DeliveryDatabase {
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        let description: String

        /// Whether the file's bytes make no sense.
        var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

        /// Whether another process has the file locked.
        var isLock: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code & 0xFF) }
    }

    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case null
    }

    /// One row of an answer, valid until the next.
    struct Row {
        fileprivate let statement: OpaquePointer?

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func bytes(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }

        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    }

    private let connection: OpaquePointer
    private static let version = 1

    /// - Parameter path: nil keeps everything in memory.
    /// - Throws: ``Failure``, also where the file is not sound.
    init(path: String?) throws {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path ?? ":memory:", &connection, flags, nil)
        guard let connection else { throw Failure(code: code, description: "SQLite gives no memory") }
        self.connection = connection
        sqlite3_extended_result_codes(connection, 1)
        guard code == SQLITE_OK else { throw failure(code) }
        sqlite3_busy_timeout(connection, 2000)
        // What was sent gives its room back at once; the bound of a queue is then the bound of its file.
        for pragma in [
            "auto_vacuum=FULL", "locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL", "cache_size=-256",
            "wal_autocheckpoint=512", "journal_size_limit=4194304",
        ] { try run("PRAGMA \(pragma)") }
        try check()
        try makeTables()
    }

    deinit { sqlite3_close(connection) }

    private func check() throws {
        var answer = ""
        try run("PRAGMA quick_check(1)") { answer = $0.text(0) }
        guard answer == "ok" else {
            throw Failure(code: SQLITE_CORRUPT, description: "its pages do not agree: \(answer)")
        }
        var version: Int64 = 0
        try run("PRAGMA user_version") { version = $0.integer(0) }
        guard version == 0 || version == Self.version else {
            throw Failure(
                code: SQLITE_NOTADB, description: "it is of format \(version), and this collector knows \(Self.version)"
            )
        }
    }

    private func makeTables() throws {
        try run(
            """
            CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY AUTOINCREMENT, export TEXT NOT NULL, key TEXT,
            created INTEGER NOT NULL, attempts INTEGER NOT NULL, next INTEGER NOT NULL, type TEXT NOT NULL,
            headers TEXT NOT NULL, body BLOB NOT NULL)
            """)
        try run("CREATE INDEX IF NOT EXISTS entry_by_export ON entry(export, id)")
        try run(
            """
            CREATE TABLE IF NOT EXISTS told(export TEXT NOT NULL, subject TEXT NOT NULL, bot TEXT NOT NULL,
            firing INTEGER NOT NULL, ended INTEGER NOT NULL, notice BLOB NOT NULL, PRIMARY KEY(export, subject, bot)) WITHOUT ROWID
            """)
        try makeClock()
        try run("PRAGMA user_version=\(Self.version)")
    }

    /// The queue's clock, see ``QueueClock``. Files of the same format were written without it: an older collector reads them on.
    private func makeClock() throws {
        try run(
            """
            CREATE TABLE IF NOT EXISTS clock(id INTEGER PRIMARY KEY CHECK(id = 1), boot TEXT NOT NULL,
            offset INTEGER NOT NULL, latest INTEGER NOT NULL)
            """)
        var hasDate = false
        try run("SELECT 1 FROM pragma_table_info('told') WHERE name = 'noted'") { _ in hasDate = true }
        if !hasDate { try run("ALTER TABLE told ADD COLUMN noted INTEGER NOT NULL DEFAULT 0") }
    }

    /// What an earlier collector kept of the queue's clock.
    func clockRecord() throws -> QueueClock.Record? {
        var record: QueueClock.Record?
        try run("SELECT boot, offset, latest FROM clock WHERE id = 1") {
            record = QueueClock.Record(bootID: $0.text(0), offset: $0.integer(1), latest: $0.integer(2))
        }
        return record
    }

    func save(_ record: QueueClock.Record) throws {
        try run(
            "INSERT OR REPLACE INTO clock(id, boot, offset, latest) VALUES(1, ?, ?, ?)",
            [.text(record.bootID), .integer(record.offset), .integer(record.latest)])
    }

    /// Does all of it or nothing.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Runs one statement, and calls `body` with each row of its answer.
    func run(_ sql: String, _ values: [Value] = [], _ body: (Row) -> Void = { _ in }) throws {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        defer { sqlite3_finalize(statement) }
        for (place, value) in values.enumerated() { try bind(value, Int32(place + 1), statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(Row(statement: statement))
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    /// Of the entry that was inserted last.
    var lastID: Int64 { sqlite3_last_insert_rowid(connection) }

    private func bind(_ value: Value, _ place: Int32, _ statement: OpaquePointer?) throws {
        let code: Int32
        switch value {
        case .integer(let value): code = sqlite3_bind_int64(statement, place, value)
        case .null: code = sqlite3_bind_null(statement, place)
        case .text(var text):
            code = text.withUTF8 { ringside_sqlite_bind_text(statement, place, $0.baseAddress, Int32($0.count)) }
        case .bytes(let bytes):
            // A null pointer would be NULL, and an empty body is none.
            code = bytes.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(statement, place, 0)
                    : ringside_sqlite_bind_blob(statement, place, $0.baseAddress, Int32($0.count))
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, description: String(cString: sqlite3_errmsg(connection)))
    }
}
