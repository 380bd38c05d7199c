internal import Drain
internal import RingReader

/// Takes up the entries of a state one by one. An entry that cannot be believed is set aside, and with it those that would say
/// something false without it: a bot whose rings' positions are unknown loses its totals, since its rings are read again from
/// the oldest record that they hold.
struct StateReading {
    /// Bots of which nothing is taken.
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

    /// Sets aside what means nothing without the entries that were refused.
    ///
    /// - Returns: what was kept, without its head; and the bots some of whose totals begin anew.
    /// - Throws: ``StateDamage`` where it cannot be told what the entries that were refused were of.
    mutating func finish(_ saved: inout SavedState) throws -> Set<String> {
        var broken = suspects
        for entry in refused.map(\.entry) {
            switch StateItem.Kind(ofEntry: entry.name) {
            case .ring: broken.formUnion(try botsOfRing(entry))
            case nil: throw StateDamage("the entry \(entry.name.debugDescription) is none")
            default: break
            }
        }
        if !refused.isEmpty { broken.formUnion(botsWithoutPositions) }
        for (entry, item) in taken {
            if let bot = item.bot, broken.contains(bot), item.restsOnPositions || suspects.contains(bot) {
                let reason =
                    suspects.contains(bot)
                    ? "the collector ended again and again while it took up the bot \(bot)"
                    : "the bot \(bot) begins anew, since an entry of its rings is damaged"
                refused.append(Refused(entry: entry, reason: reason))
            } else {
                saved.add(item)
            }
        }
        return broken.union(refused.compactMap { Self.bot(ofSeries: $0.entry.name) })
    }

    /// By the entry's name and by what it holds: one of them may be what is damaged.
    private func botsOfRing(_ entry: StateDatabase.Entry) throws -> Set<String> {
        var decoder = StateDecoder(entry.value)
        let names = [String(entry.name.dropFirst("ring ".count)), (try? decoder.text()) ?? ""]
        let bots = Set(names.compactMap { RingName($0)?.bot })
        guard !bots.isEmpty else {
            throw StateDamage("it cannot be told which ring the entry \(entry.name.debugDescription) is of")
        }
        return bots
    }

    /// Bots with a lane that has series and no ring, none that is gone either: the entry of its ring is missing.
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

    private static func bot(ofSeries name: String) -> String? {
        let words = name.split(separator: " ", maxSplits: 2)
        return words.count == 3 && words[0] == StateItem.Kind.series.rawValue ? String(words[1]) : nil
    }
}

extension StateItem {
    /// Whether it counts records up to the positions of its bot's rings.
    fileprivate var restsOnPositions: Bool {
        switch self {
        case .ring, .bot, .series, .objective: true
        case .alert, .process, .gone, .forgotten, .past: false
        }
    }
}

extension SavedState {
    fileprivate mutating func add(_ item: StateItem) {
        switch item {
        case .ring(let ring): rings.append(ring)
        case .bot(let bot): bots.append(bot)
        case .series(let one): series.append(one)
        case .objective(let objective): objectives.append(objective)
        case .alert(let alert): alerts.append(alert)
        case .process(let process): processes.append(process)
        case .gone(let one): gone.append(one)
        case .forgotten(let ring): forgotten.append(ring)
        case .past(let rings): pastRings = rings
        }
    }
}
