internal import Series
package import Platform
package import Configuration
internal import Drain
package import SQLite
import Synchronization

/// The queues of all destinations and their last alert notices, in one file, so that both change in one transaction.
///
/// May be used from any thread. Each call is one short transaction, and calls wait for each other. The file is separate
/// from the state, so that damage to it never affects the totals.
package final class DeliveryStore: @unchecked Sendable {
    // Unchecked: the database and the levels are used with the lock held.
    private let database: Database
    private let clock: QueueClock
    private var levels: [String: Level] = [:]
    private let lock = Mutex(())
    /// The path of the file; nil in memory.
    package let path: String?

    /// How full a queue is.
    package struct Level: Equatable, Sendable {
        package var entries = 0
        /// Bytes of the bodies.
        package var bytes = 0
    }

    /// The last notice to a destination about a subject. The store does not interpret the notice.
    struct StoredNotice: Equatable, Sendable {
        var subject: String
        var bot: String
        var isFiring: Bool
        /// 0 while it fires.
        var endUnixNanoseconds: Int64
        var notice: [UInt8]
    }

    /// The changes of one destination in one step.
    package struct Change: Sendable {
        var entries: [DeliveryEntry] = []
        var notices: [StoredNotice] = []
        /// Keys of entries that are no longer worth sending.
        var droppedKeys: [String] = []
        package init(entries: [DeliveryEntry] = []) { self.entries = entries }
    }

    /// - Parameters:
    ///   - path: Nil keeps everything in memory.
    ///   - bootID: The machine's current boot.
    package init(path: String?, time: TimeSource = .system, bootID: String? = nil) throws(DatabaseFailure) {
        self.path = path
        database = try DeliverySchema.open(path: path)
        var newest: Int64?
        try database.run("SELECT max(created) FROM entry HAVING count(*) > 0") { newest = $0.integer(0) }
        clock = QueueClock(
            try database.clockRecord(), newest: newest, bootID: bootID ?? QueueClock.currentBootID(), time: time)
        try database.run("SELECT export, count(*), sum(length(body)) FROM entry GROUP BY export") {
            levels[$0.text(0)] = Level(entries: Int($0.integer(1)), bytes: Int($0.integer(2)))
        }
        try bound()
    }

    /// Corrects impossible times. No entry was queued after now, and none waits longer than the longest Retry-After.
    private func bound() throws(DatabaseFailure) {
        let now = clock.now
        let latestDue = now + DeliveryWorker.longestRetryAfterSeconds * 1_000_000_000
        try database.transaction { () throws(DatabaseFailure) in
            try database.run("UPDATE entry SET created = ?1 WHERE created > ?1", [.integer(now)])
            try database.run("UPDATE entry SET next = ?1 WHERE next > ?1", [.integer(latestDue)])
            try database.run("UPDATE told SET noted = ?1 WHERE noted = 0 OR noted > ?1", [.integer(now)])
            try database.save(clock.record)
        }
    }

    /// The time on the queue's clock, see ``QueueClock``.
    package var now: Int64 { clock.now }

    package func level(of export: String) -> Level { lock.withLock { _ in levels[export] ?? Level() } }

    /// Adds to a queue. Drops its oldest entries if it becomes too long.
    ///
    /// - Parameter sparing: The entry that is being sent, which is not dropped.
    /// - Returns: How many entries were dropped for lack of space, including new ones that exceed the whole queue.
    package func apply(
        _ change: Change, to export: String, bounds: QueueBounds, sparing: Int64?
    ) throws(DatabaseFailure) -> Int {
        try lock.withLock { _ throws(DatabaseFailure) in
            let before = levels[export] ?? Level()
            let now = clock.now
            do throws(DatabaseFailure) {
                return try database.transaction { () throws(DatabaseFailure) in
                    for key in change.droppedKeys + change.entries.compactMap(\.key) { try remove(key: key, export) }
                    var dropped = 0
                    for entry in change.entries {
                        if entry.body.count > bounds.maximumBytes {
                            dropped += 1
                        } else {
                            try insert(entry, export, now)
                        }
                    }
                    for notice in change.notices { try save(notice, export, now) }
                    try database.save(clock.record)
                    return try dropped + makeRoom(export, bounds, sparing)
                }
            } catch {
                levels[export] = before
                throw error
            }
        }
    }

    /// Returns the entry to send next; nil if none waits.
    func head(of export: String) throws(DatabaseFailure) -> QueuedEntry? {
        try lock.withLock { _ throws(DatabaseFailure) in
            var head: QueuedEntry?
            try database.run(
                "SELECT id, created, attempts, next, type, headers, body, key FROM entry WHERE export = ? ORDER BY id LIMIT 1",
                [.text(export)]
            ) { row in
                head = QueuedEntry(
                    id: row.integer(0), createdNanoseconds: row.integer(1), attempts: row.integer(2),
                    nextNanoseconds: row.integer(3),
                    entry: DeliveryEntry(
                        body: row.blob(6), contentType: row.text(4), headers: Self.headers(row.text(5)),
                        key: row.text(7).isEmpty ? nil : row.text(7)))
            }
            return head
        }
    }

    /// Records a failed attempt, and how long to wait before the next.
    func postpone(_ id: Int64, attempts: Int64, pauseNanoseconds: Int64) throws(DatabaseFailure) {
        try lock.withLock { _ throws(DatabaseFailure) in
            try database.run(
                "UPDATE entry SET attempts = ?, next = ? WHERE id = ?",
                [.integer(attempts), .integer(clock.now + pauseNanoseconds), .integer(id)])
        }
    }

    func remove(_ id: Int64, of export: String) throws(DatabaseFailure) {
        try lock.withLock { _ throws(DatabaseFailure) in _ = try delete("id = ?", [.integer(id)], export) }
    }

    /// Removes entries that have waited longer than `ageSeconds`.
    ///
    /// - Returns: The number of removed entries.
    func expire(_ export: String, ageSeconds: Int64) throws(DatabaseFailure) -> Int {
        try lock.withLock { _ throws(DatabaseFailure) in
            guard levels[export]?.entries ?? 0 > 0 else { return 0 }
            return try delete("created < ?", [.integer(limit(ageSeconds))], export)
        }
    }

    /// Removes old entries of destinations that are no longer configured.
    func expireOthers(than names: Set<String>, ageSeconds: Int64) throws(DatabaseFailure) {
        for export in lock.withLock({ _ in levels.keys.filter { !names.contains($0) } }) {
            _ = try expire(export, ageSeconds: ageSeconds)
        }
    }

    /// Removes notices of alerts that ended so long ago that no restart can report them again.
    func forgetEndedNotices(ageSeconds: Int64) throws(DatabaseFailure) {
        try lock.withLock { _ throws(DatabaseFailure) in
            try database.run("DELETE FROM told WHERE firing = 0 AND noted < ?", [.integer(limit(ageSeconds))])
        }
    }

    /// Stores the clock's time, from which a collector continues after a reboot.
    func saveClock() throws(DatabaseFailure) {
        try lock.withLock { _ throws(DatabaseFailure) in try database.save(clock.record) }
    }

    private func limit(_ ageSeconds: Int64) -> Int64 {
        let (age, isTooLong) = ageSeconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .min : clock.now &- age
    }

    /// Returns the keys in a destination's queue.
    func keys(of export: String) throws(DatabaseFailure) -> Set<String> {
        try lock.withLock { _ throws(DatabaseFailure) in
            var keys: Set<String> = []
            try database.run("SELECT key FROM entry WHERE export = ? AND key IS NOT NULL", [.text(export)]) {
                keys.insert($0.text(0))
            }
            return keys
        }
    }

    /// Returns the stored notices, by destination.
    func sentNotices() throws(DatabaseFailure) -> [String: [StoredNotice]] {
        try lock.withLock { _ throws(DatabaseFailure) in
            var all: [String: [StoredNotice]] = [:]
            try database.run("SELECT export, subject, bot, firing, ended, notice FROM told") { row in
                all[row.text(0), default: []].append(
                    StoredNotice(
                        subject: row.text(1), bot: row.text(2), isFiring: row.integer(3) != 0,
                        endUnixNanoseconds: row.integer(4), notice: row.blob(5)))
            }
            return all
        }
    }
}

