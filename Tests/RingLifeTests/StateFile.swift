import CSQLite
import Collector
import Drain
import Glibc

/// A state file that a test damages. It gives the entries in the form in which SQLite stores them.
struct StateFile {
    let path: String

    struct Entry {
        var id: Int64
        var name: String
        var value: [UInt8]
        /// The value without the checksum behind it.
        var content: [UInt8] { Array(value.dropLast(4)) }
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the entries, without the one that holds the checksum of all others.
    func entries() throws -> [Entry] {
        var entries: [Entry] = []
        try run("SELECT id, name, value FROM entry WHERE id > 1 ORDER BY id") { row in
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(row, 2), count: Int(sqlite3_column_bytes(row, 2)))
            entries.append(
                Entry(
                    id: sqlite3_column_int64(row, 0), name: String(cString: sqlite3_column_text(row, 1)),
                    value: Array(bytes)))
        }
        return entries
    }

    /// Replaces an entry's name or value, and leaves its checksum unchanged.
    func put(_ entry: Entry) throws {
        let value = entry.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try run("UPDATE entry SET name = '\(entry.name)', value = x'\(value)' WHERE id = \(entry.id)")
    }

    /// Replaces an entry's content, as a collector would have written it: all checksums fit.
    func forge(_ entry: Entry, content: [UInt8]) throws {
        var forged = entry
        forged.value = StateFormat.sealed(name: entry.name, content)
        try put(forged)
        var head: [UInt8] = []
        try run("SELECT value FROM entry WHERE id = 1") { row in
            head = Array(
                UnsafeRawBufferPointer(start: sqlite3_column_blob(row, 0), count: Int(sqlite3_column_bytes(row, 0))))
        }
        var known = try StateFormat.Head(StateFormat.opened(name: "state", head))
        known.sum = try entries().reduce(0) { $0 &+ StateFormat.share(id: $1.id, $1.value) }
        try put(Entry(id: 1, name: "state", value: StateFormat.sealed(name: "state", known.bytes)))
    }

    func remove(_ entry: Entry) throws { try run("DELETE FROM entry WHERE id = \(entry.id)") }

    private func run(_ sql: String, _ body: (OpaquePointer?) -> Void = { _ in }) throws {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK
        else { throw Refused(description: String(cString: sqlite3_errmsg(connection))) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(statement)
            case SQLITE_DONE: return
            default: throw Refused(description: String(cString: sqlite3_errmsg(connection)))
            }
        }
    }
}
