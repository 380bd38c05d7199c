package import Drain
internal import RingReader

/// Checkpoints as entries of a database: writes what changed, and reads all of it back.
///
/// Thread rule: one thread at a time.
package final class StateStore {
    private let database: StateDatabase
    /// What lies in the database, by name.
    private var known: [String: (id: Int64, share: UInt64)] = [:]
    private var lastID = StateFormat.headID
    private var sum: UInt64 = 0

    package init(path: String) throws { database = try StateDatabase(path: path) }

    // MARK: Reading

    /// Reads everything; nil where nothing was ever written.
    ///
    /// - Throws: ``StateDamage``, or ``StateDatabase/Failure``.
    package func load() throws -> SavedState? {
        let entries = try database.entries()
        guard let first = entries.first else { return nil }
        guard first.id == StateFormat.headID, first.name == StateFormat.headName else {
            throw StateDamage("its first entry is missing")
        }
        let head = try StateFormat.Head(StateFormat.opened(name: first.name, first.value))
        var saved = SavedState(bootID: head.bootID)
        saved.wasClosed = head.wasClosed
        for entry in entries.dropFirst() {
            try decode(entry, into: &saved)
            note(entry)
        }
        guard UInt64(entries.count - 1) == head.count, known.count == entries.count - 1, sum == head.sum else {
            throw StateDamage("entries are missing, or older than others")
        }
        return saved
    }

    private func decode(_ entry: StateDatabase.Entry, into saved: inout SavedState) throws {
        var decoder = StateDecoder(try StateFormat.opened(name: entry.name, entry.value))
        switch entry.name.prefix(while: { $0 != " " }) {
        case "ring": saved.rings.append(try decoder.ring())
        case "bot": saved.bots.append(try decoder.bot())
        case "series": saved.series.append(try decoder.series())
        case "objective": saved.objectives.append(try decoder.objective())
        case "alert": saved.alerts.append(try decoder.alert())
        case "process": saved.processes.append(try decoder.process())
        case "past": saved.pastRings = try decoder.array { try $0.identifier() }
        default: throw StateDamage("the entry \(entry.name.debugDescription) is none")
        }
        guard decoder.isAtEnd else { throw StateDamage("the entry \(entry.name.debugDescription) is too long") }
    }

    private func note(_ entry: StateDatabase.Entry) {
        let share = StateFormat.share(id: entry.id, entry.value)
        let before = known.updateValue((entry.id, share), forKey: entry.name)
        sum = sum &+ share &- (before?.share ?? 0)
        lastID = max(lastID, entry.id)
    }

    // MARK: Writing

    /// Writes a checkpoint in one transaction. Where that fails, what is written is not known: the next one must be full.
    package func write(_ checkpoint: Checkpoint) throws {
        if checkpoint.isFull { (known, sum) = ([:], 0) }
        var entries: [StateDatabase.Entry] = []
        for ring in checkpoint.rings { entries.append(entry("ring \(ring.name)") { $0.write(ring) }) }
        for bot in checkpoint.bots { entries.append(entry("bot \(bot.name)") { $0.write(bot) }) }
        for series in checkpoint.series {
            entries.append(entry("series \(series.bot) \(series.key)") { $0.write(series) })
        }
        for objective in checkpoint.objectives {
            entries.append(entry("objective \(objective.bot) \(objective.objective)") { $0.write(objective) })
        }
        for alert in checkpoint.alerts {
            entries.append(entry("alert \(alert.snapshot.bot) \(alert.snapshot.alert)") { $0.write(alert) })
        }
        for process in checkpoint.processes {
            entries.append(entry("process \(process.bot)") { $0.write(process) })
        }
        if let past = checkpoint.pastRings {
            entries.append(entry("past") { $0.write(past) { $0.write($1) } })
        }
        let removed = remove(checkpoint)
        let head = StateFormat.Head(
            wasClosed: checkpoint.isLast, unixNanoseconds: checkpoint.unixNanoseconds, bootID: checkpoint.bootID,
            count: UInt64(known.count), sum: sum)
        entries.append(
            StateDatabase.Entry(
                id: StateFormat.headID, name: StateFormat.headName,
                value: StateFormat.sealed(name: StateFormat.headName, head.bytes)))
        try database.write(entries, removing: checkpoint.isFull ? nil : removed)
    }

    private func entry(_ name: String, _ body: (inout StateEncoder) -> Void) -> StateDatabase.Entry {
        var encoder = StateEncoder()
        body(&encoder)
        let id = known[name]?.id ?? lastID + 1
        let entry = StateDatabase.Entry(
            id: id, name: name, value: StateFormat.sealed(name: name, encoder.bytes))
        note(entry)
        return entry
    }

    private func remove(_ checkpoint: Checkpoint) -> [Int64] {
        let names =
            checkpoint.removedObjectives.map { "objective \($0.bot) \($0.key)" }
            + checkpoint.removedAlerts.map { "alert \($0.bot) \($0.key)" }
            + checkpoint.removedRings.map { "ring \($0)" }
            + checkpoint.removedSeries.map { "series \($0.bot) \($0.key)" }
        return names.compactMap { name in
            guard let gone = known.removeValue(forKey: name) else { return nil }
            sum &-= gone.share
            return gone.id
        }
    }
}
