internal import SQLite

/// The tables of a history.
///
/// - `series`: the meaning of each number; `seen` is the last minute in which it was written.
/// - `minute`: the values of up to 64 series in a minute of an hour that is not packed yet, as ``MinuteChunk``. A chunk
///   may have several rows for a minute, which add up: after a restart, and for late records.
/// - `hour`: one series over one packed hour, as ``HourBlock``. Its id is hour << 24 | series, so that rows are added
///   and removed at the ends of the table, and one look-up finds a row.
/// - `base`: the totals of a series over its packed minutes. With the `minute` rows added, they are the totals up to
///   the last stored minute, from which a restarted collector continues.
/// - `alert`: each firing of an alert of a bot, as ``AlertEpisode``; `ended` is null while it fires. Missing in older
///   files.
/// - `retention_clock`: one row, as ``RetentionClock``. Missing in older files.
///
/// Minutes are those of the wall clock at the time of recording. A value for an existing minute, as after the clock was
/// set back, is added to it.
enum HistorySchema {
    /// "Rshi"
    static let applicationID: Int64 = 0x5273_6869
    /// Version 2 stores the weights of histogram values. Rows of version 1 are read as they are, and stay until they
    /// are packed anew.
    static let version: Int64 = 2
    /// A reader of the live file, or a backup, may hold a lock for a moment.
    static let busyMilliseconds: Int32 = 5000
    static let readableVersions: ClosedRange<Int64> = 1...version

    static let statements = [
        """
        CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, bot TEXT NOT NULL, name TEXT NOT NULL, \
        labels TEXT NOT NULL, bot_labels TEXT NOT NULL, lane TEXT NOT NULL, kind TEXT NOT NULL, unit TEXT NOT NULL, \
        help TEXT NOT NULL, seen INTEGER NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS minute(id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, minute INTEGER NOT NULL, \
        body BLOB NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS minute_by_chunk ON minute(chunk, minute)",
        "CREATE TABLE IF NOT EXISTS hour(id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        "CREATE TABLE IF NOT EXISTS base(series INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS alert(id INTEGER PRIMARY KEY, alert TEXT NOT NULL, bot TEXT NOT NULL, \
        severity TEXT NOT NULL, condition TEXT NOT NULL, value REAL, began INTEGER NOT NULL, ended INTEGER, \
        reason TEXT NOT NULL)
        """,
        "CREATE UNIQUE INDEX IF NOT EXISTS alert_by_beginning ON alert(began, alert, bot)",
        "CREATE INDEX IF NOT EXISTS alert_that_fires ON alert(id) WHERE ended IS NULL",
        """
        CREATE TABLE IF NOT EXISTS retention_clock(id INTEGER PRIMARY KEY, confirmed INTEGER NOT NULL, \
        claimed INTEGER NOT NULL, held INTEGER NOT NULL)
        """,
    ]

    private static let seriesBits: Int64 = 24
    /// The highest number of a series. Numbers are not used again, even if their series is removed.
    static let highestSeries: Int64 = 1 << seriesBits - 1

    static func hourID(hour: Int64, series: Int64) -> Int64 { hour << seriesBits | series }
    static func hour(ofID id: Int64) -> Int64 { id >> seriesBits }
    static func series(ofID id: Int64) -> Int64 { id & highestSeries }
}

extension Database {
    /// Creates the tables of a new file, and refuses a file that is not a history.
    ///
    /// - Throws: a failure whose `isDamage` says whether to set the file aside.
    func prepareForWriting() throws(HistoryFailure) {
        // This affects only a file without tables.
        try run("PRAGMA auto_vacuum=INCREMENTAL")
        // The journal mode is stored in the file, so a file that is not a history must not get that far.
        try check(mayBeNew: true)
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw HistoryFailure(obstacle: "it cannot have a write-ahead log")
        }
        for pragma in ["synchronous=NORMAL", "cache_size=-1024", "journal_size_limit=16777216"] {
            try run("PRAGMA \(pragma)")
        }
        try transaction { () throws(HistoryFailure) in
            for statement in HistorySchema.statements { try run(statement) }
            try run("PRAGMA application_id=\(HistorySchema.applicationID)")
            try run("PRAGMA user_version=\(HistorySchema.version)")
        }
    }

    /// Checks that the file is a history that this version can read.
    func check(mayBeNew: Bool) throws(HistoryFailure) {
        let application = try integer("PRAGMA application_id") ?? 0
        let version = try integer("PRAGMA user_version") ?? 0
        let tables = try integer("SELECT count(*) FROM sqlite_schema") ?? 0
        if mayBeNew, tables == 0 { return }
        guard application == HistorySchema.applicationID, HistorySchema.readableVersions.contains(version) else {
            throw HistoryFailure(
                HistoryDamage(
                    application == HistorySchema.applicationID
                        ? "it has format \(version); this version reads \(HistorySchema.version)"
                        : "it is not a history of ringside"))
        }
    }

    /// Returns the first packed hour at or after an hour; nil if there is none.
    func packedHour(from hour: Int64) throws(HistoryFailure) -> Int64? {
        try integer(
            "SELECT id FROM hour WHERE id >= ? ORDER BY id LIMIT 1",
            [.integer(HistorySchema.hourID(hour: hour, series: 0))]
        ).map { HistorySchema.hour(ofID: $0) }
    }
}
