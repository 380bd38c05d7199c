internal import Configuration
internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// The rings that are read, and the bots that they belong to.
///
/// A ring is added when its file appears, and removed when its file and its producer are gone. A file that is replaced
/// by another one of the same name is drained to its end before its successor is opened. The totals of both belong to
/// the lane.
///
/// The state of rings and bots is divided into parts, each with private state. The registry moves rings between them.
final class RingRegistry: RuleBotSource {
    var openRings = OpenRings()
    var restored = RestoredRings()
    private var skipped: SkippedRings
    private var quarantined = QuarantinedRings()
    /// Rings whose name another ring has taken while their bot lives.
    private var displaced = DisplacedRings()
    /// Rings whose file was removed while their bot lives, so that this is logged once.
    var unlinked: Set<Segment.Identifier> = []
    /// Rings that are no longer read.
    var past = PastRings()
    /// Rings in the directory whose bots were forgotten.
    var forgotten = ForgottenRings()
    var forgottenBots = ForgottenBots()
    /// The times since which bots are gone.
    var gone = GoneBots()
    var bounds: BotBounds
    let bots: BotAccounts
    /// The processes of living bots.
    var processes = ProcessMonitor()
    private var descriptors: DescriptorShares
    private var filter: RingFilter
    let directory: RingDirectory
    private let calibration: any TickScaleSource
    private let time: TimeSource
    private let options: SeriesOptions
    let logger: Logger
    private let traces: TraceExchange?
    private let startedUnixNanoseconds: UInt64
    private let startedMonotonicNanoseconds: UInt64
    /// The time of day of the turn, in seconds since the Unix epoch.
    private var unixSeconds: Double
    var nextForgetting: MonotonicTime = 0
    private var nextCheck: MonotonicTime = 0
    /// The next time at which cells are sampled.
    private(set) var nextSample: MonotonicTime = 0
    /// The times, since the last ``takeQuietLooks()``, at which the cells were due for sampling but a look found them
    /// unchanged.
    private var quietLooks: [MonotonicTime] = []

    /// The time between two checks of the locks and files of the rings: a dead bot's gauges are removed within 2 s.
    static let checkIntervalNanoseconds: Int64 = 250_000_000
    /// The time between two checks for bots that have been gone for long.
    static let forgetIntervalNanoseconds: Int64 = 1_000_000_000
    /// The greatest number of metrics that are registered while a ring's cells are sampled. These were added since its
    /// drain; larger numbers are registered by drains.
    private static let registrationsPerSample = 64

    init(
        directory: RingDirectory, filter: RingFilter, calibration: any TickScaleSource, options: SeriesOptions,
        logger: Logger, time: TimeSource, startedUnixNanoseconds: Int64, startedMonotonicNanoseconds: Int64,
        traces: TraceExchange? = nil, late: LateMinutes? = nil, descriptorBound: Int = .max
    ) {
        self.time = time
        self.traces = traces
        self.directory = directory
        self.filter = filter
        self.calibration = calibration
        self.options = options
        self.logger = logger
        self.startedUnixNanoseconds = UInt64(clamping: startedUnixNanoseconds)
        self.startedMonotonicNanoseconds = UInt64(clamping: startedMonotonicNanoseconds)
        unixSeconds = Double(startedUnixNanoseconds) * 1e-9
        let bounds = BotBounds()
        self.bounds = bounds
        bots = BotAccounts(options: options, budget: bounds.budget, late: late)
        skipped = SkippedRings(directory: directory, logger: logger)
        descriptors = DescriptorShares(bound: descriptorBound)
    }

    /// The rings that are read.
    var rings: [RingDrain] { openRings.all }

    /// Advances all series to a time, before records are inserted.
    func advance(to now: MonotonicTime, unixNanoseconds: Int64) {
        unixSeconds = Double(unixNanoseconds) * 1e-9
        bots.advance(to: now, unixOffsetNanoseconds: unixNanoseconds - now)
    }
}

// MARK: - Coming

