internal import Platform
internal import RingReader
internal import Series

/// What is looked at between drains: cells, locks, files, processes.
extension RingRegistry {
    /// Says what time it is to all series, before records are inserted.
    func advance(to now: MonotonicTime) {
        for bot in bots.values { bot.series.advance(to: now) }
    }

    /// Samples the cells ten times a second, once in each of the finest slices, and looks at locks and files four times a
    /// second, after a drain.
    func houseKeep(now: MonotonicTime) {
        if now >= nextSample {
            nextSample = now - now % options.finestSliceNanoseconds + options.finestSliceNanoseconds
            for ring in rings { _ = isSound(ring, now: now) }
            sampleCells(now: now)
        }
        if now >= nextCheck {
            nextCheck = now + Self.checkIntervalNanoseconds
            shareDescriptorsOut()
            for ring in rings { check(ring, now: now) }
            countDisplaced(now: now)
            forgetOld(now: now)
            sayRefused()
            processes.look(at: Set(rings.filter(\.lane.isUp).compactMap(ProcessMonitor.Holder.init)), now: now)
            quarantined.removeAll { $0.fileState?.isUnlinked ?? true }
        }
    }

    /// Metrics registered at most as a ring's cells are sampled: those that came since its drain. A drain registers the many.
    private static let registrationsPerSample = 64

    /// Reads the cells of every ring whose file is what it was. What is not is let go of by housekeeping alone.
    func sampleCells(now: MonotonicTime) {
        for ring in rings where !ring.isLaidAside && ring.segment.damage == nil {
            ring.sampleCells(options: options, registrations: Self.registrationsPerSample, now: now)
            for refusal in ring.takeRefusals() {
                logger.warn("metric refused", [("ring", "\(ring.segment.name)"), ("reason", "\(refusal)")])
            }
        }
        let sampled = max(now, time.monotonic())
        for bot in bots.values { bot.series.sampleCounters(now: sampled) }
        noteQuarantined(now: sampled)
    }

    /// What a bot goes on writing into a ring that is read no more is in no window, and nobody counts it.
    private func noteQuarantined(now: MonotonicTime) {
        for segment in quarantined where segment.isProducerAlive {
            bots[segment.name.bot]?.series.lane(segment.name.lane).noteUnseen(until: now)
        }
    }

    /// What was read before the ticks jumped, or read since and written before, may stand anywhere in the windows.
    func noteTickJump(now: MonotonicTime) {
        for bot in bots.values { for lane in bot.series.lanes { lane.loss.add(lost: 0, from: now, to: now) } }
    }

    /// Lets go of a ring whose file is no longer what it was: what it held is as far as it was read.
    private func isSound(_ ring: RingDrain, now: MonotonicTime) -> Bool {
        guard let damage = ring.segment.damage else { return true }
        logger.error("ring quarantined", [("ring", "\(ring.segment.name)"), ("reason", "\(damage)")])
        letGo(ring, losingRestAs: .corrupt, now: now)
        quarantined.append(ring.segment)
        return false
    }

    func check(_ ring: RingDrain, now: MonotonicTime) {
        guard isSound(ring, now: now) else { return }
        let isAlive = ring.segment.isProducerAlive
        if ring.isLaidAside {
            if !isAlive, ring.segment.fileState?.isUnlinked ?? true { letGo(ring, losingRestAs: .unlinked, now: now) }
            return
        }
        if isAlive != ring.lane.isUp {
            ring.lane.isUp = isAlive
            logDeparture(ring, isAlive: isAlive)
        }
        if let life = ring.newestLife {
            bots[ring.segment.name.bot]?.series.labels = life.labels.map { Label($0.name, $0.value) }
        }
        guard let state = ring.segment.fileState, state.isUnlinked else { return }
        if !isAlive { return retire(ring, why: "removed", now: now) }
        guard unlinked.insert(ring.segment.ringID).inserted else { return }
        logger.warn(
            "ring removed under its bot; it is read on until the bot ends, but not after a restart of the collector",
            [("ring", "\(ring.segment.name)")])
    }

    private func logDeparture(_ ring: RingDrain, isAlive: Bool) {
        let name = ("ring", LogValue.text(ring.segment.name.description))
        if isAlive {
            logger.info("producer attached", [name, ("pid", .integer(Int64(ring.newestLife?.pid ?? 0)))])
        } else if ring.segment.isClosed {
            logger.info("producer closed its ring", [name])
        } else {
            logger.warn("producer died without closing its ring", [name])
        }
    }
}
