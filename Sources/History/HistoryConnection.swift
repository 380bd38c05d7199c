internal import CSQLite

/// SQLite's C interface in throws. Thread rule: one thread at a time.
final class HistoryConnection {
    let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    enum Mode {
        /// Makes the file where it is missing.
        case writing
        case reading
    }

    init(path: String, mode: Mode) throws(HistoryFailure) {
        var handle: OpaquePointer?
        let flags =
            switch mode {
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            case .reading: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
            }
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else { throw HistoryFailure(code: code, description: "SQLite gives no memory") }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        guard code == SQLITE_OK else { throw failure(code) }
        // A reader of the live file, and a backup, may hold a lock for a moment.
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func failure(_ code: Int32) -> HistoryFailure {
        HistoryFailure(code: code, description: String(cString: sqlite3_errmsg(handle)))
    }

    /// A value of a row or of a statement's place.
    enum Value {
        case integer(Int64)
        case text(String)
        case blob([UInt8])
    }

    /// Runs a statement, which is kept prepared, and calls `body` with each row.
    func run(
        _ sql: String, _ values: [Value] = [], _ body: (Row) throws(HistoryFailure) -> Void = { _ in }
    ) throws(HistoryFailure) {
        let statement = try prepared(sql)
        defer { sqlite3_reset(statement) }
        for (place, value) in values.enumerated() { try bind(value, at: Int32(place + 1), of: statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            try body(Row(statement: statement))
        }
    }

    /// The first column of the first row; nil where there is none.
    func integer(_ sql: String, _ values: [Value] = []) throws(HistoryFailure) -> Int64? {
        var result: Int64?
        try run(sql, values) { row throws(HistoryFailure) in if result == nil { result = row.integer(0) } }
        return result
    }

    func text(_ sql: String) throws(HistoryFailure) -> String? {
        var result: String?
        try run(sql) { row throws(HistoryFailure) in if result == nil { result = row.text(0) } }
        return result
    }

    /// All or nothing.
    func transaction(_ body: () throws(HistoryFailure) -> Void) throws(HistoryFailure) {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            // SQLite may have rolled back by itself, as it does where the disk is full.
            try? run("ROLLBACK")
            throw error
        }
    }

    struct Row {
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

        func blob(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }

    private func prepared(_ sql: String) throws(HistoryFailure) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, at place: Int32, of statement: OpaquePointer) throws(HistoryFailure) {
        let code: Int32
        switch value {
        case .integer(let number): code = sqlite3_bind_int64(statement, place, number)
        case .text(var text):
            code = text.withUTF8 { ringside_sqlite_bind_text(statement, place, $0.baseAddress, Int32($0.count)) }
        case .blob(let bytes):
            code = bytes.withUnsafeBytes {
                ringside_sqlite_bind_blob(statement, place, $0.baseAddress, Int32($0.count))
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }
}

/// Why a history could not be read or written.
package struct HistoryFailure: Error, CustomStringConvertible {
    package let code: Int32
    package let description: String

    init(code: Int32, description: String) {
        self.code = code
        self.description = description
    }

    /// Whoever asked has left, or the collector ends.
    static let notWanted = HistoryFailure(code: SQLITE_INTERRUPT, description: "the answer is not wanted any more")

    init(_ damage: HistoryDamage) { self.init(code: SQLITE_CORRUPT, description: damage.description) }

    /// Whether the file's bytes make no sense: it is to be set aside. What stands in the way of reading and writing is none of
    /// that: a full disk, a missing right, a lock.
    package var isDamage: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }
}