extension RingRegistry {
    /// Opens new rings of the directory.
    func update(rings names: [RingName], now: MonotonicTime) {
        bounds.beginScan()
        forgotten.keep(names)
        let selected = names.filter(filter.takes)
        for name in selected { open(name, now: now) }
        skipped.keep(Set(selected))
    }

    private func open(_ name: RingName, now: MonotonicTime) {
        let current = openRings.named(name)
        if let current, current.segment.isStill(at: directory.path(of: name)) { return }
        if forgotten.isAsleep(name, path: directory.path(of: name)) { return }
        if isFull(for: name.bot) {
            bounds.refuse(bot: name.bot)
            return skipped.add(name, overLimit: bounds.limits.maximumBots)
        }
        do throws(RingError) {
            let segment = try Segment(name: name, path: directory.path(of: name))
            let owner = segment.fileState?.owner ?? .max
            guard filter.takes(owner: owner) else { return skipped.add(name, foreignOwner: owner) }
            switch forgotten.look(at: segment) {
            case .asleep: return
            case .awake(let state): return add(segment, returning: state, now: now)
            case .unknown: break
            }
            if let (reason, detail) = reasonNotToRepeat(segment) {
                return skipped.add(name, reason, owner: owner, detail)
            }
            if let current { retire(current, why: "replaced", now: now) }
            if let state = restored.named(name), state.ringID != segment.ringID { supersede(state) }
            add(segment, now: now)
        } catch {
            skipped.add(name, error)
        }
    }

    private func isFull(for bot: String) -> Bool { bots[bot] == nil && bots.count >= bounds.limits.maximumBots }

    /// Returns why a ring must not be read again, or nil. A renamed ring, or a copy of one, would be counted twice.
    private func reasonNotToRepeat(_ segment: Segment) -> (SkippedRing.Reason, String)? {
        if let twin = rings.first(where: { $0.segment.ringID == segment.ringID }) {
            return (
                .duplicate,
                "it is the ring \(twin.segment.name), which is read already (a link, a copy, or it was renamed)"
            )
        }
        if quarantined.contains(fileOf: segment) {
            return (.damaged, "it was damaged while it was read; restart its bot, which makes a new ring")
        }
        if let state = restored.renamed(segment.ringID, from: segment.name) {
            return (
                .duplicate,
                "it is the ring \(state.name), which was read before the collector's restart (a copy, or renamed)"
            )
        }
        return past.contains(segment.ringID)
            ? (.duplicate, "it was read before, and its records are in the totals") : nil
    }

    /// Starts to read a ring.
    ///
    /// - Parameter state: The state from which reading continues, if the bot was forgotten and is back; otherwise nil.
    private func add(_ segment: Segment, returning state: RingState? = nil, now: MonotonicTime) {
        skipped.remove(segment.name)
        descriptors.admit(segment, held: heldDescriptors, logger)
        let bot = bots.account(of: segment.name.bot, now: now)
        bot.series.advance(to: now)
        let lane = bot.series.lane(segment.name.lane)
        // A ring with a creation time in the future counts from now on.
        lane.ringCreatedUnixSeconds = min(Double(segment.createdUnixNanoseconds) * 1e-9, unixSeconds)
        let ring = RingDrain(
            segment: segment, lane: lane, calibration: calibration,
            wasWatched: isYoungerThanThis(segment),
            restored: restored.take(segment.name) ?? state?.withoutCounts, traces: traces, time: time, now: now
        )
        // The counts of a forgotten bot's histograms are no longer in a total.
        if state != nil { lane.resetTotals(atUnixSeconds: unixSeconds, areCellsKept: true) }
        // Without a stored state it is unknown how many of the overwritten records an earlier collector counted.
        if !restored.hasCheckpoint, ring.lost[.beforeAttach] > 0 {
            lane.resetTotals(atUnixSeconds: unixSeconds, areCellsKept: true)
        }
        openRings.add(ring)
        check(ring, now: now)
        logger.info(
            "ring attached",
            [
                ("ring", "\(segment.name)"), ("pid", .integer(Int64(ring.newestLife?.pid ?? 0))),
                ("capacity_records", .integer(Int64(segment.geometry.capacity))), ("alive", .bool(ring.lane.isUp)),
            ])
    }

