internal import Drain
internal import RingReader

/// Restores the entries of a state one by one. An entry that cannot be trusted is set aside, and so are the entries
/// that would be wrong without it. A bot whose ring positions are unknown loses its totals, since its rings are read
/// again from their oldest record.
struct StateReading {
    /// Bots whose state is not restored.
    private let suspects: Set<String>
    private var taken: [(entry: StateDatabase.Entry, item: StateItem)] = []
    private(set) var refused: [Refused] = []

    struct Refused {
        let entry: StateDatabase.Entry
        let reason: String
    }

    init(suspects: Set<String>) { self.suspects = suspects }

    mutating func take(_ entry: StateDatabase.Entry) {
        do {
            taken.append((entry, try StateItem(entry)))
        } catch {
            refused.append(Refused(entry: entry, reason: "\(error)"))
        }
    }

    /// Sets aside the entries that are wrong without the refused ones, and adds all others to a state.
    ///
    /// - Returns: the bots that have totals that start from zero.
    /// - Throws: ``StateDamage`` if it is unknown to which bot a refused entry belonged.
    mutating func finish(_ saved: inout SavedState) throws -> Set<String> {
        var changes: [CheckpointedChanges] = []
        var broken = suspects
        for entry in refused.map(\.entry) {
            switch StateItem.Kind(ofEntry: entry.name) {
            case .ring: broken.formUnion(try botsOfRing(entry))
            // It counts records up to the positions, and these are in no other entry.
            case .changes: broken.insert(try Self.bot(ofChanges: entry.name))
            case nil: throw StateDamage("the entry \(entry.name.debugDescription) is of no known kind")
            default: break
            }
        }
        if !refused.isEmpty { broken.formUnion(botsWithoutPositions) }
        for (entry, item) in taken {
            if let bot = item.bot, broken.contains(bot), item.restsOnPositions || suspects.contains(bot) {
                let reason =
                    suspects.contains(bot)
                    ? "the collector ended repeatedly while it restored the bot \(bot)"
                    : "the counts of the bot \(bot) start from zero, since an entry of its rings is damaged"
                refused.append(Refused(entry: entry, reason: reason))
            } else if case .changes(let one) = item {
                changes.append(one)
            } else {
                saved.add(item)
            }
        }
        saved.add(changes)
        return broken.union(refused.compactMap { Self.bot(ofSeries: $0.entry.name) })
    }

    /// Returns the ring's bot by the entry's name and by its content, since either may be damaged. These may be two
    /// bots.
    private func botsOfRing(_ entry: StateDatabase.Entry) throws -> Set<String> {
        var decoder = StateDecoder(entry.value)
        let names = [String(entry.name.dropFirst("ring ".count)), (try? decoder.text()) ?? ""]
        let bots = Set(names.compactMap { RingName($0)?.bot })
        guard !bots.isEmpty else {
            throw StateDamage("it is unknown which ring the entry \(entry.name.debugDescription) belongs to")
        }
        return bots
    }

    /// The bots with a lane that has series but no ring, present or past. The entry of its ring is missing.
    private var botsWithoutPositions: Set<String> {
        var known: [String: Set<String>] = [:]
        var used: [String: Set<String>] = [:]
        var whole: Set<String> = []
        for (_, item) in taken {
            switch item {
            case .ring(let ring): known[ring.name.bot, default: []].insert(ring.name.lane)
            case .bot(let bot):
                whole.insert(bot.name)
                known[bot.name, default: []].formUnion(bot.retired.map(\.lane))
            case .series(let series): used[series.bot, default: []].formUnion(series.state.parts.map(\.lane))
            default: break
            }
        }
        return Set(used.keys.filter { whole.contains($0) && !used[$0, default: []].isSubset(of: known[$0] ?? []) })
    }

    private static func bot(ofChanges name: String) throws -> String {
        let words = name.split(separator: " ")
        guard words.count == 3 else {
            throw StateDamage("it cannot be told which bot the entry \(name.debugDescription) is of")
        }
        return String(words[1])
    }

    private static func bot(ofSeries name: String) -> String? {
        let words = name.split(separator: " ", maxSplits: 2)
        return words.count == 3 && words[0] == StateItem.Kind.series.rawValue ? String(words[1]) : nil
    }
}

extension StateItem {
    /// Whether it counts records up to the positions of its bot's rings.
    fileprivate var restsOnPositions: Bool {
        switch self {
        case .ring, .bot, .series, .changes, .objective: true
        case .levels, .alert, .silence, .process, .gone, .forgotten, .past: false
        }
    }
}

extension SavedState {
    fileprivate mutating func add(_ item: StateItem) {
        switch item {
        case .ring(let ring): rings.append(ring)
        case .bot(let bot): bots.append(bot)
        case .series(let one): series.append(one)
        case .levels(let one): levels.append(one)
        case .changes: break
        case .objective(let objective): objectives.append(objective)
        case .alert(let alert): alerts.append(alert)
        case .silence(let silence): silences.append(silence)
        case .process(let process): processes.append(process)
        case .gone(let one): gone.append(one)
        case .forgotten(let ring): forgotten.append(ring)
        case .past(let rings): pastRings = rings
        }
    }
}

extension SavedState {
    /// Adds the changes of later checkpoints to the series of earlier ones. Changes of a series that is gone are ignored.
    fileprivate mutating func add(_ changes: [CheckpointedChanges]) {
        number = max(series.reduce(0) { max($0, $1.number) }, changes.reduce(0) { max($0, $1.name.number) })
        guard !changes.isEmpty else { return }
        hasChanges = true
        let indices = Dictionary(
            series.enumerated().map { (Checkpoint.Removed(bot: $1.bot, key: $1.key), $0) }, uniquingKeysWith: { $1 })
        for one in changes.sorted(by: { $0.name.number < $1.name.number }) {
            for (key, change) in one.series.map({ ($0.key, $0.change) }) {
                guard let index = indices[Checkpoint.Removed(bot: one.name.bot, key: key)],
                    series[index].number < one.name.number
                else { continue }
                series[index].state.add(change)
            }
        }
    }
}
