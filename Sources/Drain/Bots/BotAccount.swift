internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// One bot: its series, and the account of each of its lanes over all the rings that the lane has had.
final class BotAccount {
    let series: BotSeries
    private var view = BotView()
    private var retired: [String: RetiredRings] = [:]

    /// - Parameter budget: What all bots' series share; nil sets no bound.
    init(name: String, options: SeriesOptions, now: MonotonicTime, budget: SeriesBudget? = nil) {
        series = BotSeries(name: name, options: options, now: now, budget: budget)
    }

    /// Carries over what a ring leaves behind. It is drained to its end, its cells are sampled.
    func retire(_ ring: RingDrain) {
        var account = retired[ring.lane.name] ?? RetiredRings(lane: ring.lane.name)
        account.drained &+= ring.drained
        account.lost = account.lost + ring.lost
        account.lastRecordTime = ring.lastRecordTime ?? account.lastRecordTime
        account.pid = ring.newestLife?.pid ?? account.pid
        retired[ring.lane.name] = account
        ring.lane.carryOver()
        ring.lane.isUp = false
    }

    /// Carries over what an earlier collector read of a ring that is no more.
    func retire(_ kept: RingState) {
        var account = retired[kept.name.lane] ?? RetiredRings(lane: kept.name.lane)
        account.drained &+= kept.drained
        account.lost = account.lost + kept.lost
        account.lastRecordTime = kept.lastRecordTime ?? account.lastRecordTime
        account.pid = kept.pid
        retired[kept.name.lane] = account
        series.lane(kept.name.lane).carryOver()
    }

    /// What a checkpoint keeps of it, beside its series.
    var state: BotState {
        BotState(
            name: series.name, labels: series.labels, retired: retired.values.sorted { $0.lane < $1.lane },
            view: view.state)
    }

    /// The exports show its series by these rules from here on.
    func show(by rules: MetricRules, nowUnixSeconds now: Double) {
        view.use(rules.forBot(series.name), nowUnixSeconds: now)
    }

    /// What each series is shown under; nil where that is its own name. What is not shown is missing.
    var shownKeys: [SeriesKey: SeriesKey]? { view.shownKeys(of: series) }

    /// Takes up what was kept of it.
    func restore(_ state: BotState) {
        series.labels = state.labels
        view.restore(state.view)
        for rings in state.retired {
            retired[rings.lane] = rings
            _ = series.lane(rings.lane)
        }
    }

    /// Counts records that were written into a ring that is read no more.
    func lose(_ records: UInt64, as reason: LossReason, of lane: LaneSeries, since: MonotonicTime, now: MonotonicTime) {
        retired[lane.name, default: RetiredRings(lane: lane.name)].lost[reason] &+= records
        lane.loss.add(lost: records, from: since, to: now)
    }

    /// - Parameters:
    ///   - absent: rings that an earlier collector read and that are not there.
    ///   - names: Metrics wanted, as they are registered; nil is all, as the exports show them.
    func snapshot(
        rings: [RingDrain], absent: [RingState], process: BotProcessSnapshot?, now: MonotonicTime,
        named names: Set<String>? = nil
    ) -> BotSnapshot {
        let metrics = names.map { series.metrics(now: now, named: $0) } ?? view.metrics(of: series, now: now)
        var shown = BotSnapshot(
            name: series.name, isUp: series.isUp, labels: series.labels,
            rings: series.lanes.map { lane in
                snapshot(
                    lane, rings.first { $0.lane === lane }, absent.first { $0.name.lane == lane.name }, now: now)
            },
            metrics: metrics, windows: series.completeness(now: now), process: process)
        shown.refusedSeries = view.state.refused
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
        return RingSnapshot(
            lane: lane.name, isUp: lane.isUp, pid: last?.pid ?? before.pid,
            position: drained &+ lost.total &+ backlog, drained: drained, backlog: backlog, lost: lost.byReason,
            late: misdated.late, future: misdated.future,
            lastRecordAge: lastRecordTime.map { max(0, (Double(now) - Double($0)) * 1e-9) },
            emitOverheadRatio: lane.isUp ? ring?.emitOverheadRatio : nil,
            longestReadGap: ring.map { Double($0.longestReadGapNanoseconds) * 1e-9 },
            refusedMetrics: ring?.segment.refusedMetrics, conflictingMetrics: ring?.conflictingMetrics ?? [],
            backlogMaximum: ring?.backlogMaximum,
            lag: ring?.lagNanoseconds.map { Double($0) * 1e-9 },
            worstRecentLag: ring?.worstLagNanoseconds(now: now).map { Double($0) * 1e-9 })
    }
}
