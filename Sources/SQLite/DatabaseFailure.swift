internal import CSQLite

/// The reason why a database could not be read or written.
package struct DatabaseFailure: Error, CustomStringConvertible {
    /// SQLite's [extended result code](https://www.sqlite.org/rescode.html).
    private let code: Int32
    package let description: String

    init(code: Int32, description: String) {
        self.code = code
        self.description = description
    }

    /// Describes an obstacle that SQLite itself does not report.
    package init(obstacle description: String) { self.init(code: SQLITE_OK, description: description) }

    /// Describes bytes that SQLite accepts but their reader does not.
    package init(damage description: String) { self.init(code: SQLITE_CORRUPT, description: description) }

    /// Describes a read that ended early because its answer is no longer wanted.
    package init(interruption description: String) { self.init(code: SQLITE_INTERRUPT, description: description) }

    /// Whether the file itself is bad and should be set aside. An obstacle (a full disk, a missing permission, a lock)
    /// is not damage: the same file can be used once the obstacle is gone.
    package var isDamage: Bool {
        let damages = [
            SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA, SQLITE_ERROR, SQLITE_CONSTRAINT,
            SQLITE_MISMATCH,
            SQLITE_TOOBIG,
        ]
        return damages.contains(code & 0xFF) || code == Self.shortRead
    }

    /// Whether another process has the file locked.
    package var isLock: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code & 0xFF) }

    /// SQLITE_IOERR_SHORT_READ, a macro that Swift does not import: the file ends before its pages do.
    private static let shortRead = SQLITE_IOERR | 2 << 8
}
