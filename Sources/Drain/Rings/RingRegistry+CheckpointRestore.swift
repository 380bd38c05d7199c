internal import Platform
internal import RingReader

/// Restores the checkpoint of an earlier collector.
extension RingRegistry {
    /// Lets new series of bots whose stored state was not restored count from now on.
    func beginAnew(_ setAside: StateSetAside?, unixNanoseconds: Int64) {
        bots.beginAnew(setAside, unixSeconds: Double(unixNanoseconds) * 1e-9)
    }

    /// Restores the state of an earlier collector, before any ring is opened.
    ///
    /// - Parameter note: Is called with the bot that is restored next, and with nil at the end.
    func restore(_ saved: SavedState, now: MonotonicTime, note: (String?) -> Void = { _ in }) {
        defer { note(nil) }
        // Times of another boot cannot be compared with those of this one.
        let isSameBoot = saved.bootID == .ofThisBoot()
        let saved = isSameBoot ? saved : saved.withoutTimes
        processes.restore(saved.processes, isSameBoot: isSameBoot)
        restored.restore(saved)
        past = PastRings(saved.pastRings)
        forgotten.restore(saved.forgotten)
        gone.restore(saved.gone, isSameBoot: isSameBoot, now: now)
        for state in saved.bots {
            note(state.name)
            bots.account(of: state.name, now: now).restore(state)
        }
        var last: String?
        for series in saved.series {
            if series.bot != last { note(series.bot) }
            last = series.bot
            bots.account(of: series.bot, now: now).series.restore(series.state)
        }
        for (bot, levels) in Dictionary(grouping: saved.levels, by: \.bot) {
            bots[bot]?.series.restore(levels: Dictionary(levels.map { ($0.key, $0.levels) }) { $1 })
        }
        for ring in saved.rings { _ = bots.account(of: ring.name.bot, now: now).series.lane(ring.name.lane) }
        // The windows of the earlier collector are lost, whatever happens to the rings.
        for bot in bots.all { for lane in bot.series.lanes { lane.noteUnseen(until: now) } }
    }

    /// Resets totals that may be lower than those an earlier collector showed, once all existing rings have been read
    /// again: those of rings that were lapped in the meantime, or are gone.
    func endRestore(unixNanoseconds: Int64) {
        for shortfall in restored.takeShortfalls(rings) {
            bots[shortfall.ring.bot]?.series.lane(shortfall.ring.lane).resetTotals(
                atUnixSeconds: Double(unixNanoseconds) * 1e-9, areCellsKept: shortfall.areCellsKept)
        }
    }
}
