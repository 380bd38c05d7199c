/// Intervals of time in which an event happened at an unknown moment.
///
/// The event counts at the end of the interval, or somewhere within it. So a window that begins within the interval may
/// include an event from before the window, or lack one that belongs to it. A window that contains the whole interval,
/// or none of it, is correct.
///
/// Memory: bounded. Only intervals longer than two finest slices are stored, overlapping ones are merged, and those
/// before every window are removed.
struct UncertainIntervals: Sendable {
    private struct Interval: Sendable {
        /// The event happened after this.
        var from: Int64
        var to: Int64
    }

    /// Ascending, without overlaps.
    private var intervals: [Interval] = []

    /// The end of the last interval; nil if there is none.
    var end: Int64? { intervals.last?.to }

    mutating func add(from: Int64, to: Int64) {
        guard from < to else { return }
        var added = Interval(from: from, to: to)
        while let last = intervals.last, last.to >= added.from {
            // The same interval is noted once for each of its records.
            if last.from <= added.from, last.to >= added.to { return }
            added = Interval(from: min(last.from, added.from), to: max(last.to, added.to))
            intervals.removeLast()
        }
        intervals.append(added)
    }

    /// Removes intervals that end before a time.
    mutating func forget(before time: Int64) {
        guard let first = intervals.first, first.to < time else { return }
        intervals.removeAll { $0.to < time }
    }

    /// Returns whether a window that begins at `start` begins within an interval.
    func blursWindow(from start: Int64) -> Bool { intervals.contains { $0.from < start && start <= $0.to } }
}