    /// Returns whether the ring was made since this collector began. In this boot this is decided by CLOCK_MONOTONIC,
    /// if the ring's first attach is still stored, because the wall clock may have been set in between.
    private func isYoungerThanThis(_ segment: Segment) -> Bool {
        guard segment.bootID == .ofThisBoot(), let first = segment.life(1) else {
            return segment.createdUnixNanoseconds >= startedUnixNanoseconds
        }
        return first.anchorMonotonicNanoseconds >= startedMonotonicNanoseconds
    }

    /// Handles a ring that an earlier collector read, and whose name another ring has taken.
    private func supersede(_ state: RingState) {
        restored.replace(state.name)
        bots[state.name.bot]?.retire(state)
        past.insert(state.ringID)
        logger.warn(
            "ring replaced while no collector ran; how many records its bot wrote after the last read is unknown",
            [("ring", "\(state.name)"), ("read_to", .integer(Int64(clamping: state.position)))])
    }

    /// The number of descriptors of rings, including those of rings that are no longer read.
    private var heldDescriptors: Int {
        rings.count(where: \.segment.holdsDescriptor) + quarantined.count + displaced.count
    }
}

// MARK: - Looking between drains: cells, locks, files, processes

extension RingRegistry {
    /// Samples the cells ten times a second, once in each of the finest slices, and checks locks and files four times a
    /// second, after a drain.
    ///
    /// - Parameter isLookedAt: Whether the totals are read in this turn and must be current.
    func houseKeep(now: MonotonicTime, isLookedAt: Bool = true) {
        if now >= nextSample {
            nextSample = sliceEnd(after: now)
            for ring in rings { quarantineIfDamaged(ring, now: now) }
            sampleCells(now: now, isThorough: isLookedAt, areFilesChecked: true)
        } else if isLookedAt {
            sampleCells(now: now)
        }
        if now >= nextCheck {
            nextCheck = now + Self.checkIntervalNanoseconds
            descriptors.shareOut(to: rings, held: heldDescriptors)
            for ring in rings { check(ring, now: now) }
            countDisplaced(now: now)
            forgetOld(now: now)
            bounds.logRefusals(logger)
            processes.look(at: Set(rings.filter(\.lane.isUp).compactMap(ProcessMonitor.Holder.init)), now: now)
            quarantined.removeUnlinked()
        }
    }

    /// Looks whether anything is new since the last drain. If nothing is, only the time has to be passed to the series.
    /// This costs a few loads a ring, and ten times a second one load a counter and gauge.
    ///
    /// - Returns: False if a drain, or a read of the cells that is due, would find something.
    func lookIsQuiet(now: MonotonicTime) -> Bool {
        guard quarantined.count == 0, displaced.count == 0 else { return false }
        let isSampling = now >= nextSample
        for ring in rings where !ring.isQuiet(withCells: isSampling) { return false }
        for ring in rings { ring.noteQuietLook(at: now, withCells: isSampling) }
        if isSampling {
            quietLooks.append(now)
            nextSample = sliceEnd(after: now)
        }
        return true
    }

    /// Adds the results of quiet looks to the series of counters and gauges: nothing had changed at these times. So
    /// their windows begin at the same times as if the cells had been read each time.
    func takeQuietLooks() {
        guard !quietLooks.isEmpty else { return }
        for ring in rings { ring.sampleGauges(atQuietLooks: quietLooks, options: options) }
        for look in quietLooks { for bot in bots.all { bot.series.sampleCounters(now: look) } }
        quietLooks.removeAll(keepingCapacity: true)
    }

    private func sliceEnd(after now: MonotonicTime) -> MonotonicTime {
        now - now % options.finestSliceNanoseconds + options.finestSliceNanoseconds
    }

