internal import Platform
internal import RingReader

/// Up to when a ring is read, on the reader's own clock. A record says when it was written only where its bot wants it to, so
/// what is sure of it is between which two reads of the position it was published.
struct ReadFront {
    /// Every record published before this time was read or is counted as lost; those that are read next were published after it.
    private(set) var time: MonotonicTime
    /// A position that was seen and is not reached yet, and a time before it was seen.
    private var goal: (index: UInt64, seenAfter: MonotonicTime)?

    /// Longer ago than any window, and far enough from the least number to be reckoned with.
    static let unknown = MonotonicTime.min / 4

    init(since time: MonotonicTime = ReadFront.unknown) { self.time = time }

    /// Takes note of a read.
    ///
    /// - Parameters:
    ///   - next: The index of the record that is read next.
    ///   - position: The ring's position, as the read found it.
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

    /// Takes note that nothing which is still to be read was published before a time.
    mutating func advance(to time: MonotonicTime) { self.time = max(self.time, time) }

    // Positions wrap: which of two comes first is told by their distance.
    private static func isAhead(_ a: UInt64, of b: UInt64) -> Bool { Int64(bitPattern: a &- b) > 0 }
}
