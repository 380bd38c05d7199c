/// The tables of a history.
///
/// - `series`: what each number stands for; `seen` is the last minute that it was written in.
/// - `minute`: what up to 64 series did in a minute of an hour that is not packed yet, as ``MinuteChunk``. A minute may have
///   several rows for a chunk, which add up: after a restart, and for records that came late.
/// - `hour`: one series over one packed hour, as ``HourBlock``, numbered by hour << 24 | series: rows are written and removed
///   at the ends of the table, and one is found by one look-up.
/// - `base`: the totals of a series up to what is packed; with the `minute` rows added they are the totals up to the last
///   minute written, from which a collector that is started again goes on.
/// - `retention_clock`: one row, as ``RetentionClock``. A file of before it has none.
///
/// Minutes are those that the wall clock showed when they were recorded. What comes for a minute that is there already, as after
/// the clock was set back, is added to it.
enum HistorySchema {
    /// "Rshi"
    static let applicationID: Int64 = 0x5273_6869
    /// 2 says of histograms how their values were weighted. Rows of 1 are read as they are, and stay so until they are packed
    /// anew.
    static let version: Int64 = 2
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
        CREATE TABLE IF NOT EXISTS retention_clock(id INTEGER PRIMARY KEY, confirmed INTEGER NOT NULL, \
        claimed INTEGER NOT NULL, held INTEGER NOT NULL)
        """,
    ]

    private static let seriesBits: Int64 = 24
    /// As many series as a history can hold.
    static let highestSeries: Int64 = 1 << seriesBits - 1

    static func hourID(hour: Int64, series: Int64) -> Int64 { hour << seriesBits | series }
    static func hour(ofID id: Int64) -> Int64 { id >> seriesBits }
    static func series(ofID id: Int64) -> Int64 { id & highestSeries }
}

extension HistoryConnection {
    /// Makes the tables of a new file, and refuses one that is no history.
    ///
    /// - Throws: a failure whose `isDamage` says whether the file is to be set aside.
    func prepareForWriting() throws(HistoryFailure) {
        // Both only change a file that has no table yet.
        try run("PRAGMA auto_vacuum=INCREMENTAL")
        guard try text("PRAGMA journal_mode=WAL") == "wal" else {
            throw HistoryFailure(code: 0, description: "it cannot have a write-ahead log")
        }
        for pragma in ["synchronous=NORMAL", "cache_size=-1024", "journal_size_limit=16777216"] {
            try run("PRAGMA \(pragma)")
        }
        try check(mayBeNew: true)
        try transaction { () throws(HistoryFailure) in
            for statement in HistorySchema.statements { try run(statement) }
            try run("PRAGMA application_id=\(HistorySchema.applicationID)")
            try run("PRAGMA user_version=\(HistorySchema.version)")
        }
    }

    /// Looks whether the file is a history that this version can read.
    func check(mayBeNew: Bool) throws(HistoryFailure) {
        let application = try integer("PRAGMA application_id") ?? 0
        let version = try integer("PRAGMA user_version") ?? 0
        let tables = try integer("SELECT count(*) FROM sqlite_schema") ?? 0
        if mayBeNew, tables == 0 { return }
        guard application == HistorySchema.applicationID, HistorySchema.readableVersions.contains(version) else {
            throw HistoryFailure(
                HistoryDamage(
                    application == HistorySchema.applicationID
                        ? "it is of format \(version), and this version knows \(HistorySchema.version)"
                        : "it is no history of ringside"))
        }
    }
}
