internal import Platform
internal import RingReader
internal import Series

/// How a ring goes, and what is kept of it.
extension RingRegistry {
    /// Drains a ring to its end and lets go of it; its totals stay with its lane.
    func retire(_ ring: RingDrain, why: String, now: MonotonicTime) {
        _ = ring.drain(limit: Int(ring.segment.geometry.capacity), now: now)
        ring.sampleCells(options: options, now: now)
        letGo(ring, losingRestAs: .unlinked, now: now)
        logger.info("ring let go", [("ring", "\(ring.segment.name)"), ("reason", "\(why)")])
        displaced.add(ring, now: now)
    }

    /// What bots write into rings that lost their name to others.
    func countDisplaced(now: MonotonicTime) {
        let losses = displaced.look(now: now)
        guard !losses.isEmpty else { return }
        let looked = max(now, time.monotonic())
        for loss in losses {
            bots[loss.ring.bot]?.lose(loss.records, as: .unlinked, of: loss.lane, since: loss.since, now: looked)
            guard loss.isFirst else { continue }
            logger.warn(
                "ring displaced under its bot: another ring has its name; what the bot goes on writing is lost",
                [("ring", "\(loss.ring)"), ("pid", .integer(Int64(loss.pid)))])
        }
    }

    func letGo(_ ring: RingDrain, losingRestAs reason: LossReason, now: MonotonicTime) {
        ring.end(losingRestAs: reason, now: now)
        bots[ring.segment.name.bot]?.retire(ring)
        rings.removeAll { $0 === ring }
        past.insert(ring.segment.ringID)
        unlinked.remove(ring.segment.ringID)
    }
}
