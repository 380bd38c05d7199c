internal import RingReader
internal import Rules

/// A kind of entry that a checkpoint stores, each under a key of its own.
protocol CheckpointEntry: Equatable {
    associatedtype Key: Hashable

    /// The key of the entry.
    var checkpointKey: Key { get }
}

/// The entries of one kind in the last checkpoint, which determine the content of the next one.
struct CheckpointedEntries<Entry: CheckpointEntry> {
    private var known: [Entry.Key: Entry]

    init(_ saved: [Entry]) { known = Self.byKey(saved) }

    /// Returns the entries that changed since the last checkpoint, and the keys of those that are gone.
    ///
    /// - Parameter isFull: Whether the checkpoint has all entries, changed or not.
    mutating func take(_ current: [Entry], isFull: Bool) -> (changed: [Entry], removed: [Entry.Key]) {
        let next = Self.byKey(current)
        let changed = current.filter { isFull || known[$0.checkpointKey] != $0 }
        let removed = known.keys.filter { next[$0] == nil }
        known = next
        return (changed, removed)
    }

    private static func byKey(_ entries: [Entry]) -> [Entry.Key: Entry] {
        Dictionary(entries.map { ($0.checkpointKey, $0) }) { $1 }
    }
}

extension RingState: CheckpointEntry {
    var checkpointKey: RingName { name }
}

extension BotState: CheckpointEntry {
    var checkpointKey: String { name }
}

extension BotProcessState: CheckpointEntry {
    var checkpointKey: String { bot }
}

extension GoneState: CheckpointEntry {
    var checkpointKey: String { bot }
}

extension ObjectiveState: CheckpointEntry {
    var checkpointKey: Checkpoint.Removed { Checkpoint.Removed(bot: bot, key: objective) }
}

extension AlertState: CheckpointEntry {
    var checkpointKey: Checkpoint.Removed { Checkpoint.Removed(bot: snapshot.bot, key: snapshot.alert) }
}

extension Silence: CheckpointEntry {
    var checkpointKey: UInt64 { number }
}
