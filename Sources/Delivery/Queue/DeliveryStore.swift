internal import Series
package import Platform
package import Configuration
internal import Drain
internal import FoundationEssentials
import Synchronization

/// The queues of all destinations, and what each was told of alerts: in one file, and every change to both at once.
///
/// May be used from any thread; each call is one short transaction, and calls wait for each other. It is a file of its own
/// beside the state, so that whatever happens to it is none of the totals' business.
package final class DeliveryStore: @unchecked Sendable {
    // Unchecked: the database and the levels are touched with the lock held.
    private let database: DeliveryDatabase
    private let clock: QueueClock
    private var levels: [String: Level] = [:]
    private let lock = Mutex(())
    /// Where it lies; nil in memory.
    package let path: String?

    /// How full a queue is.
    package struct Level: Equatable, Sendable {
        package var entries = 0
        /// Of the bodies.
        package var bytes = 0
    }

    /// What becomes of one destination in one step.
    package struct Change: Sendable {
        var entries: [DeliveryEntry] = []
        var tellings: [DeliveredNotice] = []
        /// Keys whose entries are no longer worth sending.
        var droppedKeys: [String] = []
        package init(entries: [DeliveryEntry] = []) { self.entries = entries }
    }

    /// - Parameters:
    ///   - path: Nil keeps everything in memory.
    ///   - bootID: Of the machine's present boot.
    package init(path: String?, time: TimeSource = .system, bootID: String? = nil) throws {
        self.path = path
        database = try DeliveryDatabase(path: path)
        var newest: Int64?
        try database.run("SELECT max(created) FROM entry HAVING count(*) > 0") { newest = $0.integer(0) }
        clock = QueueClock(
            try database.clockRecord(), newest: newest, bootID: bootID ?? QueueClock.currentBootID(), time: time)
        try database.run("SELECT export, count(*), sum(length(body)) FROM entry GROUP BY export") {
            levels[$0.text(0)] = Level(entries: Int($0.integer(1)), bytes: Int($0.integer(2)))
        }
        try bound()
    }

    /// Brings times that cannot be into those that can: nothing was queued after now, and nothing waits for longer than any
    /// server may ask for.
    private func bound() throws {
        let now = clock.now
        let latestDue = now + DeliveryLane.longestRetryAfterSeconds * 1_000_000_000
        try database.transaction {
            try database.run("UPDATE entry SET created = ?1 WHERE created > ?1", [.integer(now)])
            try database.run("UPDATE entry SET next = ?1 WHERE next > ?1", [.integer(latestDue)])
            try database.run("UPDATE told SET noted = ?1 WHERE noted = 0 OR noted > ?1", [.integer(now)])
            try database.save(clock.record)
        }
    }

    /// The time by which entries wait and grow old, see ``QueueClock``.
    package var now: Int64 { clock.now }

    package func level(of export: String) -> Level { lock.withLock { _ in levels[export] ?? Level() } }

    /// Adds to a queue; where that makes it too long, its oldest entries go.
    ///
    /// - Parameter sparing: An entry that is being sent, which stays.
    /// - Returns: How many entries were dropped for want of room, new ones that are longer than the whole queue included.
    package func apply(
        _ change: Change, to export: String, bounds: QueueBounds, sparing: Int64?
    ) throws -> Int {
        try lock.withLock { _ in
            let before = levels[export] ?? Level()
            let now = clock.now
            do {
                return try database.transaction {
                    for key in change.droppedKeys + change.entries.compactMap(\.key) { try remove(key: key, export) }
                    var dropped = 0
                    for entry in change.entries {
                        if entry.body.count > bounds.maximumBytes {
                            dropped += 1
                        } else {
                            try insert(entry, export, now)
                        }
                    }
                    for telling in change.tellings { try save(telling, export, now) }
                    try database.save(clock.record)
                    return try dropped + makeRoom(export, bounds, sparing)
                }
            } catch {
                levels[export] = before
                throw error
            }
        }
    }

    /// The entry that is sent next; nil where none waits.
    func head(of export: String) throws -> QueuedEntry? {
        try lock.withLock { _ in
            var head: QueuedEntry?
            try database.run(
                "SELECT id, created, attempts, next, type, headers, body, key FROM entry WHERE export = ? ORDER BY id LIMIT 1",
                [.text(export)]
            ) { row in
                head = QueuedEntry(
                    id: row.integer(0), createdNanoseconds: row.integer(1), attempts: row.integer(2),
                    nextNanoseconds: row.integer(3),
                    entry: DeliveryEntry(
                        body: row.bytes(6), contentType: row.text(4), headers: Self.headers(row.text(5)),
                        key: row.text(7).isEmpty ? nil : row.text(7)))
            }
            return head
        }
    }

    /// Records an attempt that failed, and how long to wait before the next.
    func postpone(_ id: Int64, attempts: Int64, pauseNanoseconds: Int64) throws {
        try lock.withLock { _ in
            try database.run(
                "UPDATE entry SET attempts = ?, next = ? WHERE id = ?",
                [.integer(attempts), .integer(clock.now + pauseNanoseconds), .integer(id)])
        }
    }

    func remove(_ id: Int64, of export: String) throws {
        try lock.withLock { _ in _ = try delete("id = ?", [.integer(id)], export) }
    }

    /// Drops what has waited for longer.
    ///
    /// - Returns: How many entries that was.
    func expire(_ export: String, ageSeconds: Int64) throws -> Int {
        try lock.withLock { _ in
            guard levels[export]?.entries ?? 0 > 0 else { return 0 }
            return try delete("created < ?", [.integer(limit(ageSeconds))], export)
        }
    }

    /// Drops what waits for destinations that nobody speaks of any more.
    func expireOthers(than names: Set<String>, ageSeconds: Int64) throws {
        for export in lock.withLock({ _ in levels.keys.filter { !names.contains($0) } }) {
            _ = try expire(export, ageSeconds: ageSeconds)
        }
    }

    /// Forgets what was told of what ended so long ago that no restart can show it again.
    func forgetTellings(ageSeconds: Int64) throws {
        try lock.withLock { _ in
            try database.run("DELETE FROM told WHERE firing = 0 AND noted < ?", [.integer(limit(ageSeconds))])
        }
    }

    /// Writes down how late it is, which a collector after a reboot goes on from.
    func saveClock() throws { try lock.withLock { _ in try database.save(clock.record) } }

    private func limit(_ ageSeconds: Int64) -> Int64 {
        let (age, isTooLong) = ageSeconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .min : clock.now &- age
    }

    /// The keys of what waits for a destination.
    func keys(of export: String) throws -> Set<String> {
        try lock.withLock { _ in
            var keys: Set<String> = []
            try database.run("SELECT key FROM entry WHERE export = ? AND key IS NOT NULL", [.text(export)]) {
                keys.insert($0.text(0))
            }
            return keys
        }
    }

    /// All that destinations were told, by destination.
    func tellings() throws -> [String: [DeliveredNotice]] {
        try lock.withLock { _ in
            var all: [String: [DeliveredNotice]] = [:]
            try database.run("SELECT export, firing, notice FROM told") { row in
                guard let notice = try? JSONDecoder().decode(Notice.self, from: Data(row.bytes(2))) else { return }
                all[row.text(0), default: []].append(DeliveredNotice(notice: notice, isFiring: row.integer(1) != 0))
            }
            return all
        }
    }
}