    /// Reads the cells of every ring with an undamaged file. Damaged rings are removed by housekeeping only.
    ///
    /// - Parameters:
    ///   - isThorough: Whether the cells of histograms, which affect only totals, are read too.
    ///   - areFilesChecked: Whether the files were checked just now.
    func sampleCells(now: MonotonicTime, isThorough: Bool = true, areFilesChecked: Bool = false) {
        for ring in rings where !ring.isExcluded && (areFilesChecked || ring.segment.damage == nil) {
            ring.sampleCells(
                options: options, registrations: Self.registrationsPerSample, isThorough: isThorough, now: now)
            for refusal in ring.takeRefusals() {
                logger.warn("metric refused", [("ring", "\(ring.segment.name)"), ("reason", "\(refusal)")])
            }
        }
        let sampled = max(now, time.monotonic())
        for bot in bots.all { bot.series.sampleCounters(now: sampled) }
        // Records that a bot goes on writing into a ring that is no longer read are in no window, and are not counted.
        for segment in quarantined.alive {
            bots[segment.name.bot]?.series.lane(segment.name.lane).noteUnseen(until: sampled)
        }
    }

    /// Marks the windows after a jump of the ticks. Records that were read before it, or were written before it and
    /// read since, may be anywhere in the windows.
    func noteTickJump(now: MonotonicTime) {
        for bot in bots.all { for lane in bot.series.lanes { lane.loss.add(lost: 0, from: now, to: now) } }
    }

    /// Quarantines a ring whose file is damaged: it is read no more, and the records read so far stay in the totals.
    ///
    /// - Returns: Whether it was damaged.
    @discardableResult
    private func quarantineIfDamaged(_ ring: RingDrain, now: MonotonicTime) -> Bool {
        guard let damage = ring.segment.damage else { return false }
        logger.error("ring quarantined", [("ring", "\(ring.segment.name)"), ("reason", "\(damage)")])
        remove(ring, losingRestAs: .corrupt, now: now)
        quarantined.add(ring.segment)
        return true
    }

    private func check(_ ring: RingDrain, now: MonotonicTime) {
        if quarantineIfDamaged(ring, now: now) { return }
        let isAlive = ring.segment.isProducerAlive
        if ring.isExcluded {
            if !isAlive, ring.segment.fileState?.isUnlinked ?? true { remove(ring, losingRestAs: .unlinked, now: now) }
            return
        }
        ring.lane.wasClosed = isAlive ? nil : ring.segment.isClosed
        if isAlive != ring.lane.isUp {
            ring.lane.isUp = isAlive
            logPresence(of: ring, isAlive: isAlive)
        }
        if let life = ring.newestLife {
            bots[ring.segment.name.bot]?.series.labels = life.labels.map { Label($0.name, $0.value) }
        }
        guard let state = ring.segment.fileState, state.isUnlinked else { return }
        if !isAlive { return retire(ring, why: "removed", now: now) }
        guard unlinked.insert(ring.segment.ringID).inserted else { return }
        logger.warn(
            "ring removed while its bot lives; it is read until the bot ends, but not after a restart of the collector",
            [("ring", "\(ring.segment.name)")])
    }

