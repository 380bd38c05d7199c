internal import RingReader
internal import Series

/// One bot: its series, and the account of each of its lanes over all the rings that the lane has had.
final class BotAccount {
    let series: BotSeries
    private var retired: [String: RetiredRings] = [:]

    /// What rings that are gone left to their lane.
    private struct RetiredRings {
        var drained: UInt64 = 0
        var lost = LossCounts()
        var lastRecordTime: MonotonicTime?
        var pid: Int32 = 0
    }

    init(name: String, options: SeriesOptions, now: MonotonicTime) {
        series = BotSeries(name: name, options: options, now: now)
    }

    /// Carries over what a ring leaves behind. It is drained to its end, its cells are sampled.
    func retire(_ ring: RingDrain) {
        var account = retired[ring.lane.name] ?? RetiredRings()
        account.drained &+= ring.drained
        account.lost = account.lost + ring.lost
        account.lastRecordTime = ring.lastRecordTime ?? account.lastRecordTime
        account.pid = ring.newestLife?.pid ?? account.pid
        retired[ring.lane.name] = account
        ring.lane.carryOver()
        ring.lane.isUp = false
    }

    /// Counts records that were written into a ring that is read no more.
    func lose(_ records: UInt64, as reason: LossReason, of lane: LaneSeries, since: MonotonicTime, now: MonotonicTime) {
        retired[lane.name, default: RetiredRings()].lost[reason] &+= records
        lane.loss.add(lost: records, from: since, to: now)
    }

    func snapshot(
        rings: [RingDrain], process: BotProcessSnapshot?, now: MonotonicTime, named names: Set<String>? = nil
    ) -> BotSnapshot {
        BotSnapshot(
            name: series.name, isUp: series.isUp, labels: series.labels,
            rings: series.lanes.map { lane in snapshot(lane, rings.first { $0.lane === lane }, now: now) },
            metrics: series.metrics(now: now, named: names), windows: series.completeness(now: now), process: process)
    }

    private func snapshot(_ lane: LaneSeries, _ ring: RingDrain?, now: MonotonicTime) -> RingSnapshot {
        let before = retired[lane.name] ?? RetiredRings()
        let lost = before.lost + (ring?.lost ?? LossCounts())
        let drained = before.drained &+ (ring?.drained ?? 0)
        let backlog = ring?.backlog ?? 0
        let lastRecordTime = ring?.lastRecordTime ?? before.lastRecordTime
        return RingSnapshot(
            lane: lane.name, isUp: lane.isUp, pid: ring?.newestLife?.pid ?? before.pid,
            position: drained &+ lost.total &+ backlog, drained: drained, backlog: backlog, lost: lost.byReason,
            late: lane.misdated.late, future: lane.misdated.future,
            lastRecordAge: lastRecordTime.map { max(0, Double(now - $0) * 1e-9) },
            emitOverheadRatio: lane.isUp ? ring?.emitOverheadRatio : nil,
            longestReadGap: ring.map { Double($0.longestReadGapNanoseconds) * 1e-9 })
    }
}
