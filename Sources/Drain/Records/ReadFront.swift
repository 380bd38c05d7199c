internal import Platform
internal import RingReader

/// The time up to which a ring is read, on the reader's own clock. A record has a time only if its bot sets one. All
/// that is certain is that it was published between two reads of the position.
struct ReadFront {
    /// The time before which every published record was read or is counted as lost. The records that are read next were
    /// published after it.
    private(set) var time: MonotonicTime
    /// A position that was seen but is not reached yet, and a time before it was seen.
    private var goal: (index: UInt64, seenAfter: MonotonicTime)?

    /// A time before any window, whose differences do not overflow.
    static let unknown = MonotonicTime.min / 4

    init(since time: MonotonicTime = ReadFront.unknown) { self.time = time }

    /// Records a read.
    ///
    /// - Parameters:
    ///   - next: The index of the record that is read next.
    ///   - position: The ring's position that the read found.
    ///   - before: A time before the read.
    mutating func advance(to next: UInt64, position: UInt64, seenAfter before: MonotonicTime) {
        if !Self.isAhead(position, of: next) {
            time = max(time, before)
            goal = nil
        } else if let reached = goal, !Self.isAhead(reached.index, of: next) {
            time = max(time, reached.seenAfter)
            goal = (position, before)
        } else if goal == nil {
            goal = (position, before)
        }
    }

    /// Records that everything still to be read was published after a time.
    mutating func advance(to time: MonotonicTime) { self.time = max(self.time, time) }

    // Positions wrap around, so the sign of their difference tells which of two is first.
    private static func isAhead(_ a: UInt64, of b: UInt64) -> Bool { Int64(bitPattern: a &- b) > 0 }
}