    private func logPresence(of ring: RingDrain, isAlive: Bool) {
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

// MARK: - Going

extension RingRegistry {
    /// Drains a ring to its end and removes it; its totals stay with its lane.
    private func retire(_ ring: RingDrain, why: String, now: MonotonicTime) {
        _ = ring.drain(limit: Int(ring.segment.geometry.capacity), now: now)
        ring.sampleCells(options: options, now: now)
        remove(ring, losingRestAs: .unlinked, now: now)
        logger.info("ring detached", [("ring", "\(ring.segment.name)"), ("reason", "\(why)")])
        displaced.add(ring, now: now)
    }

    private func remove(_ ring: RingDrain, losingRestAs reason: LossReason, now: MonotonicTime) {
        ring.end(losingRestAs: reason, now: now)
        bots[ring.segment.name.bot]?.retire(ring)
        openRings.remove(ring)
        past.insert(ring.segment.ringID)
        unlinked.remove(ring.segment.ringID)
    }

    /// Counts the records that bots write into rings whose name another ring has taken.
    func countDisplaced(now: MonotonicTime) {
        let losses = displaced.look(now: now)
        guard !losses.isEmpty else { return }
        let looked = max(now, time.monotonic())
        for loss in losses {
            bots[loss.ring.bot]?.lose(loss.records, as: .unlinked, of: loss.lane, since: loss.since, now: looked)
            guard loss.isFirst else { continue }
            logger.warn(
                "ring displaced while its bot lives: another ring has its name; further records of the bot are lost",
                [("ring", "\(loss.ring)"), ("pid", .integer(Int64(loss.pid)))])
        }
    }
}

// MARK: - Configuration

extension RingRegistry {
    /// Applies limits from here on; existing bots and series stay.
    func use(_ limits: BotLimits) { bounds.use(limits) }

    /// Applies these objectives to every bot, future ones included, and the edges of these rules to its histograms.
    func hold(to objectives: [ObjectiveDefinition], metricRules: [MetricRule]) {
        bots.hold(to: objectives, metricRules: metricRules)
        for ring in rings { ring.renewWatches() }
    }

    /// Applies the rules by which the exports show every bot, future ones included.
    func show(by rules: MetricRules, unixNanoseconds: Int64) {
        bots.show(by: rules, unixSeconds: Double(unixNanoseconds) * 1e-9)
    }

    /// Applies another selection of rings from here on. An excluded ring keeps its position and its totals. When it is
    /// included again, reading continues there, and records that were overwritten in the meantime count as lapped.
    func select(_ selection: RingSelection) {
        filter.selection = selection
        for ring in rings where ring.isExcluded == filter.takes(ring.segment.name) {
            ring.isExcluded.toggle()
            if ring.isExcluded {
                ring.lane.isUp = false
                ring.lane.wasClosed = nil
                ring.lane.noteUnread()
            }
            logger.info(
                ring.isExcluded ? "ring excluded" : "ring included again", [("ring", "\(ring.segment.name)")])
        }
    }
}

// MARK: - Showing

extension RingRegistry {
    func availability(of bot: BotSeries, now: MonotonicTime) -> BotAvailability {
        // A bot with a lane that is down is not up, whatever the state of its other lanes is.
        if bot.lanes.contains(where: { $0.wasClosed == false }) { return .down }
        guard bot.isUp, let account = bots[bot.name] else { return bot.isUp ? .up : .ended }
        let shown = account.snapshot(
            rings: openRings.of(bot: bot.name), absent: [], process: nil, now: now, named: [])
        return shown.isHung ? .down : .up
    }

    /// The series of every bot, by name.
    var botSeries: [BotSeries] { bots.sorted.map(\.series) }

    /// The latest time to which a series was advanced.
    var newestTime: MonotonicTime? { bots.all.map(\.series.now).max() }

    /// Returns all bots, sorted by name, with the last samples of their cells. Changes nothing.
    ///
    /// - Parameter names: The metrics wanted; nil is all.
    func snapshots(now: MonotonicTime, named names: Set<String>? = nil) -> [BotSnapshot] {
        let absent = Dictionary(grouping: restored.states) { $0.name.bot }
        return bots.sorted.map { bot in
            bot.snapshot(
                rings: openRings.of(bot: bot.series.name), absent: absent[bot.series.name] ?? [],
                process: processes.snapshot(of: bot.series.name), now: now, named: names)
        }
    }

    func levels(of bot: String) -> [LevelSnapshot] { bots[bot]?.levels ?? [] }

    /// Returns the records that are older than the windows, under the names that their series are shown under.
    func lateBatches() -> [LateBatch] { bots.lateBatches() }

    /// The rings in the directory that are not read, by name.
    var skippedRings: [SkippedRing] { skipped.all }

    /// The limits, and the refusals.
    var limitStatus: LimitStatus {
        var status = bounds.status(bots: bots.count, forgottenBots: forgottenBots.count)
        if !status.refusedSeries.isEmpty { status.largestBots = bots.largest(5) }
        return status
    }
}
