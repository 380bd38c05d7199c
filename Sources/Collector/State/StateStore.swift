package import Drain
internal import Series
internal import RingReader

/// Checkpoints as entries of a database: writes what changed, and reads all of it back.
///
/// Thread rule: one thread at a time.
package final class StateStore {
    private let database: StateDatabase
    /// What lies in the database, by name.
    private var known: [ByteText: (id: Int64, share: UInt64)] = [:]
    private var lastID = StateFormat.headID
    private var sum: UInt64 = 0
    /// Entries are numbered one after the other: no collector comes as far as this.
    private static let greatestID: Int64 = 1 << 60

    /// Entries that were refused, which the next checkpoint removes.
    private var refusedIDs: [Int64] = []
    private(set) var refused: [StateReading.Refused] = []
    /// What of an earlier state was not taken; nil where all of it was.
    package internal(set) var setAside: StateSetAside?

    package init(path: String) throws { database = try StateDatabase(path: path) }

    // MARK: Reading

    /// Reads everything; nil where nothing was ever written. Entries that cannot be believed are left out, and are `refused`.
    ///
    /// - Parameter suspects: Bots of which nothing is taken.
    /// - Returns: what was kept, and the bots some of whose totals begin anew.
    /// - Throws: ``StateDamage`` where nothing can be believed, or ``StateDatabase/Failure``.
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
            guard entry.id < Self.greatestID else { throw StateDamage("the number of an entry is none") }
            reading.take(entry)
            note(entry)
        }
        // The sum says that no entry is older than others. It cannot say so of one that is damaged.
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

    /// Writes a checkpoint in one transaction. Where that fails, what is written is not known: the next one must be full.
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
        rings.map { .ring($0) } + bots.map { .bot($0) } + series.map { .series($0) }
            + objectives.map { .objective($0) } + alerts.map { .alert($0) } + processes.map { .process($0) }
            + gone.map { .gone($0) } + forgotten.map { .forgotten($0) }
            + (pastRings.map { [.past($0)] } ?? [])
    }

    fileprivate var removedNames: [String] {
        removedObjectives.map { StateItem.name(.objective, $0.bot, $0.key) }
            + removedAlerts.map { StateItem.name(.alert, $0.bot, $0.key) }
            + removedRings.map { StateItem.name(.ring, $0.description) }
            + removedSeries.map { StateItem.name(.series, $0.bot, $0.key) }
            + removedGone.map { StateItem.name(.gone, $0) }
            + removedForgotten.map { StateItem.name(.forgotten, $0.description) }
            + removedBots.map { StateItem.name(.bot, $0) } + removedProcesses.map { StateItem.name(.process, $0) }
    }
}
