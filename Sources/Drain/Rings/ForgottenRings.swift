internal import RingReader

/// Rings that still lie in the ring directory, of bots that were forgotten: not read again before their bots come back, and
/// then from where reading ended.
struct ForgottenRings {
    private struct Entry {
        var state: RingState
        /// Kept open, so that a look costs two system calls; nil before the first.
        var segment: Segment?
    }

    private var entries: [RingName: Entry] = [:]

    var states: [RingState] { entries.values.map(\.state) }

    mutating func add(_ state: RingState, _ segment: Segment?) {
        entries[state.name] = Entry(state: state, segment: segment)
    }

    /// Takes up what an earlier collector kept.
    mutating func restore(_ states: [RingState]) { for state in states { add(state, nil) } }

    /// Lets go of those whose files are gone.
    mutating func keep(_ names: [RingName]) {
        guard !entries.isEmpty else { return }
        let there = Set(names)
        entries = entries.filter { there.contains($0.key) }
    }

    /// Whether the file of that name is known to be one that nobody has attached to since.
    func isAsleep(_ name: RingName, path: String) -> Bool {
        guard let segment = entries[name]?.segment else { return false }
        return segment.isStill(at: path) && !segment.isProducerAlive
    }

    /// What a ring that was just opened is to this collector.
    enum Finding {
        /// It is none of these.
        case unknown
        /// Nobody has attached to it since.
        case asleep
        /// Its bot is back: reading goes on from here.
        case awake(RingState)
    }

    mutating func look(at segment: Segment) -> Finding {
        guard let entry = entries[segment.name] else { return .unknown }
        guard entry.state.ringID == segment.ringID else {
            entries[segment.name] = nil
            return .unknown
        }
        guard segment.isProducerAlive else {
            entries[segment.name]?.segment = segment
            return .asleep
        }
        entries[segment.name] = nil
        return .awake(entry.state)
    }
}
