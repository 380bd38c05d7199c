internal import Platform

/// How far one ring's drain is behind its bot: the time between a record's own time and its drain, and how much of the ring
/// was waiting.
///
/// Records without a time say nothing of it, nor do those whose time is no time of this run of the machine. A time ahead of
/// now counts as now.
struct DrainLag {
    /// Records that waited at the beginning of a drain, at most: since the collector opened the ring, its first drain
    /// included.
    private(set) var backlogMaximum: UInt64 = 0
    /// That of the record drained last, in nanoseconds; nil before the first.
    private(set) var last: Int64?
    private var worst = RecentWindow<Int64>()

    mutating func note(backlog: UInt64) { backlogMaximum = max(backlogMaximum, backlog) }

    /// Takes note of the records of one drain.
    ///
    /// - Parameters:
    ///   - earliest: the least of their times.
    ///   - latest: that of the last one.
    ///   - now: when the drain began.
    mutating func note(earliest: MonotonicTime, latest: MonotonicTime, now: MonotonicTime) {
        if latest > 0 { last = max(0, now - latest) }
        if earliest > 0 { worst.noteGreatest(max(0, now - earliest), now: now) }
    }

    /// The longest of the last minute; nil where no record came.
    mutating func worst(now: MonotonicTime) -> Int64? { worst.greatest(now: now) }
}
