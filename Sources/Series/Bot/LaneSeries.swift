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
    fileprivate(set) var disabled = DisabledTime()
    /// The creation time of the lane's ring in seconds since the Unix epoch. The totals of its new series count from
    /// then.
    package var ringCreatedUnixSeconds: Double = 0
    private var instruments: [SeriesKey: LaneMetric] = [:]
    /// Records of the lane that are in the totals but in no window.
    private let misdatedCounts = MisdatedCounts()
    /// Whether a window of any instrument was ever incomplete for a reason of its own.
    fileprivate var hasHadDoubts = false
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
        guard hasHadDoubts || bot.clock.hasAhead else { return ofLane }
        return instruments.values.filter(\.hasDoubts).reduce(ofLane) {
            $0.combined(with: $1.ownCompleteness(now: now))
        }
    }

    /// Returns whether an operator has some metric of the lane disabled.
    package func hasDisabledMetrics(now: Int64) -> Bool { isUp && disabled.isOngoing(now: now) }

    /// Records of the lane that are in the totals but in no window.
    package var misdated: (late: UInt64, future: UInt64) { (misdatedCounts.late, misdatedCounts.future) }
}

extension Number {
    /// Returns whether it is less than another one. Integers are compared as integers.
    fileprivate func isBelow(_ other: Number) -> Bool {
        switch (self, other) {
        case (.unsigned(let a), .unsigned(let b)): a < b
        case (.signed(let a), .signed(let b)): a < b
        default: double < other.double
        }
    }

    /// Returns whether a counter that decreased may have wrapped around at 2^64, by less than half of that.
    fileprivate func hasWrapped(since last: Number) -> Bool {
        guard case (.unsigned(let now), .unsigned(let last)) = (self, last) else { return false }
        return now &- last < 1 << 63
    }
}

