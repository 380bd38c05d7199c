internal import Platform

/// How far one ring's drain is behind its bot: the time between a record's own time and its drain, and the backlog.
///
/// Records without a time are ignored, and so are those with a time of another boot. A time ahead of now counts as now.
struct DrainLag {
    /// The greatest number of records that waited at the beginning of a drain, since the collector opened the ring, its
    /// first drain included.
    private(set) var backlogMaximum: UInt64 = 0
    /// The lag of the last drained record, in nanoseconds; nil before the first.
    private(set) var last: Int64?
    private var worst = RecentWindow<Int64>()
    private var waits = RecentWindow<Int64>()

    mutating func note(backlog: UInt64) { backlogMaximum = max(backlogMaximum, backlog) }

    /// Records the lag of the records of one drain.
    ///
    /// - Parameters:
    ///   - earliest: The earliest of their times.
    ///   - latest: The time of the last record.
    ///   - now: The time at which the drain began.
    mutating func note(earliest: MonotonicTime, latest: MonotonicTime, now: MonotonicTime) {
        if latest > 0 { last = max(0, now - latest) }
        if earliest > 0 { worst.noteGreatest(max(0, now - earliest), now: now) }
    }

    /// Records how long the records of one drain can have waited in the ring: since `time`, before which all earlier
    /// records had been read.
    ///
    /// Unlike the lag, this does not depend on the records' own times, which an import takes from its log.
    mutating func note(unreadSince time: MonotonicTime, now: MonotonicTime) {
        if time > 0 { waits.noteGreatest(max(0, now - time), now: now) }
    }

    /// Returns the longest wait of the last 6 to 12 seconds; nil if no record was drained.
    mutating func worstWait(now: MonotonicTime) -> Int64? { waits.greatest(now: now, slots: 2) }

    /// Returns the longest lag of the last minute; nil if there was no record.
    mutating func worst(now: MonotonicTime) -> Int64? { worst.greatest(now: now) }
}
