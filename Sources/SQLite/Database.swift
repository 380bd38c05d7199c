internal import CSQLite

/// A connection to an SQLite database, in a file or in memory. It is SQLite's C interface with typed throws.
///
/// Statements are kept prepared until the connection closes. Thread rule: one thread at a time.
package final class Database {
    package enum Access {
        /// Creates the file if it is missing.
        case readWrite
        case readOnly
    }

    /// A value for a parameter of a statement.
    package enum Value {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
        case null
    }

    private let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// - Parameters:
    ///   - path: The path of the file; nil keeps the database in memory.
    ///   - busyMilliseconds: How long a statement waits for a lock that another connection holds.
    package init(path: String?, access: Access = .readWrite, busyMilliseconds: Int32) throws(DatabaseFailure) {
        var connection: OpaquePointer?
        let flags =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            case .readOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
            }
        let code = sqlite3_open_v2(path ?? ":memory:", &connection, flags, nil)
        guard let connection else { throw DatabaseFailure(code: code, description: "SQLite has no memory") }
        self.connection = connection
        sqlite3_extended_result_codes(connection, 1)
        guard code == SQLITE_OK else { throw failure(code) }
        sqlite3_busy_timeout(connection, busyMilliseconds)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    /// Runs one statement and calls `body` with each row of its answer.
    package func run(
        _ sql: String, _ values: [Value] = [], _ body: (Row) throws(DatabaseFailure) -> Void = { _ in }
    ) throws(DatabaseFailure) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            // A bound blob would otherwise keep its memory until the statement runs again.
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            try body(Row(statement: statement))
        }
    }

    /// Returns the first column of the first row as an integer; nil if there is no row.
    package func integer(_ sql: String, _ values: [Value] = []) throws(DatabaseFailure) -> Int64? {
        var result: Int64?
        try run(sql, values) { row throws(DatabaseFailure) in if result == nil { result = row.integer(0) } }
        return result
    }

    /// Returns the first column of the first row as a text; nil if there is no row.
    package func text(_ sql: String) throws(DatabaseFailure) -> String? {
        var result: String?
        try run(sql) { row throws(DatabaseFailure) in if result == nil { result = row.text(0) } }
        return result
    }

    /// Runs `body` in a transaction. Everything that it writes is stored, or nothing.
    package func transaction<Result>(
        _ body: () throws(DatabaseFailure) -> Result
    ) throws(DatabaseFailure) -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back by itself, as on a full disk.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Checks that the pages of the file are consistent. Throws if they are not.
    ///
    /// Cost: reads the whole file, see [PRAGMA quick_check](https://www.sqlite.org/pragma.html#pragma_quick_check).
    package func checkPages() throws(DatabaseFailure) {
        let verdict = try text("PRAGMA quick_check(1)") ?? "no answer"
        guard verdict == "ok" else {
            throw DatabaseFailure(damage: "its pages are inconsistent: \(verdict)")
        }
    }

    /// Copies the whole database into another, and replaces the contents of that.
    ///
    /// The copy is one step that holds a read lock, which does not block a writer of a WAL file.
    package func backUp(to copy: Database) throws(DatabaseFailure) {
        guard let backup = sqlite3_backup_init(copy.connection, "main", connection, "main") else {
            throw copy.failure(sqlite3_errcode(copy.connection))
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw copy.failure(code) }
    }

    /// One row of an answer, valid until the next row. Columns count from 0.
    package struct Row {
        fileprivate let statement: OpaquePointer

        package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        package func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

        package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

        package func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

        package func blob(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }

    private func prepared(_ sql: String) throws(DatabaseFailure) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) throws(DatabaseFailure) {
        let code: Int32
        switch value {
        case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
        case .real(let number): code = sqlite3_bind_double(statement, index, number)
        case .null: code = sqlite3_bind_null(statement, index)
        case .text(var text):
            code = text.withUTF8 { ringside_sqlite_bind_text(statement, index, $0.baseAddress, Int32($0.count)) }
        case .blob(let bytes):
            // The null pointer of an empty array would bind NULL instead of an empty blob.
            code = bytes.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : ringside_sqlite_bind_blob(statement, index, $0.baseAddress, Int32($0.count))
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> DatabaseFailure {
        DatabaseFailure(code: code, description: String(cString: sqlite3_errmsg(connection)))
    }
}
