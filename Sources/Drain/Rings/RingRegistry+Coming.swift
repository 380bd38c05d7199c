internal import Platform
internal import RingReader
internal import Series

/// How a ring comes to be read, and why another does not.
extension RingRegistry {
    /// Opens what is new among the rings that lie in the directory now.
    func update(rings names: [RingName], now: MonotonicTime) {
        refusedBots = []
        forgotten.keep(names)
        for name in names where filter.takes(name) { open(name, now: now) }
        let there = Set(names)
        refused = refused.filter { there.contains($0.key) }
    }

    private func open(_ name: RingName, now: MonotonicTime) {
        let current = index.byName[name]
        if let current, current.segment.isStill(at: directory.path(of: name)) { return }
        if forgotten.isAsleep(name, path: directory.path(of: name)) { return }
        if isFull(for: name.bot) { return }
        do throws(RingError) {
            let segment = try Segment(name: name, path: directory.path(of: name))
            let owner = segment.fileState?.owner ?? .max
            guard filter.takes(owner: owner) else {
                return refuse(name, "it belongs to user \(owner), whose rings --ring-owner would take")
            }
            switch forgotten.look(at: segment) {
            case .asleep: return
            case .awake(let state): return add(segment, returning: state, now: now)
            case .unknown: break
            }
            if let reason = reasonNotToRepeat(segment) { return refuse(name, reason) }
            if let current { retire(current, why: "replaced", now: now) }
            if let kept = absent[name], kept.ringID != segment.ringID { supersede(kept) }
            add(segment, now: now)
        } catch {
            refuse(name, error.description)
        }
    }

    /// A ring under another name, or a copy of one, would be counted twice.
    private func reasonNotToRepeat(_ segment: Segment) -> String? {
        if let twin = rings.first(where: { $0.segment.ringID == segment.ringID }) {
            return "it is the ring \(twin.segment.name), which is read already (a link, a copy, or it was renamed)"
        }
        if quarantined.contains(where: { $0.isSameFile(as: segment) }) { return "it was damaged while it was read" }
        if let kept = absent.values.first(where: { $0.ringID == segment.ringID && $0.name != segment.name }) {
            return
                "it is the ring \(kept.name), which was read before the collector's restart (a copy, or it was renamed)"
        }
        return past.contains(segment.ringID) ? "it was read before, and what it held is in the totals" : nil
    }

    /// Descriptors of rings, those that are read no more included.
    private var heldDescriptors: Int {
        rings.count(where: \.segment.holdsDescriptor) + quarantined.count + displaced.count
    }

    private func giveDescriptorBack(of segment: Segment) {
        segment.giveDescriptorBack()
        guard !hasSaidBound else { return }
        hasSaidBound = true
        logger.warn(
            "more rings than descriptors: some are read without; should one of these be removed under its bot, the bot counts "
                + "as ended; raise the limit of open files (ulimit -n, LimitNOFILE=)",
            [("descriptors_for_rings", .integer(Int64(descriptorBound)))])
    }

    /// Gives rings that are read without a descriptor one, where others have left theirs.
    func shareDescriptorsOut() {
        guard hasSaidBound else { return }
        let free = descriptorBound - heldDescriptors
        for ring in rings.filter({ !$0.segment.holdsDescriptor }).prefix(max(0, free)) { ring.segment.keepDescriptor() }
    }

    /// Rings that lie in the directory and are not read, by name.
    var unread: [UnreadRing] {
        refused.map { UnreadRing(ring: $0.key.description, reason: $0.value) }.sorted { $0.ring < $1.ring }
    }

    private func refuse(_ name: RingName, _ reason: String) {
        guard refused.updateValue(reason, forKey: name) != reason else { return }
        logger.warn("ring not read", [("ring", "\(name)"), ("reason", "\(reason)")])
    }

    /// - Parameter state: Where reading of a bot ended that was forgotten and is back; nil of any other.
    private func add(_ segment: Segment, returning state: RingState? = nil, now: MonotonicTime) {
        refused[segment.name] = nil
        if heldDescriptors >= descriptorBound { giveDescriptorBack(of: segment) }
        let bot = bot(segment.name.bot, now: now)
        bot.series.advance(to: now)
        let lane = bot.series.lane(segment.name.lane)
        // A ring that says that it was made later than now counts from now on.
        lane.ringCreatedUnixSeconds = min(Double(segment.createdUnixNanoseconds) * 1e-9, unixSeconds)
        let ring = RingDrain(
            segment: segment, lane: lane, calibration: calibration,
            wasWatched: isYoungerThanThis(segment),
            kept: absent.removeValue(forKey: segment.name) ?? state?.withoutCounts, traces: traces, time: time, now: now
        )
        // What a forgotten bot's histograms counted is in no total any more.
        if state != nil { lane.restartTotals(atUnixSeconds: unixSeconds, areCellsKept: true) }
        // Without a state nobody knows what an earlier collector counted of records that are no longer there.
        if !isResumed, ring.lost[.beforeAttach] > 0 {
            lane.restartTotals(atUnixSeconds: unixSeconds, areCellsKept: true)
        }
        rings.append(ring)
        check(ring, now: now)
        logger.info(
            "ring attached",
            [
                ("ring", "\(segment.name)"), ("pid", .integer(Int64(ring.newestLife?.pid ?? 0))),
                ("capacity_records", .integer(Int64(segment.geometry.capacity))), ("alive", .bool(ring.lane.isUp)),
            ])
    }

    /// Whether the ring was made since this collector began. In this boot that goes by CLOCK_MONOTONIC, where the ring's first
    /// attach is still written down: the wall clock may have been set in between.
    private func isYoungerThanThis(_ segment: Segment) -> Bool {
        guard segment.bootID == .ofThisBoot(), let first = segment.life(1) else {
            return segment.createdUnixNanoseconds >= startedUnixNanoseconds
        }
        return first.anchorMonotonicNanoseconds >= startedMonotonicNanoseconds
    }

    /// The ring that an earlier collector read is gone, and another has its name.
    private func supersede(_ kept: RingState) {
        absent[kept.name] = nil
        bots[kept.name.bot]?.retire(kept)
        past.insert(kept.ringID)
        if mayHaveShownMore { superseded.append(kept.name) }
        logger.warn(
            "ring replaced while no collector ran: what its bot wrote into it after it was read last is unknown",
            [("ring", "\(kept.name)"), ("read_to", .integer(Int64(clamping: kept.position)))])
    }
}
