/// One metric of one lane.
package final class LaneMetric {
    /// The entry for a histogram's records; nil for other kinds.
    package let recorder: SeriesRecorder?
    /// Counts a histogram's values against thresholds; nil if there are none.
    package internal(set) var watch: ThresholdWatch?
    /// Whether the current life registered it.
    package internal(set) var isCurrent = false
    let series: SummedSeries
    unowned let lane: LaneSeries
    /// The counts of rings before this one.
    private(set) var carried = CellTotals()
    /// The last value of this ring's cell.
    private(set) var live = CellTotals()
    /// Nil while a gauge is unset, and for all other kinds.
    private(set) var gauge: GaugeHistory?
    /// Collects changes of a gauge that are older than the windows; nil if there is no history.
    var late: LateRecordSink?
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
        lane.noteDoubt(at: time)
        doubt.noteUnseen(until: time)
    }

    /// Records that it changed at an unknown moment between two times. Two times as close as usual reads are ignored.
    package func noteBlur(from: Int64, to: Int64) {
        guard to - from > lane.options.sharpNanoseconds else { return }
        lane.noteDoubt(at: to)
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
        lane.noteDoubt(at: now)
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

    /// Forgets the value: the gauge is unset.
    func forgetGauge() { gauge = nil }

    /// Adds the counts of this ring to those of earlier rings, since another ring follows.
    func carryOver() {
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

    /// Restores the lane's part from a checkpoint.
    func restore(_ part: SeriesState.Part) {
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
