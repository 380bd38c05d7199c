internal import RingReader

/// The rings that an earlier collector read, in their stored state, until they are opened again.
struct RestoredRings {
    /// A ring for which that collector may have shown higher totals than are known now.
    struct Shortfall {
        let ring: RingName
        /// Whether the ring's cells still exist and restore their totals.
        let areCellsKept: Bool
    }

    /// Whether the state of an earlier collector was restored.
    private(set) var hasCheckpoint = false
    /// Whether that collector may have shown more than it stored.
    private var mayHaveShownMore = false
    private var absent: [RingName: RingState] = [:]
    /// Rings that were replaced while no collector ran.
    private var replaced: [RingName] = []

    mutating func restore(_ saved: SavedState) {
        hasCheckpoint = true
        mayHaveShownMore = !saved.wasClosed
        for ring in saved.rings { absent[ring.name] = ring }
    }

    var states: [RingState] { Array(absent.values) }

    func named(_ name: RingName) -> RingState? { absent[name] }

    /// Returns the stored ring of this identity if it had another name.
    func renamed(_ ringID: Segment.Identifier, from name: RingName) -> RingState? {
        absent.values.first { $0.ringID == ringID && $0.name != name }
    }

    /// Removes a ring that is opened now, and returns the state from which its reading continues.
    mutating func take(_ name: RingName) -> RingState? { absent.removeValue(forKey: name) }

    /// Removes a ring whose name another ring has taken.
    mutating func replace(_ name: RingName) {
        absent[name] = nil
        if mayHaveShownMore { replaced.append(name) }
    }

    /// Removes the rings of a bot, and returns them.
    mutating func take(bot: String) -> [RingState] {
        replaced.removeAll { $0.bot == bot }
        let states = absent.values.filter { $0.name.bot == bot }
        for state in states { absent[state.name] = nil }
        return states
    }

    /// Returns the rings for which more may have been shown: those that were overwritten in the meantime, or are gone.
    /// Later calls return none.
    ///
    /// - Parameter rings: The open rings, read to their end.
    mutating func takeShortfalls(_ rings: [RingDrain]) -> [Shortfall] {
        guard mayHaveShownMore else { return [] }
        mayHaveShownMore = false
        return rings.filter { $0.lapped > 0 }.map { Shortfall(ring: $0.segment.name, areCellsKept: true) }
            + (replaced + absent.keys).map { Shortfall(ring: $0, areCellsKept: false) }
    }
}