// Called with the lock held.
extension DeliveryStore {
    private func insert(_ entry: DeliveryEntry, _ export: String, _ now: Int64) throws(DatabaseFailure) {
        let headers = entry.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        try database.run(
            "INSERT INTO entry(export, key, created, attempts, next, type, headers, body) VALUES(?, ?, ?, 0, 0, ?, ?, ?)",
            [
                .text(export), entry.key.map { .text($0) } ?? .null, .integer(now), .text(entry.contentType),
                .text(headers), .blob(entry.body),
            ])
        levels[export, default: Level()].entries += 1
        levels[export, default: Level()].bytes += entry.body.count
    }

    private func save(_ row: StoredNotice, _ export: String, _ now: Int64) throws(DatabaseFailure) {
        try database.run(
            "INSERT OR REPLACE INTO told(export, subject, bot, firing, ended, notice, noted) VALUES(?, ?, ?, ?, ?, ?, ?)",
            [
                .text(export), .text(row.subject), .text(row.bot), .integer(row.isFiring ? 1 : 0),
                .integer(row.endUnixNanoseconds), .blob(row.notice), .integer(now),
            ])
    }

    private func remove(key: String, _ export: String) throws(DatabaseFailure) {
        try delete("key = ?", [.text(key)], export)
    }

    private func makeRoom(_ export: String, _ bounds: QueueBounds, _ sparing: Int64?) throws(DatabaseFailure) -> Int {
        var dropped = 0
        while let level = levels[export], level.bytes > bounds.maximumBytes {
            var oldest: Int64?
            try database.run(
                "SELECT id FROM entry WHERE export = ? AND id <> ? ORDER BY id LIMIT 1",
                [.text(export), .integer(sparing ?? 0)]
            ) { oldest = $0.integer(0) }
            guard let oldest else { break }
            dropped += try delete("id = ?", [.integer(oldest)], export)
        }
        return dropped
    }

    @discardableResult
    private func delete(
        _ condition: String, _ values: [Database.Value], _ export: String
    ) throws(DatabaseFailure) -> Int {
        var gone = Level()
        try database.run(
            "DELETE FROM entry WHERE export = ? AND \(condition) RETURNING length(body)", [.text(export)] + values
        ) {
            gone.entries += 1
            gone.bytes += Int($0.integer(0))
        }
        levels[export, default: Level()].entries -= gone.entries
        levels[export, default: Level()].bytes -= gone.bytes
        return gone.entries
    }

    private static func headers(_ text: String) -> [DeliveryEntry.Header] {
        text.split(separator: "\n").map { line in
            let name = line.prefix { $0 != ":" }
            return DeliveryEntry.Header(String(name), String(line.dropFirst(name.count + 2)))
        }
    }
}

extension ExportStatus {
    mutating func noteQueue(_ level: DeliveryStore.Level) {
        queuedEntries = UInt64(clamping: level.entries)
        queuedBytes = UInt64(clamping: level.bytes)
    }
}