// With the lock held.
extension DeliveryStore {
    private func insert(_ entry: DeliveryEntry, _ export: String, _ now: Int64) throws {
        let headers = entry.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        try database.run(
            "INSERT INTO entry(export, key, created, attempts, next, type, headers, body) VALUES(?, ?, ?, 0, 0, ?, ?, ?)",
            [
                .text(export), entry.key.map { .text($0) } ?? .null, .integer(now), .text(entry.contentType),
                .text(headers), .bytes(entry.body),
            ])
        levels[export, default: Level()].entries += 1
        levels[export, default: Level()].bytes += entry.body.count
    }

    private func save(_ telling: DeliveredNotice, _ export: String, _ now: Int64) throws {
        let notice = [UInt8](try JSONEncoder().encode(telling.notice))
        try database.run(
            "INSERT OR REPLACE INTO told(export, subject, bot, firing, ended, notice, noted) VALUES(?, ?, ?, ?, ?, ?, ?)",
            [
                .text(export), .text(telling.notice.subject), .text(telling.notice.bot),
                .integer(telling.isFiring ? 1 : 0), .integer(telling.notice.endsUnixNanoseconds ?? 0), .bytes(notice),
                .integer(now),
            ])
    }

    private func remove(key: String, _ export: String) throws {
        try delete("key = ?", [.text(key)], export)
    }

    private func makeRoom(_ export: String, _ bounds: QueueBounds, _ sparing: Int64?) throws -> Int {
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
    private func delete(_ condition: String, _ values: [DeliveryDatabase.Value], _ export: String) throws -> Int {
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
