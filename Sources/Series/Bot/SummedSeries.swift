/// One metric of one bot over all its lanes.
final class SummedSeries: HistogramOwner {
    let key: SeriesKey
    let kind: MetricKind
    let unit: MetricUnit
    let help: String
    /// See ``SeriesHead/ordinal``.
    var ordinal: UInt64 = 0
    /// Nil for all other kinds.
    let histogram: HistogramSeries?
    let options: SeriesOptions
    /// Whether a metric of another kind or unit has its name now, so that it is no longer shown.
    var isSuperseded = false
    /// The time from which the totals count, in seconds since the Unix epoch.
    private(set) var createdUnixSeconds: Double
    /// The time from which the counts of a histogram's cells (calls and abandoned spans) count, in seconds since the
    /// Unix epoch.
    private(set) var cellsCreatedUnixSeconds: Double
    private var isChanged = true
    /// The list of changed series; nil before it belongs to a bot. The list owns its series.
    private weak var changes: SeriesChanges?
    /// Whether the bot's last sample of counters has its total.
    private var isSampled = false
    private var knownCheckpointKey: String?
    /// The number of the checkpoint that must store the whole series again; nil before the first one.
    private var wholeAt: UInt64?
    /// Whether checkpoints stored changes of it since the last whole one.
    private var hasChanges = false
    private var parts: [Part] = []
    /// Both are nil for all kinds but counters.
    private let history: CounterHistory?
    private let sampler: CounterSampler?
    /// Nil before the first reading that is worth a level.
    private var levels: SeriesLevels?

    init(
        _ metric: MetricDescriptor, options: SeriesOptions, now: Int64, createdUnixSeconds: Double,
        cellsCreatedUnixSeconds: Double? = nil, clock: WindowClock, filling: CurrentSliceMerge, sampler: CounterSampler
    ) {
        key = SeriesKey(name: metric.name, labels: metric.labels)
        kind = metric.kind
        unit = metric.unit
        help = metric.help
        self.options = options
        self.createdUnixSeconds = createdUnixSeconds
        self.cellsCreatedUnixSeconds = cellsCreatedUnixSeconds ?? createdUnixSeconds
        histogram =
            metric.kind == .histogram
            ? HistogramSeries(options: options, now: now, clock: clock, filling: filling) : nil
        if metric.kind == .counter || metric.kind == .upDownCounter {
            self.sampler = sampler
            history = CounterHistory(times: sampler.times, watchedSince: now)
        } else {
            (self.sampler, history) = (nil, nil)
        }
        histogram?.owner = self
        self.sampler?.add(self)
    }

    // A lane owns its instruments, and they own their series. The reference back must not own them.
    private struct Part {
        unowned let instrument: LaneMetric
    }

    var instruments: [LaneMetric] { parts.map(\.instrument) }

    func add(_ instrument: LaneMetric) {
        parts.append(Part(instrument: instrument))
        requestSample()
        parts.sort { $0.instrument.lane.name < $1.instrument.lane.name }
    }

    /// Whether a current life has registered it.
    var isRegistered: Bool { parts.contains { $0.instrument.isLive } }

    func rebase(by amount: ExactTotal) { history?.rebase(by: amount) }

    /// Adds the current total to the history. Only for counters.
    func sampleCounter() {
        isSampled = true
        if let total { history?.note(total) }
    }

    /// Makes the next sample of the bot's counters read its total.
    private func requestSample() {
        guard isSampled else { return }
        isSampled = false
        sampler?.add(self)
    }

    private var total: ExactTotal? {
        var total: ExactTotal?
        for part in parts {
            guard let added = part.instrument.total else { continue }
            total = total.map { $0 + added } ?? added
        }
        return total
    }

    /// Calls `body` with the reading. A gauge has a reading for each lane that is up, and a counter that was never
    /// sampled has none.
    func forEachReading(
        _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64,
        _ body: (MetricSnapshot.Reading) -> Void
    ) {
        switch kind {
        case .counter: if let counter = counter(now: now) { body(.counter(counter)) }
        case .upDownCounter: if let counter = counter(now: now) { body(.upDownCounter(counter)) }
        case .gauge:
            for part in parts {
                let ofLane = completeness[ObjectIdentifier(part.instrument.lane)] ?? []
                if let gauge = gauge(part.instrument, ofLane, now: now) { body(gauge) }
            }
        case .histogram: if let histogram { body(.histogram(snapshot(histogram, completeness, now: now))) }
        }
    }

    private func counter(now: Int64) -> CounterSnapshot? {
        total.map {
            CounterSnapshot(
                value: $0.number, rate: isRegistered ? history?.rate : nil,
                windows: isRegistered ? counterWindows(now: now) : [],
                watchedIncrease: history?.cumulativeIncrease ?? 0)
        }
    }

    private func counterWindows(now: Int64) -> [CounterWindow] {
        var windows = history?.windowSnapshots ?? []
        for part in parts where part.instrument.hasDoubts(now: now) || part.instrument.lane.hasOldCells(now: now) {
            for (index, known) in part.instrument.cellCompleteness(now: now).enumerated() where !known.isComplete {
                windows[index].isComplete = false
            }
        }
        return windows
    }