/// One metric of one lane.
package final class LaneMetric {
    /// The entry for a histogram's records; nil for other kinds.
    package let recorder: SeriesRecorder?
    /// Counts a histogram's values against thresholds; nil if there are none.
    package fileprivate(set) var watch: ThresholdWatch?
    /// Whether the current life registered it.
    package fileprivate(set) var isCurrent = false
    let series: SummedSeries
    unowned let lane: LaneSeries
    /// The counts of rings before this one.
    private(set) var carried = CellTotals()
    /// The last value of this ring's cell.
    private(set) var live = CellTotals()
    /// Nil while a gauge is unset, and for all other kinds.
    private(set) var gauge: GaugeHistory?
    /// Collects changes of a gauge that are older than the windows; nil if there is no history.
    fileprivate var late: LateRecordSink?
    private var isSampled = false
    private(set) var disabled = DisabledTime()
    private(set) var doubt = WindowIncompleteness()
    /// Whether a gauge writes a record of each of its values.
    package var recordsEveryChange = false

    init(series: SummedSeries, lane: LaneSeries) {
        self.series = series
        self.lane = lane
        recorder = series.histogram?.openRecorder()
    }

    /// Whether its series was superseded by a metric of another kind or unit and is no longer shown.
    package var isSuperseded: Bool { series.isSuperseded }

    /// Whether it belongs to the current life of a producer that is up.
    var isLive: Bool { isCurrent && lane.isUp }

    /// Records a counter's total, which may be infinite. No producer writes NaN; it is damage and ignored.
    ///
    /// - Parameters:
    ///   - total: The value of the cell.
    ///   - wasWatched: Whether the counter was watched from its beginning. Then its first total is an increase;
    ///     otherwise it is the base from which increases start.
    package func sample(total: Number, wasWatched: Bool) {
        guard !total.double.isNaN else { return }
        if series.kind == .counter, let last = live.first, total.isBelow(last) {
            // A cell that decreases is damage, because no producer decreases a counter. A counter that wrapped around
            // continues.
            guard total.hasWrapped(since: last) else { return }
            let wrapped = ExactTotal(.real(0x1p64))
            carried.first = (carried.first.map { ExactTotal($0) + wrapped } ?? wrapped).number
        }
        if !isSampled, !wasWatched {
            series.rebase(by: live.first.map { ExactTotal(total) - ExactTotal($0) } ?? ExactTotal(total))
        }
        isSampled = true
        setLive(CellTotals(first: total))
    }

    /// Records that values of it may have been missed up to a time.
    package func noteUnseen(until time: Int64) {
        lane.hasHadDoubts = true
        doubt.noteUnseen(until: time)
    }

    /// Records that it changed at an unknown moment between two times. Two times as close as usual reads are ignored.
    package func noteBlur(from: Int64, to: Int64) {
        guard to - from > lane.options.sharpNanoseconds else { return }
        lane.hasHadDoubts = true
        doubt.noteBlur(from: from, to: to, lane.options)
    }

    private func setLive(_ totals: CellTotals) {
        guard totals != live else { return }
        live = totals
        series.noteChange()
    }

    /// Records that an operator has disabled it, now or a moment ago.
    package func noteDisabled(now: Int64) {
        guard isLive else { return }
        lane.hasHadDoubts = true
        disabled.note(at: now)
        lane.disabled.note(at: now)
    }

    /// Records a histogram's calls and abandoned spans.
    package func sample(calls: UInt64, abandoned: UInt64) {
        if let last = live.first, Number.unsigned(calls).isBelow(last) { return }
        setLive(CellTotals(first: .unsigned(calls), second: abandoned))
    }

    /// Adds a histogram's record that carried a trace id.
    package func note(exemplar value: Double, time: Int64, traceID: TraceID) {
        series.histogram?.note(value: value, time: time, traceID: traceID)
    }

    /// Records a gauge, whose value may be infinite; nil if it is unset. A NaN counts as unset: no producer writes one.
    package func sample(gauge value: (value: Number, highest: Number)?, now: Int64, options: SeriesOptions) {
        guard let value, !value.value.double.isNaN else { return forgetGauge() }
        let highest = value.highest.double.isNaN ? value.value : value.highest
        var history = gauge ?? GaugeHistory(options: options)
        gauge = nil  // So that the history is changed in place.
        history.sample(value.value, highest: highest, now: now)
        gauge = history
    }

    /// Records one change of a gauge that records each of its changes, so that a spike between two samples, or before
    /// the first one, is shown. A change that is older than the windows is in none of them.
    ///
    /// - Parameters:
    ///   - time: The time of the change; a time later than now counts as now.
    ///   - isOfPresentLife: Whether the current life wrote it. Values of a life that is over are not shown in windows.
    package func note(gaugeChange value: Number, at time: Int64, now: Int64, isOfPresentLife: Bool = true) {
        let number = value.double
        guard !number.isNaN else { return }
        if time < now - lane.options.longestWindowNanoseconds {
            guard let late, let minute = late.minute(of: time) else { return }
            return late.add(.gauge(minimum: number, maximum: number, last: number), to: minute)
        }
        guard isOfPresentLife else { return }
        var history = gauge ?? GaugeHistory(options: lane.options)
        gauge = nil  // So that the history is changed in place.
        history.note(value, at: min(time, now))
        gauge = history
    }

    fileprivate func forgetGauge() { gauge = nil }

    fileprivate func carryOver() {
        // An up-down counter starts each life at 0: the value in an earlier ring is over.
        if series.kind != .upDownCounter, let first = live.first {
            carried.first = carried.first.map { (ExactTotal($0) + ExactTotal(first)).number } ?? first
        }
        carried.second &+= live.second
        live = CellTotals()
        series.noteChange()
    }

    /// The instrument's part of the series' state in a checkpoint.
    var state: SeriesState.Part {
        SeriesState.Part(
            lane: lane.name, carried: carried, live: live, late: recorder?.lateRecords ?? 0,
            future: recorder?.futureRecords ?? 0)
    }

    fileprivate func restore(_ part: SeriesState.Part) {
        (carried, live) = (part.carried, part.live)
        recorder?.restore(late: part.late, future: part.future)
        // Counts from before the restart are no increase.
        if let total { series.rebase(by: total) }
    }

    /// The lane's part of the total.
    var total: ExactTotal? {
        guard let first = live.first else { return carried.first.map { ExactTotal($0) } }
        return carried.first.map { ExactTotal($0) + ExactTotal(first) } ?? ExactTotal(first)
    }

    var abandoned: UInt64 { carried.second &+ live.second }
}
