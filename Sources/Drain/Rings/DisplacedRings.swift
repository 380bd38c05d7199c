internal import Platform
internal import RingReader
internal import Series

/// Rings that are read no more, because another ring has taken their name, while their bots live on and write. Nobody will
/// see those records, so they are counted: they are lost as `unlinked`.
struct DisplacedRings {
    /// Records that went into one of the rings between two looks.
    struct Loss {
        let ring: RingName
        let lane: LaneSeries
        let pid: Int32
        let records: UInt64
        let since: MonotonicTime
        /// Whether it is the ring's first.
        let isFirst: Bool
    }

    private struct Entry {
        let segment: Segment
        let lane: LaneSeries
        let pid: Int32
        /// The position up to which every record is accounted for.
        var counted: UInt64
        var lastLook: MonotonicTime
        var hasLost = false

        func loss(_ records: UInt64) -> Loss {
            Loss(ring: segment.name, lane: lane, pid: pid, records: records, since: lastLook, isFirst: !hasLost)
        }
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// Takes up a ring that was let go of, if it has an owner: a bot that lives, or for a moment the one that replaced it.
    mutating func add(_ ring: RingDrain, now: MonotonicTime) {
        guard ring.segment.isProducerAlive else { return }
        entries.append(
            Entry(
                segment: ring.segment, lane: ring.lane, pid: ring.newestLife?.pid ?? 0, counted: ring.nextIndex,
                lastLook: now))
    }

    /// Looks what was written since the last look, and lets go of rings whose bot has ended.
    mutating func look(now: MonotonicTime) -> [Loss] {
        var losses: [Loss] = []
        entries = entries.compactMap { (entry: Entry) -> Entry? in
            var entry = entry
            // The lock before the position: what is seen without an owner has been written to its end.
            let isAlive = entry.segment.isProducerAlive
            let position = entry.segment.position
            let written = position &- entry.counted
            // More than a record a nanosecond is no producer's; and nothing is believed of a file that was damaged.
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
