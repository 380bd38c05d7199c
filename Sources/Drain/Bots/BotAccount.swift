internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// One bot: its series, and the counts of each of its lanes over all rings of the lane.
final class BotAccount {
    let series: BotSeries
    private var view = BotView()
    private var retired: [String: RetiredRings] = [:]

    /// - Parameter budget: The limit that all bots' series share; nil sets none.
    init(name: String, options: SeriesOptions, now: MonotonicTime, budget: SeriesBudget? = nil) {
        series = BotSeries(name: name, options: options, now: now, budget: budget)
    }

    /// Adds the counts of a ring to its lane. The ring is drained to its end, and its cells are sampled.
    func retire(_ ring: RingDrain) {
        var account = retired[ring.lane.name] ?? RetiredRings(lane: ring.lane.name)
        account.drained &+= ring.drained
        account.lost = account.lost + ring.lost
        account.lastRecordTime = ring.lastRecordTime ?? account.lastRecordTime
        account.pid = ring.newestLife?.pid ?? account.pid
        account.wasClosed = ring.segment.isClosed
        retired[ring.lane.name] = account
        ring.lane.carryOver()
        ring.lane.isUp = false
        ring.lane.wasClosed = ring.segment.isClosed
    }

    /// Adds the counts that an earlier collector read of a ring that no longer exists.
    func retire(_ ring: RingState) {
        var account = retired[ring.name.lane] ?? RetiredRings(lane: ring.name.lane)
        account.drained &+= ring.drained
        account.lost = account.lost + ring.lost
        account.lastRecordTime = ring.lastRecordTime ?? account.lastRecordTime
        account.pid = ring.pid
        account.wasClosed = ring.wasClosed
        retired[ring.name.lane] = account
        series.lane(ring.name.lane).carryOver()
    }

    /// Its state in a checkpoint, without its series.
    var state: BotState {
        BotState(
            name: series.name, labels: series.labels, retired: retired.values.sorted { $0.lane < $1.lane },
            view: view.state)
    }

    /// Applies the rules by which the exports show its series.
    func show(by rules: MetricRules, nowUnixSeconds now: Double) {
        view.use(rules.forBot(series.name), nowUnixSeconds: now)
    }

    /// The group that each series is shown in; nil if all series are shown as they are. Series that are not shown are
    /// missing.
    var shown: [SeriesKey: SeriesPlan.Group]? { view.shown(of: series) }

    /// The levels of its series, as the exports show them.
    var levels: [LevelSnapshot] { series.levels(as: shown) }

    /// Restores its stored state.
    func restore(_ state: BotState) {
        series.labels = state.labels
        view.restore(state.view)
        for rings in state.retired {
            retired[rings.lane] = rings
            _ = series.lane(rings.lane)
        }
    }

    /// Counts records that were written into a ring that is no longer read.
    func lose(_ records: UInt64, as reason: LossReason, of lane: LaneSeries, since: MonotonicTime, now: MonotonicTime) {
        retired[lane.name, default: RetiredRings(lane: lane.name)].lost[reason] &+= records
        lane.loss.add(lost: records, from: since, to: now)
    }

    /// - Parameters:
    ///   - absent: Rings that an earlier collector read and that no longer exist.
    ///   - names: The registered names of the metrics wanted; nil is all, as the exports show them.
    func snapshot(
        rings: [RingDrain], absent: [RingState], process: BotProcessSnapshot?, now: MonotonicTime,
        named names: Set<String>? = nil
    ) -> BotSnapshot {
        let (metrics, plan) =
            names.map { (series.metrics(now: now, named: $0), nil) } ?? view.metrics(of: series, now: now)
        var shown = BotSnapshot(
            name: series.name, isUp: series.isUp, labels: series.labels,
            rings: series.lanes.map { lane in
                snapshot(
                    lane, rings.first { $0.lane === lane }, absent.first { $0.name.lane == lane.name }, now: now)
            },
            metrics: metrics, windows: series.completeness(now: now), process: process)
        if names == nil { shown.levels = levels }
        shown.refusedSeries = view.state.refused
        if let plan { (shown.hiddenSeries, shown.unconvertedSeries) = (plan.hidden, plan.unconverted) }
        return shown
    }

    private func snapshot(
        _ lane: LaneSeries, _ ring: RingDrain?, _ absent: RingState?, now: MonotonicTime
    ) -> RingSnapshot {
        let before = retired[lane.name] ?? RetiredRings(lane: lane.name)
        let last = ring?.state ?? absent
        let lost = before.lost + (last?.lost ?? LossCounts())
        let drained = before.drained &+ (last?.drained ?? 0)
        let backlog = ring?.backlog ?? 0
        let misdated = lane.misdated
        let lastRecordTime = last?.lastRecordTime ?? before.lastRecordTime
        var shown = RingSnapshot(
            lane: lane.name, isUp: lane.isUp, pid: last?.pid ?? before.pid,
            position: drained &+ lost.total &+ backlog, drained: drained, backlog: backlog, lost: lost.byReason,
            late: misdated.late, future: misdated.future,
            lastRecordAge: lastRecordTime.map { max(0, (Double(now) - Double($0)) * 1e-9) },
            silence: ring?.silenceNanoseconds(now: now).map { Double($0) * 1e-9 },
            recordOverheadRatio: lane.isUp ? ring?.recordOverheadRatio : nil,
            counterOverheadRatio: lane.isUp ? ring?.counterOverheadRatio : nil,
            longestReadGap: ring.map { Double($0.longestReadGapNanoseconds) * 1e-9 },
            refusedMetrics: ring?.segment.refusedMetrics, conflictingMetrics: ring?.conflictingMetrics ?? [],
            backlogMaximum: ring?.backlogMaximum,
            lag: ring?.lagNanoseconds.map { Double($0) * 1e-9 },
            worstRecentLag: ring?.worstLagNanoseconds(now: now).map { Double($0) * 1e-9 })
        shown.worstRecentWait = ring?.worstWaitNanoseconds(now: now).map { Double($0) * 1e-9 }
        // If a ring disappeared, after a reboot, a sweep or by hand, it counts as closed if it was closed when it was last
        // seen. A ring that is there and not read is unknown.
        let wasClosed = lane.wasClosed ?? absent?.wasClosed ?? (ring == nil ? before.wasClosed : nil)
        shown.presence = lane.isUp ? .up : wasClosed.map { $0 ? .closed : .down } ?? .unknown
        shown.activityAge = ring?.activityAgeNanoseconds(now: now).map { Double($0) * 1e-9 }
        shown.usualPause = ring?.usualPauseNanoseconds.map { Double($0) * 1e-9 }
        shown.hasDisabledMetrics = lane.hasDisabledMetrics(now: now)
        shown.lifeCount = ring?.segment.lifeCount ?? 0
        return shown
    }
}
