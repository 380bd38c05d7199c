internal import Platform
internal import RingReader
internal import Series

/// What an earlier collector left.
extension Roster {
    /// Takes up what an earlier collector kept, before any ring is opened.
    func restore(_ saved: SavedState, now: MonotonicTime) {
        // Times of another run of the machine are none of this one's.
        let isSameBoot = saved.bootID == .ofThisBoot()
        let saved = isSameBoot ? saved : saved.withoutTimes
        processes.restore(saved.processes, isSameBoot: isSameBoot)
        mayHaveShownMore = !saved.wasClosed
        past = PastRings(saved.pastRings)
        for state in saved.bots { bot(state.name, now: now).restore(state) }
        for kept in saved.series { bot(kept.bot, now: now).series.restore(kept.state) }
        for ring in saved.rings {
            _ = bot(ring.name.bot, now: now).series.lane(ring.name.lane)
            absent[ring.name] = ring
        }
    }

    /// Says which totals may be less than an earlier collector showed, once all that is still there has been read again: those
    /// of rings that were lapped meanwhile, or are gone. They count from now on as others.
    func endRestore(unixNanoseconds: Int64) {
        guard mayHaveShownMore else { return }
        mayHaveShownMore = false
        let lapped = rings.filter { $0.lapped > 0 }.map(\.segment.name)
        for name in lapped + superseded + absent.keys { restartTotals(of: name, unixNanoseconds: unixNanoseconds) }
    }

    private func restartTotals(of name: RingName, unixNanoseconds: Int64) {
        bots[name.bot]?.series.lane(name.lane).restartTotals(atUnixSeconds: Double(unixNanoseconds) * 1e-9)
    }
}
