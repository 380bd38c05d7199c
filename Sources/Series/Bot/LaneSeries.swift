/// One lane of a bot: what its ring's metrics are, and what their cells said last.
///
/// A lane outlives its rings: the totals of a ring that was replaced are carried over into those of its successor.
package final class LaneSeries {
    package let name: String
    /// Whether the producer is attached and alive.
    package var isUp = false
    /// What the lane's rings lost, and when.
    package var loss: LossLog
    /// When some metric of the lane was disabled. Its own windows say so, and those of the bot as a whole.
    fileprivate(set) var silence = DisabledIntervals()
    /// When the lane's ring was made, in seconds since the Unix epoch: since then the totals of its new series count.
    package var ringCreatedUnixSeconds: Double = 0
    private var instruments: [SeriesKey: LaneInstrument] = [:]
    /// Up to when the lane's ring was read, and whether that was all of it; nil while it has none that is read.
    private var reading: (until: Int64, isBehind: Bool)?
    /// A time before its cells were read last; nil while there are none.
    private var cellsReadAt: Int64?
    private unowned let bot: BotSeries
    var options: SeriesOptions { bot.options }

    init(name: String, bot: BotSeries) {
        self.name = name
        self.bot = bot
        loss = LossLog(options: bot.options, now: bot.now)
    }

    /// Registers a metric for the life that runs now. The same metric again is the same instrument.
    ///
    /// - Parameters:
    ///   - metric: what the producer says of it.
    ///   - isCurrent: whether the life that runs now registered it; one of an earlier life keeps its total, and has no
    ///     gauge and no windows.
    /// - Returns: nil where another lane has the name with another kind or unit, or there is no room for another series.
    package func register(_ metric: MetricDescriptor, isCurrent: Bool) -> LaneInstrument? {
        let key = SeriesKey(name: metric.name, labels: metric.labels)
        if let known = instruments[key], known.series.kind == metric.kind, known.series.unit == metric.unit,
            bot.summed[key] === known.series
        {
            known.isCurrent = known.isCurrent || isCurrent
            return known
        }
        guard let series = bot.series(for: metric, createdUnixSeconds: ringCreatedUnixSeconds) else { return nil }
        let instrument = LaneInstrument(series: series, lane: self)
        instrument.isCurrent = isCurrent
        instrument.watch = instrument.feed.flatMap { bot.watch(for: key, $0) }
        if metric.kind == .gauge { instrument.late = bot.late?.entrance(bot: bot.name, metric, lane: name) }
        instruments[key] = instrument
        series.add(instrument)
        return instrument
    }

    /// Another one whenever a series of the bot came or went.
    package var generation: UInt64 { bot.generation }

    /// Whether the collector has no room for further series.
    package var isFull: Bool { bot.isFull }

    /// Takes on the thresholds that the bot is held to now.
    func renewWatches() {
        for (key, instrument) in instruments {
            instrument.watch = instrument.feed.flatMap { bot.watch(for: key, $0) }
        }
    }

    /// A new life begins: gauges and windows wait until it registers them again.
    package func beginLife() {
        for instrument in instruments.values {
            instrument.isCurrent = false
            instrument.forgetGauge()
        }
    }

    /// The lane's ring is gone for good: what its cells said is carried over.
    package func carryOver() {
        for instrument in instruments.values { instrument.carryOver() }
    }

    /// Makes totals count anew that may be less than was shown before the collector's restart.
    ///
    /// - Parameter areCellsKept: whether the lane's ring is still there: what its cells count did not fall.
    package func restartTotals(atUnixSeconds time: Double, areCellsKept: Bool) {
        for instrument in instruments.values {
            instrument.series.restart(atUnixSeconds: time, areCellsKept: areCellsKept)
        }
    }

    /// Takes up what the lane had in a series before the collector's restart.
    func restore(_ part: SeriesState.Part, of series: SummedSeries, _ key: SeriesKey) {
        let instrument = LaneInstrument(series: series, lane: self)
        instrument.restore(part)
        instrument.watch = instrument.feed.flatMap { bot.watch(for: key, $0) }
        instruments[key] = instrument
        series.add(instrument)
    }

    /// Says what time it is, in the midst of a drain that takes long.
    package func advance(to now: Int64) { bot.advance(to: now) }

    /// How far apart two reads may be before what came between them counts as blurred, in nanoseconds.
    package var sharpNanoseconds: Int64 { options.sharpNanoseconds }

    /// Notes up to when the lane's ring is read.
    ///
    /// - Parameters:
    ///   - time: what was written before it was read, or is counted as lost.
    ///   - isBehind: whether something waited already when the drain began, and still does.
    package func noteRead(until time: Int64, isBehind: Bool) { reading = (time, isBehind) }

    /// Notes that the lane has no ring, or one that is not to be read.
    package func noteUnread() { (reading, cellsReadAt) = (nil, nil) }

    /// Notes that the cells of the lane's ring are read after a time.
    package func noteCellsRead(at time: Int64) { cellsReadAt = time }

    /// Whether what the cells say is older than windows that end at `now` can bear.
    func hasOldCells(now: Int64) -> Bool { cellsReadAt.map { now - $0 > options.finestSliceNanoseconds } ?? false }

    /// Notes that something of the lane, its cells included, may not have been seen up to a time.
    package func noteUnseen(until time: Int64) {
        loss.add(lost: 0, from: time, to: time)
        for instrument in instruments.values { instrument.noteUnseen(until: time) }
    }

    /// Lets go of what no window reaches any more.
    func settle(now: Int64) {
        loss.settle(now: now)
        let reach = now - options.longestReachNanoseconds
        for instrument in instruments.values { instrument.feed?.forgetFuture(before: reach) }
    }

    /// What is missing from each window for want of records of this lane.
    func completeness(now: Int64) -> [WindowCompleteness] {
        loss.settle(now: now)
        let known = loss.completeness(now: now)
        guard let reading else { return known }
        let isOld = now - reading.until > options.finestSliceNanoseconds
        return reading.isBehind || isOld ? known.incomplete : known
    }

    /// What is missing from some window or other of the lane, records and cells.
    func fullCompleteness(now: Int64) -> [WindowCompleteness] {
        var ofLane = completeness(now: now).combined(with: silence.completeness(options, now: now))
        if hasOldCells(now: now) { ofLane = ofLane.incomplete }
        return instruments.values.filter(\.hasDoubts).reduce(ofLane) {
            $0.combined(with: $1.ownCompleteness(now: now))
        }
    }

    /// Records of the lane that are in the totals and in no window.
    package var misdated: (late: UInt64, future: UInt64) {
        instruments.values.reduce((0, 0)) { sum, instrument in
            (sum.0 &+ (instrument.feed?.lateRecords ?? 0), sum.1 &+ (instrument.feed?.futureRecords ?? 0))
        }
    }
}

