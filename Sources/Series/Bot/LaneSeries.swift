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
    fileprivate(set) var silence = Silence()
    /// When the lane's ring was made, in seconds since the Unix epoch: since then the totals of its new series count.
    package var ringCreatedUnixSeconds: Double = 0
    private var instruments: [SeriesKey: LaneInstrument] = [:]
    private unowned let bot: BotSeries
    fileprivate var options: SeriesOptions { bot.options }

    init(name: String, bot: BotSeries) {
        self.name = name
        self.bot = bot
        loss = LossLog(options: bot.options)
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

    /// Totals may be less than was shown before the collector's restart: from here on they are others.
    package func restartTotals(atUnixSeconds time: Double) {
        for instrument in instruments.values { instrument.series.restart(atUnixSeconds: time) }
    }

    /// The same of histograms alone, whose records may have been counted before; counters say all that they ever counted.
    package func restartHistograms(atUnixSeconds time: Double) {
        for instrument in instruments.values where instrument.feed != nil {
            instrument.series.restart(atUnixSeconds: time)
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

    /// What is missing from each window of this lane.
    func completeness(now: Int64) -> [WindowCompleteness] {
        loss.settle(now: now)
        return loss.completeness(now: now)
    }

    /// Records of the lane that are in the totals and in no window.
    package var misdated: (late: UInt64, future: UInt64) {
        instruments.values.reduce((0, 0)) { sum, instrument in
            (sum.0 &+ (instrument.feed?.lateRecords ?? 0), sum.1 &+ (instrument.feed?.futureRecords ?? 0))
        }
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
    private(set) var silence = Silence()

    init(series: SummedSeries, lane: LaneSeries) {
        self.series = series
        self.lane = lane
        feed = series.histogram?.openFeed()
    }

    /// Whether it belongs to a life that runs now.
    var isLive: Bool { isCurrent && lane.isUp }

    /// Takes note of a counter's total. One that is no number is left out: nothing else in the total would survive it.
    ///
    /// - Parameters:
    ///   - total: what the cell says.
    ///   - wasWatched: whether the counter was watched from its birth: then its first total is an increase, else the
    ///     base that increases start from.
    package func sample(total: Number, wasWatched: Bool) {
        guard total.double.isFinite else { return }
        // A cell that falls is damage, not news: no producer takes a counter back.
        if series.kind == .counter, let last = live.first, total.double < last.double { return }
        if !isSampled, !wasWatched { series.rebase(by: total.double - (live.first?.double ?? 0)) }
        isSampled = true
        setLive(CellTotals(first: total))
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
        if let last = live.first, Double(calls) < last.double { return }
        setLive(CellTotals(first: .unsigned(calls), second: abandoned))
    }

    /// Takes note of a histogram's record that carried a trace id.
    package func note(exemplar value: Double, time: Int64, traceID: UInt64) {
        series.histogram?.note(value: value, time: time, traceID: traceID)
    }

    /// Takes note of a gauge; nil where it is unset. What is no number counts as unset.
    package func sample(gauge value: (value: Number, highest: Number)?, now: Int64, options: SeriesOptions) {
        guard let value, value.value.double.isFinite else { return forgetGauge() }
        let highest = value.highest.double.isFinite ? value.highest : value.value
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
        guard number.isFinite else { return }
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
            carried.first = carried.first.map { $0 &+ first } ?? first
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
        if let total { series.rebase(by: total.double) }
    }

    /// The lane's part of the total.
    var total: Number? {
        guard let first = live.first else { return carried.first }
        return carried.first.map { $0 &+ first } ?? first
    }

    var abandoned: UInt64 { carried.second &+ live.second }
}
