internal import Configuration
internal import Glibc
package import Platform
package import RingReader
internal import Rules
package import Series

/// Drains every ring in turn and publishes what it found: the collector's one writer.
///
/// A turn looks for new rings when it is time, reads each ring for a bounded number of records, so that a fast one does not
/// starve the others, and makes a snapshot when somebody asked for one. It owns all series; others read snapshots.
package final class DrainAgent: Agent {
    private let registry: RingRegistry
    private let watch: RingWatch
    private let exchange: SnapshotExchange
    private let readiness: Readiness
    private let calibration: TickCalibration
    private let logger: Logger
    private let time: TimeSource
    private let keeper: CheckpointKeeper?
    private let setAside: StateSetAside?
    /// Nil once the collector has run for a while.
    private var marker: StartMarker?
    private let started: MonotonicTime
    private let forgetRequests: ForgetRequests?
    private let services: @Sendable () -> [ServiceStatus]
    private var account: CollectorStatistics
    private var pace: DrainPace
    private var lastSnapshot: MonotonicTime = 0
    private var lastTurn: MonotonicTime = 0
    private var isCaughtUp = false
    /// From the series' clock to Unix time, read again only where the wall clock was stepped: the same exemplar has the same
    /// time in every snapshot.
    private var clockOffsetNanoseconds: Int64
    private let clockStepped: @Sendable () -> Void
    private let rules: RuleEvaluator
    private var levels: LevelEvaluator
    private let exports: ExportAccounts?
    private let configurationFile: ConfigurationFile?
    /// What is in force; a new one is taken on between two drains.
    private var configuration = ConfigurationFile.Loaded(configuration: Configuration(), number: 0)

    /// Records that one ring gives in a turn, before the next ring's turn.
    package static let recordsPerTurn = 65_536
    /// Metrics of all rings that are registered in a turn, and of each ring in any case: a bot that registers thousands at once does
    /// not keep the others waiting.
    private static let registrationsPerTurn = 1024
    private static let leastRegistrationsOfARing = 8
    /// At most 20 snapshots a second, however many ask.
    package static let snapshotIntervalNanoseconds: Int64 = 50_000_000

    /// - Parameters:
    ///   - saved: What an earlier collector kept; nil where there was none.
    ///   - sink: Where checkpoints go; nil where none are kept.
    ///   - setAside: What of it was not taken; nil where all of it was.
    ///   - marker: Is told which bot is taken up, and when the start has gone well.
    ///   - forgetRequests: Where somebody asks that a bot be forgotten; nil where nobody can.
    ///   - late: Who writes down the minutes of late records; nil where nobody does.
    ///   - delivery: Who tells others of what is found; by default nobody.
    ///   - services: How what works beside the drain fares.
    ///   - descriptors: How many rings may keep one.
    ///   - clockStepped: Called on the drain's thread when the wall clock was stepped or the machine was suspended; returns at
    ///     once.
    package init(
        directory: RingDirectory, filter: RingFilter, exchange: SnapshotExchange, readiness: Readiness,
        logger: Logger, version: String, options: SeriesOptions = SeriesOptions(),
        configuration: ConfigurationFile? = nil, maximumIntervalNanoseconds: Int64, saved: SavedState? = nil,
        sink: (any CheckpointSink)? = nil, setAside: StateSetAside? = nil, marker: StartMarker? = nil,
        forgetRequests: ForgetRequests? = nil, late: LateReceipt? = nil, delivery: DeliveryLinks = DeliveryLinks(),
        services: @escaping @Sendable () -> [ServiceStatus] = { [] },
        clockStepped: @escaping @Sendable () -> Void = {}, descriptors: DescriptorBudget = .unbounded,
        time: TimeSource = .system,
        clocks: any MachineClocks = SystemClocks()
    ) {
        self.exchange = exchange
        self.setAside = setAside
        self.marker = marker
        self.forgetRequests = forgetRequests
        self.services = services
        self.clockStepped = clockStepped
        calibration = TickCalibration(clocks: clocks)
        configurationFile = configuration
        rules = RuleEvaluator(logger: logger, time: time, board: delivery.notices)
        exports = delivery.exports
        levels = LevelEvaluator(logger: logger)
        clockOffsetNanoseconds = time.unix() - time.monotonic()
        self.readiness = readiness
        self.logger = logger
        self.time = time
        registry = RingRegistry(
            directory: directory, filter: filter, calibration: calibration, options: options, logger: logger,
            time: time, startedUnixNanoseconds: time.unix(), startedMonotonicNanoseconds: time.monotonic(),
            traces: delivery.traces, late: late.map { LateMinutes(receipt: $0) }, descriptorBound: descriptors.rings)
        watch = RingWatch(directory: directory)
        account = CollectorStatistics(version: version, now: time.monotonic())
        pace = DrainPace(maximumIntervalNanoseconds: maximumIntervalNanoseconds)
        let now = time.monotonic()
        started = now
        registry.beginAnew(setAside, unixNanoseconds: time.unix())
        keeper = sink.map { CheckpointKeeper(sink: $0, saved: saved, now: now) }
        if let saved {
            registry.restore(saved, now: now) { marker?.note(bot: $0) }
        }
        rules.restore(
            saved?.objectives ?? [], alerts: delivery.completing(saved?.alerts ?? []), moment: saved?.ruleMoment,
            isSameBoot: saved?.bootID == .ofThisBoot())
    }

    package func doWork() -> Int {
        let begun = time.monotonic()
        takeConfiguration()
        let clockEvents = calibration.refresh()
        note(clockEvents)
        let unix = time.unix()
        registry.unixSeconds = Double(unix) * 1e-9
        registry.late?.unixOffsetNanoseconds = unix - begun
        registry.advance(to: begun)
        if let rings = watch.rings(now: begun) { registry.update(rings: rings, now: begun) }
        let drained = drainAll(now: begun)
        if clockEvents.contains(.tickJump) { registry.noteTickJump(now: time.monotonic()) }
        registry.houseKeep(now: begun)
        forget(now: begun)
        rules.doWork(registry, now: begun)
        levels.doWork(registry, now: begun)
        checkpoint(now: begun)
        account.noteCycle(nanoseconds: time.monotonic() - begun, now: begun)
        publishIfWanted(begun: begun)
        if begun - started >= StartMarker.trialNanoseconds { endTrial() }
        return drained
    }

    /// Forgets the bots that somebody wants forgotten, and ends what is said of all that were.
    private func forget(now: MonotonicTime) {
        forgetRequests?.answer { bot in
            do throws(RingRegistry.ForgetRefusal) {
                try registry.forget(bot, why: "somebody asked for it")
                return .forgotten
            } catch {
                switch error {
                case .unknown: return .unknown
                case .isRunning(let pid): return .isRunning(pid: pid)
                }
            }
        }
        for bot in registry.forgottenNames { rules.forget(bot: bot, now: now) }
        registry.forgottenNames = []
    }

    /// The state that was taken up has done no harm.
    private func endTrial() {
        marker?.remove()
        marker = nil
    }

    private func note(_ events: [ClockEvent]) {
        guard !events.isEmpty else { return }
        logger.note(events)
        guard events.contains(where: { $0 != .tickJump }) else { return }
        clockOffsetNanoseconds = time.unix() - time.monotonic()
        clockStepped()
    }

    private func takeConfiguration() {
        guard let next = configurationFile?.current, next.number != configuration.number else { return }
        configuration = next
        registry.use(next.configuration.limits)
        registry.select(next.configuration.rings)
        registry.hold(to: next.configuration.objectives, metricRules: next.configuration.metrics)
        registry.show(by: next.configuration.metricRules, unixNanoseconds: time.unix())
        rules.use(next.configuration)
    }

    /// Reads what every ring held when the turn began; a ring that is written faster than it is read ends its turn all the
    /// same, after its whole capacity.
    private func drainAll(now: MonotonicTime) -> Int {
        var total = 0
        var registrations = Self.registrationsPerTurn
        let begun = time.monotonic()
        isCaughtUp = true
        for ring in registry.rings where !ring.isLaidAside {
            let limit = exchange.isSnapshotWanted ? Int(ring.segment.geometry.capacity) : Self.recordsPerTurn
            let metrics = ring.metricCount
            let (records, isCaughtUp) = ring.drain(
                limit: limit, registrations: max(Self.leastRegistrationsOfARing, registrations), now: now)
            registrations -= ring.metricCount - metrics
            keepPace(with: ring, now: now)
            self.isCaughtUp = self.isCaughtUp && isCaughtUp
            total += records
        }
        lastTurn = now
        account.noteDrain(records: total, nanoseconds: time.monotonic() - begun, now: now)
        return total
    }

    private func keepPace(with ring: RingDrain, now: MonotonicTime) {
        let capacity = ring.segment.geometry.capacity
        if let published = ring.takePublished() {
            pace.note(published: published, elapsedNanoseconds: now - lastTurn, capacity: capacity, now: now)
        } else {
            pace.noteNewcomer(capacity: capacity, now: now)
        }
    }

    private func checkpoint(now: MonotonicTime) {
        if isCaughtUp { registry.endRestore(unixNanoseconds: time.unix()) }
        keeper?.turn(registry, rules, isCaughtUp: isCaughtUp, now: now, unixNanoseconds: time.unix())
        if isCaughtUp && isKept { readiness.markReady() }
    }

    /// Whether what is shown now could be shown again after a restart.
    private var isKept: Bool { keeper?.isFirstDone ?? true }

    private func publishIfWanted(begun: MonotonicTime) {
        guard exchange.isSnapshotWanted, begun - lastSnapshot >= Self.snapshotIntervalNanoseconds else { return }
        lastSnapshot = begun
        exchange.publish(snapshot(now: begun), begun: begun)
    }

    /// What is shown of everything, with the cells read now. No ring comes or goes for it: that is housekeeping's.
    package func snapshot(now: MonotonicTime) -> Snapshot {
        let (asked, unixNanoseconds) = time.both()
        registry.sampleCells(now: now)
        registry.countDisplaced(now: now)
        let bots = registry.snapshots(now: now)
        // Its time is that of its windows, whenever it is that they are read.
        let shown = registry.bots.values.reduce(asked) { max($0, $1.series.now) }
        var snapshot = Snapshot(
            unixNanoseconds: unixNanoseconds + (shown - asked), monotonicNanoseconds: shown, bots: bots,
            collector: account.snapshot(
                now: now, configuration: configurationFile?.status, checkpointFailure: keeper?.failure,
                exports: exports?.all ?? []))
        snapshot.late = registry.lateBatches()
        snapshot.clockOffsetNanoseconds = clockOffsetNanoseconds
        snapshot.collector.services = services()
        snapshot.collector.unreadRings = registry.unread
        snapshot.collector.clock = calibration.snapshot
        snapshot.collector.limits = registry.limitStatus
        snapshot.collector.stateSetAside = setAside?.status
        rules.complete(&snapshot, registry, now: now)
        return snapshot
    }

    /// Sleeps until the fullest ring wants to be read, a snapshot is wanted, or the ring directory changed.
    package func idle() {
        guard isCaughtUp else { return }
        var descriptors = [
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isHoldingBack ? -1 : exchange.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        let interval = pace.intervalNanoseconds(now: time.monotonic())
        let paced = isHoldingBack ? min(interval, Self.snapshotIntervalNanoseconds) : interval
        // Cells are read at the beginning of each slice, so that windows of counters begin where all others do.
        let wait = min(paced, registry.nextSample - time.monotonic())
        poll(&descriptors, nfds_t(descriptors.count), isKept ? Int32(max(1, wait / 1_000_000)) : 1)
    }

    /// Whether a snapshot asked for now would come too soon after the last.
    private var isHoldingBack: Bool { time.monotonic() - lastSnapshot < Self.snapshotIntervalNanoseconds }

    /// Drains what is there, and says what it comes to: nobody can ask any more.
    package func close() {
        let now = time.monotonic()
        for ring in registry.rings where !ring.isLaidAside {
            _ = ring.drain(limit: Int(ring.segment.geometry.capacity), now: now)
        }
        exchange.publish(snapshot(now: now), begun: now)
        keeper?.finish(registry, rules, now: now, unixNanoseconds: time.unix())
        endTrial()
        let (drained, lost) = registry.rings.reduce((0, 0) as (UInt64, UInt64)) {
            ($0.0 &+ $1.drained, $0.1 &+ $1.lost.total)
        }
        logger.info(
            "last drain",
            [
                ("rings", .integer(Int64(registry.rings.count))), ("drained", .integer(Int64(clamping: drained))),
                ("lost", .integer(Int64(clamping: lost))),
            ])
    }
}