extension Number {
    /// Whether it is less than another one; integers are compared as such.
    fileprivate func isBelow(_ other: Number) -> Bool {
        switch (self, other) {
        case (.unsigned(let a), .unsigned(let b)): a < b
        case (.signed(let a), .signed(let b)): a < b
        default: double < other.double
        }
    }

    /// Whether a counter that fell may have counted past 2^64: by less than half of that.
    fileprivate func hasWrapped(since last: Number) -> Bool {
        guard case (.unsigned(let now), .unsigned(let last)) = (self, last) else { return false }
        return now &- last < 1 << 63
    }
}

/// One metric of one lane.
package final class LaneInstrument {
    /// Where a histogram's records go in; nil for other kinds.
    package let feed: SeriesFeed?
    /// What counts a histogram's values against thresholds; nil where it is held to none.
    package fileprivate(set) var watch: ThresholdWatch?
    /// Whether the life that runs now registered it.
    package fileprivate(set) var isCurrent = false
    let series: SummedSeries
    unowned let lane: LaneSeries
    /// What rings before this one counted.
    private(set) var carried = CellTotals()
    /// What this ring's cell said last.
    private(set) var live = CellTotals()
    /// Nil while a gauge is unset, and for every other kind.
    private(set) var gauge: GaugeHistory?
    /// Where a gauge's changes are noted that are older than the windows; nil where nobody keeps minutes.
    fileprivate var late: LateEntrance?
    private var isSampled = false
    private(set) var silence = DisabledIntervals()
    private(set) var doubt = WindowDoubt()
    /// Whether a gauge writes a record of each of its values.
    package var recordsEveryChange = false

    init(series: SummedSeries, lane: LaneSeries) {
        self.series = series
        self.lane = lane
        feed = series.histogram?.openFeed()
    }

    /// Whether its series gave way to a metric of another kind, so that nothing of it is shown.
    package var isSuperseded: Bool { series.hasGivenWay }

    /// Whether it belongs to a life that runs now.
    var isLive: Bool { isCurrent && lane.isUp }

    /// Notes a counter's total, which may be infinite. No producer writes one that is no number: that is damage, and is left
    /// out.
    ///
    /// - Parameters:
    ///   - total: what the cell says.
    ///   - wasWatched: whether the counter was watched from its birth: then its first total is an increase, else the
    ///     base that increases start from.
    package func sample(total: Number, wasWatched: Bool) {
        guard !total.double.isNaN else { return }
        if series.kind == .counter, let last = live.first, total.isBelow(last) {
            // A cell that falls is damage, not news: no producer takes a counter back. One that counted past 2^64 goes on.
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

    /// Notes that something of it may not have been seen up to a time.
    package func noteUnseen(until time: Int64) { doubt.noteUnseen(until: time) }

    /// Notes that something of it happened between two times, nobody knows when. Where these are as close as reads usually are,
    /// that is no news.
    package func noteBlur(from: Int64, to: Int64) {
        guard to - from > lane.options.sharpNanoseconds else { return }
        doubt.noteBlur(from: from, to: to, lane.options)
    }

    private func setLive(_ totals: CellTotals) {
        guard totals != live else { return }
        live = totals
        series.noteChange()
    }

    /// Takes note that the operator has it disabled, or had a moment ago.
    package func noteDisabled(now: Int64) {
        guard isLive else { return }
        silence.note(at: now)
        lane.silence.note(at: now)
    }

    /// Takes note of a histogram's calls and abandoned spans.
    package func sample(calls: UInt64, abandoned: UInt64) {
        if let last = live.first, Number.unsigned(calls).isBelow(last) { return }
        setLive(CellTotals(first: .unsigned(calls), second: abandoned))
    }

    /// Takes note of a histogram's record that carried a trace id.
    package func note(exemplar value: Double, time: Int64, traceID: UInt64) {
        series.histogram?.note(value: value, time: time, traceID: traceID)
    }

    /// Notes a gauge, whose value may be infinite; nil where it is unset. A NaN counts as unset: no producer writes one.
    package func sample(gauge value: (value: Number, highest: Number)?, now: Int64, options: SeriesOptions) {
        guard let value, !value.value.double.isNaN else { return forgetGauge() }
        let highest = value.highest.double.isNaN ? value.value : value.highest
        var history = gauge ?? GaugeHistory(options: options)
        gauge = nil  // So that the history is changed in place.
        history.sample(value.value, highest: highest, now: now)
        gauge = history
    }

    /// Takes note of one change of a gauge that records every one, so that a spike between two samples, or before the
    /// first, shows. One that is older than the windows is in none of them.
    ///
    /// - Parameters:
    ///   - time: when it changed; a later one than now counts as now.
    ///   - isOfPresentLife: whether the life that runs now wrote it: what a gauge was in one that is over is nothing to the
    ///     windows.
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
        // An up-down counter starts each life at 0: what it said in a ring that is gone is over.
        if series.kind != .upDownCounter, let first = live.first {
            carried.first = carried.first.map { (ExactTotal($0) + ExactTotal(first)).number } ?? first
        }
        carried.second &+= live.second
        live = CellTotals()
        series.noteChange()
    }

    /// What is kept of it across a restart of the collector.
    var state: SeriesState.Part {
        SeriesState.Part(
            lane: lane.name, carried: carried, live: live, late: feed?.lateRecords ?? 0,
            future: feed?.futureRecords ?? 0)
    }

    fileprivate func restore(_ part: SeriesState.Part) {
        (carried, live) = (part.carried, part.live)
        feed?.restore(late: part.late, future: part.future)
        // What was counted before is no increase.
        if let total { series.rebase(by: total) }
    }

    /// The lane's part of the total.
    var total: ExactTotal? {
        guard let first = live.first else { return carried.first.map { ExactTotal($0) } }
        return carried.first.map { ExactTotal($0) + ExactTotal(first) } ?? ExactTotal(first)
    }

    var abandoned: UInt64 { carried.second &+ live.second }
}
