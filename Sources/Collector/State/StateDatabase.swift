internal import CSQLite
internal import Glibc

/// One SQLite file of entries, each with a number, a name and bytes: what checkpoints are written to.
///
/// It is in WAL mode with `synchronous=NORMAL`: each transaction is there whole or not at all whenever the process dies, and
/// the file is sound whenever the power fails, though the last transactions may then be missing. One process uses it at a time.
///
/// Thread rule: one thread at a time. Memory: 256 KiB of pages at most, beside SQLite's own 100 KiB.
final class StateDatabase {
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        let description: String

        /// Whether it says that the file's bytes make no sense, and not that something stands in the way of reading them.
        var isDamage: Bool {
            let obstacles = [
                SQLITE_PERM, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT, SQLITE_IOERR,
                SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_NOLFS, SQLITE_AUTH,
            ]
            return !obstacles.contains(code & 0xFF) || code == Self.shortRead
        }

        /// Whether another process has the file locked.
        var isLock: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code & 0xFF) }

        /// SQLITE_IOERR_SHORT_READ: the file ends before its pages do.
        private static let shortRead = SQLITE_IOERR | 2 << 8
    }

    struct Entry: Equatable {
        var id: Int64
        var name: String
        var value: [UInt8]
    }

    private static let smallestFile = 512
    private static let busyMilliseconds: Int32 = 2000
    private let path: String
    private let connection: OpaquePointer
    private var putting: OpaquePointer?
    private var removing: OpaquePointer?

    /// Opens the file, or makes an empty one. Nothing is written to it before the first transaction.
    ///
    /// - Parameter path: where its journal, `PATH-wal`, lies too.
    init(path: String) throws {
        self.path = path
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard let connection else { throw Failure(code: code, description: "SQLite gives no memory") }
        self.connection = connection
        sqlite3_extended_result_codes(connection, 1)
        guard code == SQLITE_OK else { throw failure(code) }
        // A reader that comes between two checkpoints may keep the first one after it waiting; the drain waits for neither.
        sqlite3_busy_timeout(connection, Self.busyMilliseconds)
        // Alone with the file, SQLite needs neither shared memory beside it nor a lock a transaction.
        for pragma in ["locking_mode=EXCLUSIVE", "synchronous=NORMAL", "cache_size=-256", "wal_autocheckpoint=512"] {
            try run("PRAGMA \(pragma)")
        }
    }

    /// The journal is taken into the file, unless the process is killed before.
    deinit {
        sqlite3_finalize(putting)
        sqlite3_finalize(removing)
        sqlite3_close(connection)
    }

    /// Every entry, once SQLite has looked whether the file is sound; none where it is new.
    ///
    /// - Throws: ``Failure``, whose `isDamage` says whether the file itself is bad.
    func entries() throws -> [Entry] {
        guard try text("PRAGMA quick_check(1)") == "ok" else {
            throw Failure(code: SQLITE_CORRUPT, description: "its pages do not agree with each other")
        }
        // Of less than a page SQLite says that it is empty.
        var status = stat()
        guard stat(path, &status) != 0 || status.st_size == 0 || status.st_size >= Self.smallestFile else {
            throw Failure(code: SQLITE_NOTADB, description: "it has \(status.st_size) bytes, less than a page")
        }
        guard try text("SELECT count(*) FROM sqlite_schema WHERE name = 'entry'") == "1" else { return [] }
        var entries: [Entry] = []
        try forEachRow("SELECT id, name, value FROM entry ORDER BY id") { row in
            entries.append(
                Entry(id: sqlite3_column_int64(row, 0), name: Self.text(row, 1), value: Self.bytes(row, 2)))
        }
        return entries
    }

    /// Writes entries, each in the place of the one with its number, after removing others, all or nothing.
    ///
    /// - Parameter ids: of those to remove; nil removes all.
    func write(_ entries: [Entry], removing ids: [Int64]?) throws {
        try prepare()
        try run("BEGIN IMMEDIATE")
        do {
            if ids == nil { try run("DELETE FROM entry") }
            for entry in entries { try put(entry) }
            for id in ids ?? [] { try remove(id) }
            try run("COMMIT")
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Once a connection; tried again after a failure.
    private func prepare() throws {
        guard putting == nil || removing == nil else { return }
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw Failure(code: SQLITE_CANTOPEN, description: "it cannot have a write-ahead log")
        }
        try run("CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value BLOB NOT NULL)")
        if putting == nil { putting = try statement("INSERT OR REPLACE INTO entry(id, name, value) VALUES(?, ?, ?)") }
        if removing == nil { removing = try statement("DELETE FROM entry WHERE id = ?") }
    }

    private func put(_ entry: Entry) throws {
        sqlite3_bind_int64(putting, 1, entry.id)
        var name = entry.name
        let code = name.withUTF8 { ringside_sqlite_bind_text(putting, 2, $0.baseAddress, Int32($0.count)) }
        guard code == SQLITE_OK else { throw failure(code) }
        try entry.value.withUnsafeBytes { bytes in
            let code = ringside_sqlite_bind_blob(putting, 3, bytes.baseAddress, Int32(bytes.count))
            guard code == SQLITE_OK else { throw failure(code) }
        }
        try step(putting)
    }

    private func remove(_ id: Int64) throws {
        sqlite3_bind_int64(removing, 1, id)
        try step(removing)
    }
}

/// SQLite's C interface in throws.
extension StateDatabase {
    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, description: "\(String(cString: sqlite3_errmsg(connection))) (SQLite \(code))")
    }

    private func statement(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        return statement
    }

    private func step(_ statement: OpaquePointer?) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    private func run(_ sql: String) throws { try forEachRow(sql) { _ in } }

    private func text(_ sql: String) throws -> String? {
        var text: String?
        try forEachRow(sql) { text = Self.text($0, 0) }
        return text
    }

    private func forEachRow(_ sql: String, _ body: (OpaquePointer?) -> Void) throws {
        let statement = try statement(sql)
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(statement)
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    private static func text(_ row: OpaquePointer?, _ column: Int32) -> String {
        String(decoding: bytes(row, column), as: UTF8.self)
    }

    private static func bytes(_ row: OpaquePointer?, _ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(row, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column))))
    }
}