    /// - Parameter ofLane: The completeness by the lane's records, which does not affect a gauge that writes none.
    private func gauge(
        _ instrument: LaneMetric, _ ofLane: [WindowCompleteness], now: Int64
    ) -> MetricSnapshot.Reading? {
        guard instrument.isLive, let gauge = instrument.gauge, let reading = gauge.reading else { return nil }
        var known = instrument.cellCompleteness(now: now)
        if instrument.recordsEveryChange { known = known.combined(with: ofLane) }
        var windows = gauge.windowSnapshots(now: now)
        for (index, known) in known.enumerated() { windows[index].isComplete = known.isComplete }
        return .gauge(
            GaugeSnapshot(
                lane: instrument.lane.name, value: reading.value, highest: reading.highest, windows: windows))
    }

    private func snapshot(
        _ histogram: HistogramSeries, _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> HistogramSnapshot {
        histogram.flush()
        let totals = histogram.totals()
        let (calls, abandoned) = (calls, parts.reduce(0) { $0 &+ $1.instrument.abandoned })
        let known = isRegistered ? self.completeness(completeness, now: now) : []
        if let same = histogram.unchangedSnapshot(calls: calls, abandoned: abandoned, known) { return same }
        let snapshot = HistogramSnapshot(
            calls: calls, abandoned: abandoned, failed: histogram.failed,
            total: totals.summary, sketch: totals.sketch, classicBuckets: totals.classicBuckets,
            exemplars: histogram.exemplarSnapshots(buckets: totals.classicBuckets),
            windows: isRegistered ? histogram.windowSnapshots(completeness: known) : [],
            weights: totals.weights, version: totals.version)
        histogram.keep(snapshot)
        return snapshot
    }

    var calls: UInt64 {
        total.map { UInt64(clamping: $0.whole) } ?? 0
    }

    /// Returns the completeness over the rings that feed the series, and over its own part in each of them.
    fileprivate func completeness(
        _ ofLanes: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [WindowCompleteness] {
        var known: [WindowCompleteness] = []
        for part in parts {
            let instrument = part.instrument
            if let ofLane = ofLanes[ObjectIdentifier(instrument.lane)] {
                known = known.isEmpty ? ofLane : known.combined(with: ofLane)
            }
        }
        for part in parts where part.instrument.hasDoubts(now: now) {
            known = known.combined(with: part.instrument.ownCompleteness(now: now))
        }
        return known
    }
}

extension SummedSeries {
    /// Reads the levels. Must be called once a minute.
    ///
    /// Cost: some 2 us a statistic that has begun, and the cost of one window for a histogram with records; nothing for
    /// a series without a current life.
    ///
    /// - Returns: The levels that left their usual range or came back.
    func readLevels(
        _ completeness: [ObjectIdentifier: [WindowCompleteness]], window: Int?, now: Int64, unixSeconds: Int64
    ) -> [LevelChange] {
        guard isRegistered else {
            levels?.forgetBase()
            return []
        }
        var levels = self.levels ?? SeriesLevels()
        self.levels = nil  // So that the levels are changed in place.
        defer { self.levels = levels }
        func read(_ statistic: LevelStatistic, lane: String = "", _ value: Double, isWorthBeginning: Bool = true)
            -> LevelChange?
        {
            levels.read(
                statistic, lane: lane, value, isWorthBeginning: isWorthBeginning, now: now, unixSeconds: unixSeconds)
        }
        switch kind {
        case .histogram:
            guard let histogram else { return [] }
            return readLevels(of: histogram, completeness, window: window, now: now, &levels, unixSeconds)
        case .counter:
            let index = window ?? 0
            let isKnown = !parts.contains { part in
                (part.instrument.hasDoubts(now: now) || part.instrument.lane.hasOldCells(now: now))
                    && !part.instrument.cellCompleteness(now: now)[index].isComplete
            }
            guard
                let (increase, elapsed) = levels.increase(
                    to: history?.cumulativeIncrease ?? 0, now: now, isKnown: isKnown)
            else { return [] }
            let minute = increase * 60 / elapsed
            return [read(.rate, minute, isWorthBeginning: minute >= LevelFigure.fewestOfRate)].compactMap(\.self)
        case .upDownCounter: return [total.map { read(.value, $0.number.double) } ?? nil].compactMap(\.self)
        case .gauge:
            return parts.compactMap { part in
                guard part.instrument.isLive, let reading = part.instrument.gauge?.reading else { return nil }
                return read(.value, lane: part.instrument.lane.name, reading.value.double)
            }
        }
    }

    private func readLevels(
        of histogram: HistogramSeries, _ completeness: [ObjectIdentifier: [WindowCompleteness]], window index: Int?,
        now: Int64, _ levels: inout SeriesLevels, _ unixSeconds: Int64
    ) -> [LevelChange] {
        let known = self.completeness(completeness, now: now)[index ?? 0]
        guard
            let (increase, elapsed) = levels.increase(
                to: Double(histogram.count), now: now, isKnown: known.isComplete)
        else { return [] }
        let minute = increase * 60 / elapsed
        var changes = [
            levels.read(
                .rate, minute, isWorthBeginning: minute >= LevelFigure.fewestOfRate, now: now, unixSeconds: unixSeconds)
        ]
        let wanted = options.quantiles.filter { increase >= Double(SeriesLevels.fewestValues(of: $0)) }
        guard let index, !wanted.isEmpty else { return changes.compactMap(\.self) }
        histogram.flush()
        let summary = histogram.windowSnapshot(at: index, known).summary
        for quantile in summary.quantiles
        where summary.count >= SeriesLevels.fewestValues(of: quantile.quantile) {
            changes.append(
                levels.read(
                    .quantile(quantile.quantile), quantile.value, isWorthBeginning: true, now: now,
                    unixSeconds: unixSeconds))
        }
        return changes.compactMap(\.self)
    }

    /// Returns the state of its levels, for lanes that are up.
    func levelSnapshots(_ key: SeriesKey, now: Int64) -> [LevelSnapshot] {
        guard let levels, !levels.isEmpty, isRegistered else { return [] }
        return levels.snapshots(metric: key.name, labels: key.labels, unit: unit, now: now) { lane in
            kind != .gauge || parts.contains { $0.instrument.lane.name == lane && $0.instrument.isLive }
        }
    }

    /// Whether the state of its levels changed since the last checkpoint.
    var hasChangedLevels: Bool { levels?.isChanged ?? false }

    /// Returns the states of its levels for a checkpoint, if they changed since the last call or `all` is true.
    func takeLevelStates(all: Bool) -> [LevelState]? {
        guard let levels, !levels.isEmpty, levels.isChanged || all else { return nil }
        self.levels?.noteKept()
        return levels.states
    }

    func restore(levels states: [LevelState]) { levels = SeriesLevels(restoring: states) }

    /// Memory of its levels in bytes.
    var levelBytes: Int { levels?.allocatedBytes ?? 0 }
}

/// The part that checkpoints store.
extension SummedSeries {
    /// Adds the series to a list of changed series, now if it has changed, and at each later change.
    func noteChanges(in changes: SeriesChanges) {
        self.changes = changes
        if isChanged { changes.add(self) }
    }

    private func markChanged() {
        guard !isChanged else { return }
        isChanged = true
        changes?.add(self)
    }

    /// Records that a part of the total has changed.
    func noteChange() {
        markChanged()
        requestSample()
    }

    /// Records that there are new records. The histogram calls it for the first one since ``flushChanges()``.
    func noteRecords() { markChanged() }

    /// Returns whether the totals changed since the last call.
    func flushChanges() -> Bool {
        histogram?.flushChanges()
        defer { isChanged = false }
        return isChanged
    }

    /// Returns the update that the checkpoint of this number must store.
    func takeUpdate(number: UInt64, isWhole: Bool) -> SeriesUpdate {
        if !isWhole, let histogram, let wholeAt, number < wholeAt, let change = histogram.takeChange() {
            if !hasChanges { changes?.expire(self, at: wholeAt) }
            hasChanges = true
            return .change(SeriesChange(histogram: change, parts: parts.map(\.instrument.state)))
        }
        histogram?.beginChanges()
        hasChanges = false
        // Spreads whole updates over several checkpoints, even if all series began at once.
        let half = SeriesUpdate.longestRunOfChanges / 2
        wholeAt = number &+ half &+ ordinal % half
        return .whole(state(name: key.name, labels: key.labels))
    }

    /// Returns whether earlier checkpoints store changes of it, and the checkpoint of this number must store it as a
    /// whole again.
    func expires(at number: UInt64) -> Bool { hasChanges && wholeAt == number }

    /// Makes the totals count from `time` on, unless they count from a later time.
    ///
    /// - Parameter areCellsKept: Whether the counts of the cells continue: all of a counter, and a histogram's calls.
    func resetTotal(atUnixSeconds time: Double, areCellsKept: Bool) {
        if kind != .histogram, areCellsKept { return }
        createdUnixSeconds = max(createdUnixSeconds, time)
        if !areCellsKept { cellsCreatedUnixSeconds = max(cellsCreatedUnixSeconds, time) }
        wholeAt = nil
        markChanged()
    }

    func state(name: String, labels: [Label]) -> SeriesState {
        SeriesState(
            metric: MetricDescriptor(name: name, help: help, kind: kind, unit: unit, labels: labels),
            ordinal: ordinal, createdUnixSeconds: createdUnixSeconds,
            cellsCreatedUnixSeconds: cellsCreatedUnixSeconds, histogram: histogram?.state,
            parts: parts.map(\.instrument.state))
    }

    /// Returns the key in a checkpoint, such as `fills_total{symbol="AAPL"}`. It is made once.
    func checkpointKey(_ key: SeriesKey) -> String {
        if let knownCheckpointKey { return knownCheckpointKey }
        let labels = key.labels.map { "\($0.name)=\($0.value.debugDescription)" }.joined(separator: ",")
        let name = labels.isEmpty ? key.name : "\(key.name){\(labels)}"
        knownCheckpointKey = name
        return name
    }
}
