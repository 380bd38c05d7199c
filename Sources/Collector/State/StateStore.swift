package import Drain
internal import Series
internal import RingReader

/// Stores checkpoints as entries of a database: writes the entries that changed, and reads all of them back.
///
/// Thread rule: one thread at a time.
package final class StateStore {
    private let database: StateDatabase
    /// The entries in the database, by name.
    private var known: [ByteText: (id: Int64, share: UInt64)] = [:]
    private var lastID = StateFormat.headID
    private var sum: UInt64 = 0
    /// Entries are numbered consecutively. No collector reaches this number.
    private static let greatestID: Int64 = 1 << 60

    /// The numbers of refused entries, which the next checkpoint removes.
    private var refusedIDs: [Int64] = []
    private(set) var refused: [StateReading.Refused] = []
    /// The part of an earlier state that was refused; nil if none was.
    package internal(set) var setAside: StateSetAside?

    package init(path: String) throws { database = try StateDatabase(path: path) }

    // MARK: Reading

    /// Reads the state. Returns nil if nothing was ever written. Entries that cannot be trusted are left out and listed
    /// in `refused`.
    ///
    /// - Parameter suspects: Bots whose state is not restored.
    /// - Returns: the stored state, and the bots that have totals that start from zero.
    /// - Throws: ``StateDamage`` if nothing can be trusted, or `DatabaseFailure`.
    func load(suspects: Set<String> = []) throws -> (saved: SavedState, begunAnew: Set<String>)? {
        let entries = try database.entries()
        guard let first = entries.first else { return nil }
        guard first.id == StateFormat.headID, first.name == StateFormat.headName else {
            throw StateDamage("its first entry is missing")
        }
        let head = try StateFormat.Head(StateFormat.opened(name: first.name, first.value))
        var saved = SavedState(bootID: head.bootID)
        saved.wasClosed = head.wasClosed
        saved.ruleMoment = head.ruleMoment
        var reading = StateReading(suspects: suspects)
        for entry in entries.dropFirst() {
            guard entry.id < Self.greatestID else { throw StateDamage("the number of an entry is not valid") }
            reading.take(entry)
            note(entry)
        }
        // A matching sum shows that no entry is older than the others, unless one is damaged.
        let isSumRight = sum == head.sum || !reading.refused.isEmpty
        guard UInt64(entries.count - 1) == head.count, known.count == entries.count - 1, isSumRight else {
            throw StateDamage("entries are missing, or older than others")
        }
        let begunAnew = try reading.finish(&saved)
        refused = reading.refused
        for entry in refused.map(\.entry) {
            refusedIDs.append(entry.id)
            if let gone = known.removeValue(forKey: ByteText(entry.name)) { sum &-= gone.share }
        }
        return (saved, begunAnew)
    }

    private func note(_ entry: StateDatabase.Entry) {
        let share = StateFormat.share(id: entry.id, entry.value)
        let before = known.updateValue((entry.id, share), forKey: ByteText(entry.name))
        sum = sum &+ share &- (before?.share ?? 0)
        lastID = max(lastID, entry.id)
    }

    // MARK: Writing

    /// Writes a checkpoint in one transaction. After a failure the contents are unknown, so the next checkpoint must be
    /// full.
    package func write(_ checkpoint: Checkpoint) throws {
        if checkpoint.isFull { (known, sum) = ([:], 0) }
        var entries = checkpoint.items.map(entry)
        let removed = remove(checkpoint)
        let head = StateFormat.Head(
            wasClosed: checkpoint.isLast, unixNanoseconds: checkpoint.unixNanoseconds, bootID: checkpoint.bootID,
            ruleMoment: checkpoint.ruleMoment, count: UInt64(known.count), sum: sum)
        entries.append(
            StateDatabase.Entry(
                id: StateFormat.headID, name: StateFormat.headName,
                value: StateFormat.sealed(name: StateFormat.headName, head.bytes)))
        try database.write(entries, removing: checkpoint.isFull ? nil : removed + refusedIDs)
        refusedIDs = []
    }

    private func entry(_ item: StateItem) -> StateDatabase.Entry {
        let name = item.name
        let id = known[ByteText(name)]?.id ?? lastID + 1
        let entry = StateDatabase.Entry(id: id, name: name, value: StateFormat.sealed(name: name, item.bytes))
        note(entry)
        return entry
    }

    private func remove(_ checkpoint: Checkpoint) -> [Int64] {
        checkpoint.removedNames.compactMap { name in
            guard let gone = known.removeValue(forKey: ByteText(name)) else { return nil }
            sum &-= gone.share
            return gone.id
        }
    }
}

extension Checkpoint {
    fileprivate var items: [StateItem] {
        let removed = Set(removedSeries)
        let levels = levels.filter { !removed.contains(Removed(bot: $0.bot, key: $0.key)) }
        var items: [StateItem] = rings.map { .ring($0) }
        items += bots.map { .bot($0) }
        items += series.map { .series($0) }
        items += changes.map { .changes($0) }
        items += levels.map { .levels($0) }
        items += objectives.map { .objective($0) }
        items += alerts.map { .alert($0) }
        items += silences.map { .silence($0) }
        items += processes.map { .process($0) }
        items += gone.map { .gone($0) }
        items += forgotten.map { .forgotten($0) }
        if let pastRings { items.append(.past(pastRings)) }
        return items
    }

    fileprivate var removedNames: [String] {
        removedObjectives.map { StateItem.name(.objective, $0.bot, $0.key) }
            + removedAlerts.map { StateItem.name(.alert, $0.bot, $0.key) }
            + removedSilences.map { StateItem.name(.silence, "\($0)") }
            + removedRings.map { StateItem.name(.ring, $0.description) }
            + removedSeries.map { StateItem.name(.series, $0.bot, $0.key) }
            + removedSeries.map { StateItem.name(.levels, $0.bot, $0.key) }
            + removedChanges.map { StateItem.name(.changes, $0.bot, "\($0.number)") }
            + removedGone.map { StateItem.name(.gone, $0) }
            + removedForgotten.map { StateItem.name(.forgotten, $0.description) }
            + removedBots.map { StateItem.name(.bot, $0) } + removedProcesses.map { StateItem.name(.process, $0) }
    }
}
