internal import Configuration
internal import Glibc
package import Platform
package import RingReader
internal import Rules
package import Series

/// Drains every ring in turn and publishes the results. It is the collector's only writer.
///
/// A turn finds new rings if it is time, reads a bounded number of records from each ring, so that a fast one does not
/// starve the others, and makes a snapshot if one is wanted. The agent owns all series; other threads read snapshots.
///
/// Records end in the series. A consumer of figures, such as a scrape, requests a snapshot from ``SnapshotExchange``,
/// and this type makes it between two drains.
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
    /// The record of this start; nil once the collector has run for some time.
    private var marker: StartMarker?
    private let started: MonotonicTime
    private let forgetRequests: ForgetRequests?
    private let alertRequests: AlertRequests?
    private let services: @Sendable () -> [ServiceStatus]
    private var account: CollectorStatistics
    private var pace: DrainPace
    private var lastSnapshot: MonotonicTime = 0
    private var lastTurn: MonotonicTime = 0
    private var isCaughtUp = false
    /// The time at which the last turn began.
    private var lastTurnBegan: MonotonicTime = .min
    /// The difference from the series' clock to Unix time. It is read again only if the wall clock was stepped, so that
    /// the same exemplar has the same time in every snapshot.
    private var clockOffsetNanoseconds: Int64
    private let clockStepped: @Sendable () -> Void
    private let rules: RuleEvaluator
    private var levels: LevelEvaluator
    private let exports: ExportAccounts?
    private let configurationFile: ConfigurationFile?
    /// The configuration in force; a new one is applied between two drains.
    private var configuration = ConfigurationFile.Loaded(configuration: CollectorConfiguration(), number: 0)

    /// The number of records that are read from one ring in a turn, before the next ring's turn.
    package static let recordsPerTurn = 65_536
    /// The number of metrics of all rings that are registered in a turn; each ring may register eight in any case. So a
    /// bot that registers thousands at once does not delay the others.
    private static let registrationsPerTurn = 1024
    private static let leastRegistrationsOfARing = 8
    /// The longest time between two whole turns while bots are silent. Their rings are looked at as often as ever, but
    /// the other work of a turn, such as checking whether producers live, can wait so long.
    private static let quietTurnNanoseconds: Int64 = 500_000_000
    /// The least time between two snapshots: at most 20 are made a second, whatever the number of requests.
    package static let snapshotIntervalNanoseconds: Int64 = 50_000_000

    /// - Parameters:
    ///   - saved: The stored state of an earlier collector; nil if there is none.
    ///   - sink: Writes checkpoints; nil if none are stored.
    ///   - setAside: The part of that state that was not restored; nil if all of it was.
    ///   - marker: Records which bot is being restored, and that the start went well.
    ///   - forgetRequests: Operators' requests to forget bots; nil if there can be none.
    ///   - alertRequests: Operators' requests to resolve and silence alerts; nil if there can be none.
    ///   - receipt: Confirms which late minutes and changes of alerts the history has; nil without a history.
    ///   - delivery: Hands alerts and spans to the exports; by default there are none.
    ///   - services: Returns the status of the history and the JSON dumps.
    ///   - descriptors: The greatest number of rings that keep a file descriptor.
    ///   - clockStepped: Called on the drain's thread when the wall clock was stepped or the machine was suspended;
    ///     returns at once.
    package init(
        directory: RingDirectory, filter: RingFilter, exchange: SnapshotExchange, readiness: Readiness,
        logger: Logger, version: String, options: SeriesOptions = SeriesOptions(),
        configuration: ConfigurationFile? = nil, maximumIntervalNanoseconds: Int64, saved: SavedState? = nil,
        sink: (any CheckpointSink)? = nil, setAside: StateSetAside? = nil, marker: StartMarker? = nil,
        forgetRequests: ForgetRequests? = nil, alertRequests: AlertRequests? = nil, receipt: HistoryReceipt? = nil,
        delivery: DeliveryLinks = DeliveryLinks(),
        services: @escaping @Sendable () -> [ServiceStatus] = { [] },
        clockStepped: @escaping @Sendable () -> Void = {}, descriptors: DescriptorBudget = .unbounded,
        time: TimeSource = .system,
        clocks: any MachineClocks = SystemClocks()
    ) {
        self.exchange = exchange
        self.setAside = setAside
        self.marker = marker
        self.forgetRequests = forgetRequests
        self.alertRequests = alertRequests
        self.services = services
        self.clockStepped = clockStepped
        calibration = TickCalibration(clocks: clocks)
        configurationFile = configuration
        rules = RuleEvaluator(logger: logger, time: time, mailbox: delivery.notices, receipt: receipt)
        exports = delivery.exports
        levels = LevelEvaluator(logger: logger)
        clockOffsetNanoseconds = time.unix() - time.monotonic()
        self.readiness = readiness
        self.logger = logger
        self.time = time
        registry = RingRegistry(
            directory: directory, filter: filter, calibration: calibration, options: options, logger: logger,
            time: time, startedUnixNanoseconds: time.unix(), startedMonotonicNanoseconds: time.monotonic(),
            traces: delivery.traces, late: receipt.map { LateMinutes(receipt: $0) }, descriptorBound: descriptors.rings)
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
            saved?.objectives ?? [], alerts: delivery.completing(saved?.alerts ?? []),
            silences: saved?.silences ?? [], moment: saved?.ruleMoment, isSameBoot: saved?.bootID == .ofThisBoot())
    }

    package func doWork() -> Int {
        let begun = time.monotonic()
        lastTurnBegan = begun
        registry.takeQuietLooks()
        takeConfiguration()
        let clockEvents = calibration.refresh()
        note(clockEvents)
        let unix = time.unix()
        registry.advance(to: begun, unixNanoseconds: unix)
        if let rings = watch.rings(now: begun) { registry.update(rings: rings, now: begun) }
        let drained = drainAll(now: begun)
        if clockEvents.contains(.tickJump) { registry.noteTickJump(now: time.monotonic()) }
        registry.houseKeep(now: begun, isLookedAt: rules.isDue(now: begun))
        forget(now: begun)
        if alertRequests?.carryOut({ rules.obey($0, now: begun) }) == true { keeper?.noteRequest() }
        rules.doWork(registry, now: begun, hasRecords: drained > 0) { collectorSnapshot(now: begun) }
        levels.doWork(registry, now: begun, unixNanoseconds: unix)
        checkpoint(now: begun)
        account.noteCycle(nanoseconds: time.monotonic() - begun, now: begun)
        publishIfWanted(begun: begun)
        if begun - started >= StartMarker.trialNanoseconds { endTrial() }
        return drained
    }

    /// Forgets the bots that an operator asked to forget, and ends the alerts and objectives of every forgotten bot.
    private func forget(now: MonotonicTime) {
        let wasAsked = forgetRequests?.carryOut { bot in
            do throws(RingRegistry.ForgetRefusal) {
                try registry.forget(bot, why: "an operator asked for it")
                return .forgotten
            } catch {
                switch error {
                case .unknown: return .unknown
                case .isRunning(let pid): return .isRunning(pid: pid)
                }
            }
        }
        if wasAsked == true { keeper?.noteRequest() }
        for bot in registry.takeForgottenNames() { rules.forget(bot: bot, now: now) }
    }

    /// Ends the trial of the restored state: it has done no harm.
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

    /// Reads the records of every ring, at most ``recordsPerTurn`` of each. If a snapshot is wanted, the limit is the
    /// ring's capacity, so that the snapshot contains the records that the ring contained when the turn began.
    private func drainAll(now: MonotonicTime) -> Int {
        var total = 0
        var registrations = Self.registrationsPerTurn
        let begun = time.monotonic()
        isCaughtUp = true
        for ring in registry.rings where !ring.isExcluded {
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
        guard keeper?.areRequestsStored ?? true else { return }
        forgetRequests?.giveAnswers()
        alertRequests?.giveAnswers()
    }

    /// Whether the present counts would be shown again after a restart.
    private var isKept: Bool { keeper?.isFirstDone ?? true }

    private func publishIfWanted(begun: MonotonicTime) {
        guard exchange.isSnapshotWanted, begun - lastSnapshot >= Self.snapshotIntervalNanoseconds else { return }
        lastSnapshot = begun
        exchange.publish(snapshot(now: begun), begun: begun)
    }

    /// Makes a snapshot of everything, with the present values of cells. It opens and closes no ring: that is done by
    /// housekeeping.
    package func snapshot(now: MonotonicTime) -> Snapshot {
        let (asked, unixNanoseconds) = time.both()
        registry.sampleCells(now: now)
        registry.countDisplaced(now: now)
        let bots = registry.snapshots(now: now)
        // The snapshot's time is the end of its windows, at whatever time they are read.
        let shown = max(asked, registry.newestTime ?? asked)
        var snapshot = Snapshot(
            unixNanoseconds: unixNanoseconds + (shown - asked), monotonicNanoseconds: shown, bots: bots,
            collector: collectorSnapshot(now: now))
        snapshot.late = registry.lateBatches()
        snapshot.clockOffsetNanoseconds = clockOffsetNanoseconds
        rules.complete(&snapshot, registry, now: now)
        return snapshot
    }

    /// Returns the collector's own statistics.
    private func collectorSnapshot(now: MonotonicTime) -> CollectorSnapshot {
        var collector = account.snapshot(
            now: now, configuration: configurationFile?.status, checkpointFailure: keeper?.failure,
            exports: exports?.all ?? [])
        collector.services = services()
        collector.skippedRings = registry.skippedRings
        collector.clock = calibration.snapshot
        collector.limits = registry.limitStatus
        collector.stateSetAside = setAside?.status
        return collector
    }

    /// Sleeps until the fullest ring must be read and has something new, a snapshot is wanted, the ring directory changed, or it
    /// is time for a turn.
    package func idle() {
        guard isCaughtUp else { return }
        var slept: Int64 = 0
        repeat {
            let milliseconds = sleepMilliseconds()
            guard !sleep(milliseconds: milliseconds) else { return }
            slept += Int64(milliseconds) * 1_000_000
        } while slept < Self.quietTurnNanoseconds && looksQuiet(now: time.monotonic())
    }

    /// Looks at the rings after a sleep.
    ///
    /// - Returns: Whether a turn would find nothing to do.
    func looksQuiet(now: MonotonicTime) -> Bool {
        guard isKept, now < lastTurnBegan + Self.quietTurnNanoseconds, !rules.isDue(now: now),
            !exchange.isSnapshotWanted,
            configurationFile.map({ $0.current.number == configuration.number }) ?? true,
            forgetRequests?.isEmpty ?? true, alertRequests?.isEmpty ?? true, registry.lookIsQuiet(now: now)
        else { return false }
        lastTurn = now
        return true
    }

    /// Returns the time for which the rings may be left alone, in milliseconds.
    private func sleepMilliseconds() -> Int32 {
        let now = time.monotonic()
        let interval = pace.intervalNanoseconds(now: now)
        let paced = isHoldingBack ? min(interval, Self.snapshotIntervalNanoseconds) : interval
        // Cells are read at the beginning of each slice, so that windows of counters begin at the same times as all
        // others.
        let wait = min(paced, registry.nextSample - now)
        // Rounded up: a thread that wakes too early would find nothing to do.
        return isKept && keeper?.areRequestsStored ?? true ? Int32(max(1, (wait + 999_999) / 1_000_000)) : 1
    }

    /// - Returns: Whether something ended the sleep.
    private func sleep(milliseconds: Int32) -> Bool {
        var descriptors = [
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isHoldingBack ? -1 : exchange.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        return poll(&descriptors, nfds_t(descriptors.count), milliseconds) != 0
    }

    /// Whether it is too early for another snapshot.
    private var isHoldingBack: Bool { time.monotonic() - lastSnapshot < Self.snapshotIntervalNanoseconds }

    /// Drains the rest, publishes the last snapshot, writes the last checkpoint and logs the totals.
    package func close() {
        let now = time.monotonic()
        registry.takeQuietLooks()
        for ring in registry.rings where !ring.isExcluded {
            _ = ring.drain(limit: Int(ring.segment.geometry.capacity), now: now)
        }
        exchange.publish(snapshot(now: now), begun: now)
        keeper?.finish(registry, rules, now: now, unixNanoseconds: time.unix())
        forgetRequests?.giveAnswers()
        alertRequests?.giveAnswers()
        endTrial()
        let drained = registry.rings.reduce(0 as UInt64) { $0 &+ $1.drained }
        let lost = registry.rings.reduce(LossCounts()) { $0 + $1.lost }
        let beforeAttach = lost[.beforeAttach]
        logger.info(
            "last drain",
            [
                ("rings", .integer(Int64(registry.rings.count))), ("drained", .integer(Int64(clamping: drained))),
                ("lost", .integer(Int64(clamping: lost.total &- beforeAttach))),
                ("before_attach", .integer(Int64(clamping: beforeAttach))),
            ])
    }
}
