internal import Platform
internal import RingReader
internal import Series

/// Rings that are no longer read because another ring has taken their name, while their bots live and write. Their
/// further records are counted as lost (`unlinked`).
struct DisplacedRings {
    /// The records that were written into one of the rings between two reads.
    struct Loss {
        let ring: RingName
        let lane: LaneSeries
        let pid: Int32
        let records: UInt64
        let since: MonotonicTime
        /// Whether it is the first loss of the ring.
        let isFirst: Bool
    }

    private struct Entry {
        let segment: Segment
        let lane: LaneSeries
        let pid: Int32
        /// The position up to which all records are counted.
        var counted: UInt64
        var lastLook: MonotonicTime
        var hasLost = false

        func loss(_ records: UInt64) -> Loss {
            Loss(ring: segment.name, lane: lane, pid: pid, records: records, since: lastLook, isFirst: !hasLost)
        }
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// Adds a ring if its lock is held: by a living bot, or for a moment by the bot that replaced it.
    mutating func add(_ ring: RingDrain, now: MonotonicTime) {
        guard ring.segment.isProducerAlive else { return }
        entries.append(
            Entry(
                segment: ring.segment, lane: ring.lane, pid: ring.newestLife?.pid ?? 0, counted: ring.nextIndex,
                lastLook: now))
    }

    /// Returns the losses since the last call, and removes rings whose bot has ended.
    mutating func look(now: MonotonicTime) -> [Loss] {
        var losses: [Loss] = []
        entries = entries.compactMap { (entry: Entry) -> Entry? in
            var entry = entry
            // The lock is read before the position, so that a ring without a lock holder is known to be complete.
            let isAlive = entry.segment.isProducerAlive
            let position = entry.segment.position
            let written = position &- entry.counted
            // No producer writes more than one record a nanosecond; a greater advance means a damaged file.
            let possible = UInt64(clamping: now - entry.lastLook) &+ 1_000_000
            guard entry.segment.damage == nil, written <= possible else { return nil }
            if written > 0 { losses.append(entry.loss(written)) }
            entry.hasLost = entry.hasLost || written > 0
            entry.counted = position
            entry.lastLook = now
            return isAlive ? entry : nil
        }
        return losses
    }
}
