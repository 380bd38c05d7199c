/// One lane of a bot: the metrics of its ring, and the last values of their cells.
///
/// A lane outlives its rings: the totals of a ring that was replaced are added to those of its successor.
package final class LaneSeries {
    package let name: String
    /// Whether the producer is attached and alive.
    package var isUp = false
    /// Whether the producer closed its ring when it ended; nil if its end was not seen.
    package var wasClosed: Bool?
    /// The losses of the lane's rings, and their times.
    package var loss: LossLog
    /// The last time at which a metric of the lane was disabled. This affects the metric's own windows and those of the
    /// whole bot.
    var disabled = DisabledTime()
    /// The creation time of the lane's ring in seconds since the Unix epoch. The totals of its new series count from
    /// then.
    package var ringCreatedUnixSeconds: Double = 0
    private var instruments: [SeriesKey: LaneMetric] = [:]
    /// Records of the lane that are in the totals but in no window.
    private let misdatedCounts = MisdatedCounts()
    /// The last time at which windows of an instrument became incomplete for a reason of its own; nil if none did.
    private var lastDoubt: Int64?
    /// The time up to which the lane's ring was read, and whether records were left in it; nil if no ring of it is
    /// read.
    private var reading: (until: Int64, isBehind: Bool)?
    /// A time before the last read of the cells; nil if there are none.
    private var cellsReadAt: Int64?
    private unowned let bot: BotSeries
    var options: SeriesOptions { bot.options }

    init(name: String, bot: BotSeries) {
        self.name = name
        self.bot = bot
        loss = LossLog(options: bot.options, now: bot.now)
    }

    /// Registers a metric for the current life. Registering it again returns the same instrument.
    ///
    /// - Parameters:
    ///   - metric: The producer's description.
    ///   - isCurrent: Whether the current life registered it. A metric of an earlier life keeps its total, but has no
    ///     gauge and no windows.
    /// - Returns: Nil if another lane has the name with another kind or unit, or if the limit of series is reached.
    package func register(_ metric: MetricDescriptor, isCurrent: Bool) -> LaneMetric? {
        let key = SeriesKey(name: metric.name, labels: metric.labels)
        if let known = instruments[key], known.series.kind == metric.kind, known.series.unit == metric.unit,
            bot.summed[key] === known.series
        {
            known.isCurrent = known.isCurrent || isCurrent
            return known
        }
        guard let series = bot.series(for: metric, createdUnixSeconds: ringCreatedUnixSeconds) else { return nil }
        let instrument = LaneMetric(series: series, lane: self)
        instrument.isCurrent = isCurrent
        instrument.watch = instrument.recorder.flatMap { bot.watch(for: key, $0) }
        if metric.kind == .gauge { instrument.late = bot.late?.entrance(bot: bot.name, metric, lane: name) }
        enter(instrument, under: key)
        return instrument
    }

    private func enter(_ instrument: LaneMetric, under key: SeriesKey) {
        instruments[key]?.recorder?.account = nil
        instrument.recorder?.account = misdatedCounts
        instruments[key] = instrument
        instrument.series.add(instrument)
    }

    /// Changes whenever a series of the bot is added or removed.
    package var generation: UInt64 { bot.generation }

    /// Whether the limit of series is reached.
    package var isFull: Bool { bot.isFull }

    /// Applies the bot's current thresholds.
    func renewWatches() {
        for (key, instrument) in instruments {
            instrument.watch = instrument.recorder.flatMap { bot.watch(for: key, $0) }
        }
    }

    /// Begins a new life: gauges and windows wait until it registers them again.
    package func beginLife() {
        for instrument in instruments.values {
            instrument.isCurrent = false
            instrument.forgetGauge()
        }
    }

    /// Ends the lane's ring: the values of its cells are added to the totals of earlier rings.
    package func carryOver() {
        for instrument in instruments.values { instrument.carryOver() }
    }

    /// Resets totals that may be lower than the totals shown before the collector's restart.
    ///
    /// - Parameter areCellsKept: Whether the lane's ring still exists, so that the counts of its cells did not
    ///   decrease.
    package func resetTotals(atUnixSeconds time: Double, areCellsKept: Bool) {
        for instrument in instruments.values {
            instrument.series.resetTotal(atUnixSeconds: time, areCellsKept: areCellsKept)
        }
    }

    /// Restores the lane's part of a series from before the collector's restart.
    func restore(_ part: SeriesState.Part, of series: SummedSeries, _ key: SeriesKey) {
        let instrument = LaneMetric(series: series, lane: self)
        instrument.restore(part)
        instrument.watch = instrument.recorder.flatMap { bot.watch(for: key, $0) }
        enter(instrument, under: key)
    }

    /// Advances to a time during a long drain.
    package func advance(to now: Int64) { bot.advance(to: now) }

    /// The longest time between two reads, in nanoseconds, for which the time of an event between them counts as known.
    package var sharpNanoseconds: Int64 { options.sharpNanoseconds }

    /// Records the time up to which the lane's ring is read.
    ///
    /// - Parameters:
    ///   - time: Every record written before this time was read, or is counted as lost.
    ///   - isBehind: Whether records that waited when the drain began are still waiting.
    package func noteRead(until time: Int64, isBehind: Bool) { reading = (time, isBehind) }

    /// Records that the lane has no ring, or none that is to be read.
    package func noteUnread() { (reading, cellsReadAt) = (nil, nil) }

    /// Records that the cells of the lane's ring are read after a time.
    package func noteCellsRead(at time: Int64) { cellsReadAt = time }

    /// Returns whether the last read of the cells is too old for windows that end at `now`.
    func hasOldCells(now: Int64) -> Bool { cellsReadAt.map { now - $0 > options.finestSliceNanoseconds } ?? false }

    /// Records that records or cell values of the lane may have been missed up to a time.
    package func noteUnseen(until time: Int64) {
        loss.add(lost: 0, from: time, to: time)
        for instrument in instruments.values { instrument.noteUnseen(until: time) }
    }

    /// Removes losses that no window can show any more.
    func settle(now: Int64) { loss.settle(now: now) }

    /// Returns the completeness of each window by the records of this lane.
    func completeness(now: Int64) -> [WindowCompleteness] {
        loss.settle(now: now)
        let known = loss.completeness(now: now)
        guard let reading else { return known }
        let isOld = now - reading.until > options.finestSliceNanoseconds
        return reading.isBehind || isOld ? known.incomplete : known
    }

    /// Returns the completeness of the lane's windows by its records and cells together.
    func fullCompleteness(now: Int64) -> [WindowCompleteness] {
        var ofLane = completeness(now: now).combined(with: disabled.completeness(options, now: now))
        if hasOldCells(now: now) { ofLane = ofLane.incomplete }
        guard mayHaveDoubts(now: now) else { return ofLane }
        return instruments.values.reduce(ofLane) {
            $1.hasDoubts(now: now) ? $0.combined(with: $1.ownCompleteness(now: now)) : $0
        }
    }

    /// Records that windows of an instrument are incomplete for a reason of its own, up to a time.
    func noteDoubt(at time: Int64) { lastDoubt = max(lastDoubt ?? time, time) }

    /// Returns whether windows of an instrument may be incomplete for a reason that the lane does not have.
    private func mayHaveDoubts(now: Int64) -> Bool {
        bot.clock.hasAhead || lastDoubt.map { $0 >= now - options.longestReachNanoseconds } ?? false
    }

    /// Returns whether an operator has some metric of the lane disabled.
    package func hasDisabledMetrics(now: Int64) -> Bool { isUp && disabled.isOngoing(now: now) }

    /// Records of the lane that are in the totals but in no window.
    package var misdated: (late: UInt64, future: UInt64) { (misdatedCounts.late, misdatedCounts.future) }
}
