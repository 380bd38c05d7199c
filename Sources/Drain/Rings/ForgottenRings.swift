internal import RingReader

/// Rings in the ring directory whose bots were forgotten. They are read again when their bots come back, from the
/// position at which reading ended.
struct ForgottenRings {
    private struct Entry {
        var state: RingState
        /// The segment, which stays open so that a check costs two system calls; nil before the first check.
        var segment: Segment?
    }

    private var entries: [RingName: Entry] = [:]

    var states: [RingState] { entries.values.map(\.state) }

    mutating func add(_ state: RingState, _ segment: Segment?) {
        entries[state.name] = Entry(state: state, segment: segment)
    }

    /// Restores the state of an earlier collector.
    mutating func restore(_ states: [RingState]) { for state in states { add(state, nil) } }

    /// Removes the rings whose files are gone.
    mutating func keep(_ names: [RingName]) {
        guard !entries.isEmpty else { return }
        let there = Set(names)
        entries = entries.filter { there.contains($0.key) }
    }

    /// Returns whether no bot has attached to the ring of this name since it was forgotten.
    func isAsleep(_ name: RingName, path: String) -> Bool {
        guard let segment = entries[name]?.segment else { return false }
        return segment.isStill(at: path) && !segment.isProducerAlive
    }

    /// The state of a ring that was just opened.
    enum Finding {
        /// It was not forgotten.
        case unknown
        /// No bot has attached to it since.
        case asleep
        /// Its bot is back: reading continues from this state.
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
