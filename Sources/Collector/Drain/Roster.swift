internal import Configuration
internal import RingReader
internal import Rules
internal import Series

/// Which rings there are, and which bots they make up.
///
/// A ring comes when its file appears and goes when its file is gone and its producer too. A file replaced by another
/// under the same name is drained to its end before its successor is opened; the totals of both are the lane's.
final class Roster: BotRoster {
    private(set) var rings: [RingDrain] = []
    private(set) var bots: [String: BotAccount] = [:]
    /// Rings that an earlier collector read, as it left them, and that were not seen since.
    private(set) var absent: [RingName: RingState] = [:]
    /// Whether that collector may have shown more than it kept.
    private var mayHaveShownMore = false
    /// Rings that others had replaced when this collector came.
    private var superseded: [RingName] = []
    /// Rings that could not be opened, with what was said of it, so that it is said once.
    private var refused: [RingName: String] = [:]
    private(set) var past = PastRings()
    /// Rings whose file was damaged: not read again whatever its header says now. Kept open, so that the file's number stays
    /// its own.
    private var quarantined: [Segment] = []
    /// Rings whose file lost its name while their bot lives, so that it is said once.
    private var unlinked: Set<Segment.Identifier> = []
    /// Rings whose name another has taken while their bot lives.
    private var displaced = DisplacedRings()
    /// The processes of the bots that live.
    private var processes = ProcessWatch()
    private let directory: RingDirectory
    private var filter: RingFilter
    private let calibration: any TickScaleSource
    private let options: SeriesOptions
    let logger: Logger
    private let startedUnixNanoseconds: UInt64
    private let traces: TraceExchange?
    private var objectives: [ObjectiveDefinition] = []
    private var shown = (rules: MetricRules(), sinceUnixSeconds: 0.0)
    private var metricRules: [MetricRule] = []
    private var nextCheck: MonotonicTime = 0
    private var nextSample: MonotonicTime = 0

    /// How often the locks and files of the rings are looked at: a dead bot's gauges leave within 2 s.
    static let checkIntervalNanoseconds: Int64 = 250_000_000

    init(
        directory: RingDirectory, filter: RingFilter, calibration: any TickScaleSource, options: SeriesOptions,
        logger: Logger, startedUnixNanoseconds: Int64, traces: TraceExchange? = nil
    ) {
        self.traces = traces
        self.directory = directory
        self.filter = filter
        self.calibration = calibration
        self.options = options
        self.logger = logger
        self.startedUnixNanoseconds = UInt64(clamping: startedUnixNanoseconds)
    }

    // MARK: Going on after a restart

