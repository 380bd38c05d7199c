internal import Platform
internal import RingReader
internal import Series

/// How a ring comes to be read, and why another does not.
extension Roster {
    /// Opens what is new among the rings that lie in the directory now.
    func update(rings names: [RingName], now: MonotonicTime) {
        for name in names where filter.takes(name) { open(name, now: now) }
        refused = refused.filter { names.contains($0.key) }
    }

    private func open(_ name: RingName, now: MonotonicTime) {
        let current = rings.first { $0.segment.name == name }
        if let current, current.segment.isStill(at: directory.path(of: name)) { return }
        do throws(RingError) {
            let segment = try Segment(name: name, path: directory.path(of: name))
            let owner = segment.fileState?.owner ?? .max
            guard filter.takes(owner: owner) else {
                return refuse(name, "it belongs to user \(owner), whose rings --ring-owner would take")
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

    private func refuse(_ name: RingName, _ reason: String) {
        guard refused.updateValue(reason, forKey: name) != reason else { return }
        logger.warn("ring not read", [("ring", "\(name)"), ("reason", "\(reason)")])
    }

    private func add(_ segment: Segment, now: MonotonicTime) {
        refused[segment.name] = nil
        let bot = bot(segment.name.bot, now: now)
        bot.series.advance(to: now)
        let lane = bot.series.lane(segment.name.lane)
        lane.ringCreatedUnixSeconds = Double(segment.createdUnixNanoseconds) * 1e-9
        let ring = RingDrain(
            segment: segment, lane: lane, calibration: calibration,
            wasWatched: segment.createdUnixNanoseconds >= startedUnixNanoseconds,
            kept: absent.removeValue(forKey: segment.name), traces: traces, now: now)
        rings.append(ring)
        check(ring, now: now)
        logger.info(
            "ring attached",
            [
                ("ring", "\(segment.name)"), ("pid", .integer(Int64(ring.newestLife?.pid ?? 0))),
                ("capacity_records", .integer(Int64(segment.geometry.capacity))), ("alive", .bool(ring.lane.isUp)),
            ])
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
