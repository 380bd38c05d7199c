internal import Platform
internal import RingReader
internal import Series

/// What an earlier collector left.
extension RingRegistry {
    /// Takes note of what of an earlier state was not taken: what new series of those bots count, they count from now on.
    func beginAnew(_ setAside: StateSetAside?, unixNanoseconds: Int64) {
        guard let setAside else { return }
        begunAnew = (setAside, Double(unixNanoseconds) * 1e-9)
    }

    /// Takes up what an earlier collector kept, before any ring is opened.
    ///
    /// - Parameter note: Is told which bot is taken up next, and nil at the end.
    func restore(_ saved: SavedState, now: MonotonicTime, note: (String?) -> Void = { _ in }) {
        defer { note(nil) }
        // Times of another run of the machine are none of this one's.
        let isSameBoot = saved.bootID == .ofThisBoot()
        let saved = isSameBoot ? saved : saved.withoutTimes
        processes.restore(saved.processes, isSameBoot: isSameBoot)
        isResumed = true
        mayHaveShownMore = !saved.wasClosed
        past = PastRings(saved.pastRings)
        forgotten.restore(saved.forgotten)
        gone.restore(saved.gone, isSameBoot: isSameBoot, now: now)
        for state in saved.bots {
            note(state.name)
            bot(state.name, now: now).restore(state)
        }
        var last: String?
        for kept in saved.series {
            if kept.bot != last { note(kept.bot) }
            last = kept.bot
            bot(kept.bot, now: now).series.restore(kept.state)
        }
        for ring in saved.rings {
            _ = bot(ring.name.bot, now: now).series.lane(ring.name.lane)
            absent[ring.name] = ring
        }
        // What was shown before in the windows is gone, whatever becomes of the rings.
        for bot in bots.values { for lane in bot.series.lanes { lane.noteUnseen(until: now) } }
    }

    /// Says which totals may be less than an earlier collector showed, once all that is still there has been read again: those
    /// of rings that were lapped meanwhile, or are gone. They count from now on as others.
    func endRestore(unixNanoseconds: Int64) {
        guard mayHaveShownMore else { return }
        mayHaveShownMore = false
        let lapped = rings.filter { $0.lapped > 0 }.map(\.segment.name)
        for name in lapped { restartTotals(of: name, unixNanoseconds: unixNanoseconds, areCellsKept: true) }
        for name in superseded + absent.keys {
            restartTotals(of: name, unixNanoseconds: unixNanoseconds, areCellsKept: false)
        }
    }

    private func restartTotals(of name: RingName, unixNanoseconds: Int64, areCellsKept: Bool) {
        bots[name.bot]?.series.lane(name.lane)
            .restartTotals(atUnixSeconds: Double(unixNanoseconds) * 1e-9, areCellsKept: areCellsKept)
    }
}