    /// Takes up what an earlier collector kept, before any ring is opened.
    func restore(_ saved: SavedState, now: MonotonicTime) {
        // Times of another run of the machine are none of this one's.
        let saved = saved.bootID == .ofThisBoot() ? saved : saved.withoutTimes
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

    private func bot(_ name: String, now: MonotonicTime) -> BotAccount {
        let bot = bots[name] ?? BotAccount(name: name, options: options, now: now)
        if bots.updateValue(bot, forKey: name) == nil {
            hold(bot.series)
            bot.show(by: shown.rules, nowUnixSeconds: shown.sinceUnixSeconds)
        }
        return bot
    }

    // MARK: Coming

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

    /// Holds every bot, those to come included, to these objectives, and gives its histograms the edges that these rules
    /// choose.
    func hold(to objectives: [ObjectiveDefinition], metricRules: [MetricRule]) {
        self.objectives = objectives
        self.metricRules = metricRules
        for bot in bots.values { hold(bot.series) }
        for ring in rings { ring.renewWatches() }
    }

    /// The exports show every bot, those to come included, by these rules.
    func show(by rules: MetricRules, unixNanoseconds: Int64) {
        shown = (rules, Double(unixNanoseconds) * 1e-9)
        for bot in bots.values { bot.show(by: rules, nowUnixSeconds: shown.sinceUnixSeconds) }
    }

    private func hold(_ bot: BotSeries) {
        bot.hold(to: objectives.filter { $0.bot.matches(bot.name) }.compactMap(\.rule)) {
            [metricRules, name = bot.name] in metricRules.edges(of: $0, labels: $1, bot: name)
        }
    }

    /// Takes and leaves by another selection from here on. A ring that is left keeps its place and its totals: taken again, it
    /// is read on from there, and what was overwritten meanwhile counts as lapped.
    func select(_ selection: RingSelection) {
        filter.selection = selection
        for ring in rings where ring.isLaidAside == filter.takes(ring.segment.name) {
            ring.isLaidAside.toggle()
            if ring.isLaidAside { ring.lane.isUp = false }
            logger.info(
                ring.isLaidAside ? "ring laid aside" : "ring taken up again", [("ring", "\(ring.segment.name)")])
        }
    }

    // MARK: Watching

    /// Says what time it is to all series, before records are inserted.
    func advance(to now: MonotonicTime) {
        for bot in bots.values { bot.series.advance(to: now) }
    }

    /// Samples the cells ten times a second and looks at locks and files four times a second, after a drain.
    func houseKeep(now: MonotonicTime) {
        if now >= nextSample {
            nextSample = now + options.finestSliceNanoseconds
            sampleCells(now: now)
        }
        if now >= nextCheck {
            nextCheck = now + Self.checkIntervalNanoseconds
            for ring in rings { check(ring, now: now) }
            countDisplaced(now: now)
            processes.look(at: Set(rings.filter(\.lane.isUp).compactMap(ProcessWatch.Holder.init)), now: now)
            quarantined.removeAll { $0.fileState?.isUnlinked ?? true }
        }
    }

    private func sampleCells(now: MonotonicTime) {
        for ring in rings where isSound(ring, now: now) && !ring.isLaidAside {
            ring.sampleCells(options: options, now: now)
            for refusal in ring.takeRefusals() {
                logger.warn("metric refused", [("ring", "\(ring.segment.name)"), ("reason", "\(refusal)")])
            }
        }
        for bot in bots.values { bot.series.sampleCounters(now: now) }
    }

    /// Lets go of a ring whose file is no longer what it was: what it held is as far as it was read.
    private func isSound(_ ring: RingDrain, now: MonotonicTime) -> Bool {
        guard let damage = ring.segment.damage else { return true }
        logger.error("ring quarantined", [("ring", "\(ring.segment.name)"), ("reason", "\(damage)")])
        letGo(ring, losingRestAs: .corrupt, now: now)
        quarantined.append(ring.segment)
        return false
    }

    private func check(_ ring: RingDrain, now: MonotonicTime) {
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

    // MARK: Going

    /// Drains a ring to its end and lets go of it; its totals stay with its lane.
    private func retire(_ ring: RingDrain, why: String, now: MonotonicTime) {
        _ = ring.drain(limit: Int(ring.segment.geometry.capacity), now: now)
        ring.sampleCells(options: options, now: now)
        letGo(ring, losingRestAs: .unlinked, now: now)
        logger.info("ring let go", [("ring", "\(ring.segment.name)"), ("reason", "\(why)")])
        displaced.add(ring, now: now)
    }

    /// What bots write into rings that lost their name to others.
    private func countDisplaced(now: MonotonicTime) {
        for loss in displaced.look(now: now) {
            bots[loss.ring.bot]?.lose(loss.records, as: .unlinked, of: loss.lane, since: loss.since, now: now)
            guard loss.isFirst else { continue }
            logger.warn(
                "ring displaced under its bot: another ring has its name; what the bot goes on writing is lost",
                [("ring", "\(loss.ring)"), ("pid", .integer(Int64(loss.pid)))])
        }
    }

    private func letGo(_ ring: RingDrain, losingRestAs reason: LossReason, now: MonotonicTime) {
        ring.end(losingRestAs: reason, now: now)
        bots[ring.segment.name.bot]?.retire(ring)
        rings.removeAll { $0 === ring }
        past.insert(ring.segment.ringID)
        unlinked.remove(ring.segment.ringID)
    }

    // MARK: Showing

    func presence(of bot: BotSeries) -> BotPresence {
        if bot.isUp { return .up }
        let own = rings.filter { $0.segment.name.bot == bot.name && !$0.isLaidAside }
        return own.contains { !$0.segment.isClosed } ? .dead : .ended
    }

    /// The series of every bot, by name.
    var botSeries: [BotSeries] { bots.values.map(\.series).sorted { $0.name < $1.name } }

    /// All bots, sorted by name, with their cells read now.
    ///
    /// - Parameter names: The metrics wanted, as they are registered; nil is all, as the exports show them.
    func snapshots(now: MonotonicTime, named names: Set<String>? = nil) -> [BotSnapshot] {
        sampleCells(now: now)
        return bots.values.sorted { $0.series.name < $1.series.name }.map { bot in
            bot.snapshot(
                rings: rings.filter { $0.segment.name.bot == bot.series.name },
                absent: absent.values.filter { $0.name.bot == bot.series.name },
                process: processes.snapshot(of: bot.series.name), now: now, named: names)
        }
    }
}
