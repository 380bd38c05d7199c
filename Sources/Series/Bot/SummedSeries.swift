/// One metric of one bot over all its lanes.
final class SummedSeries {
    let kind: MetricKind
    let unit: MetricUnit
    let help: String
    /// See ``SeriesHead/ordinal``.
    var ordinal: UInt64 = 0
    /// Nil for every other kind.
    let histogram: HistogramSeries?
    let options: SeriesOptions
    /// Whether another kind of metric has its name now: nothing of it is shown any more.
    var hasGivenWay = false
    /// Since when the totals count, in seconds since the Unix epoch.
    private(set) var createdUnixSeconds: Double
    /// The same of what a histogram's cells count: its calls and abandoned spans.
    private(set) var cellsCreatedUnixSeconds: Double
    private var isChanged = true
    /// The total of a counter as it was summed last, as long as no part has changed.
    private var knownTotal: ExactTotal?
    private var isTotalKnown = false
    private var knownKeptName: String?
    private var parts: [Part] = []
    private var history: CounterHistory
    private var levels = SeriesLevels()

    init(
        _ metric: MetricDescriptor, options: SeriesOptions, now: Int64, createdUnixSeconds: Double,
        cellsCreatedUnixSeconds: Double? = nil, filling: FillingSlices
    ) {
        kind = metric.kind
        unit = metric.unit
        help = metric.help
        self.options = options
        self.createdUnixSeconds = createdUnixSeconds
        self.cellsCreatedUnixSeconds = cellsCreatedUnixSeconds ?? createdUnixSeconds
        histogram = metric.kind == .histogram ? HistogramSeries(options: options, now: now, filling: filling) : nil
        history = CounterHistory(options: options, watchedSince: now)
    }

    // A lane owns its instruments, and they own the series that their records go to: the way back must not own them.
    private struct Part {
        unowned let instrument: LaneInstrument
    }

    var instruments: [LaneInstrument] { parts.map(\.instrument) }

    func add(_ instrument: LaneInstrument) {
        isTotalKnown = false
        parts.append(Part(instrument: instrument))
        parts.sort { $0.instrument.lane.name < $1.instrument.lane.name }
    }

    /// Whether a life that runs now has registered it.
    var isRegistered: Bool { parts.contains { $0.instrument.isLive } }

    func rebase(by amount: ExactTotal) { history.rebase(by: amount) }

    /// To be called of counters alone.
    func sampleCounter(now: Int64) {
        if !isTotalKnown { (knownTotal, isTotalKnown) = (total, true) }
        if let knownTotal { history.sample(knownTotal, now: now) }
    }

    private var total: ExactTotal? {
        var total: ExactTotal?
        for part in parts {
            guard let added = part.instrument.total else { continue }
            total = total.map { $0 + added } ?? added
        }
        return total
    }

    /// Calls `body` with the one reading; a gauge has one for each lane that is up, and a counter never sampled has none.
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
                value: $0.number, rate: isRegistered ? history.rate : nil,
                windows: isRegistered ? counterWindows(now: now) : [], watchedIncrease: history.cumulativeIncrease)
        }
    }

    private func counterWindows(now: Int64) -> [CounterWindow] {
        var windows = history.windowSnapshots
        for part in parts where part.instrument.hasDoubts || part.instrument.lane.hasOldCells(now: now) {
            for (place, known) in part.instrument.cellCompleteness(now: now).enumerated() where !known.isComplete {
                windows[place].isComplete = false
            }
        }
        return windows
    }

    /// - Parameter ofLane: what is missing for want of records: nothing to a gauge that writes none.
    private func gauge(
        _ instrument: LaneInstrument, _ ofLane: [WindowCompleteness], now: Int64
    ) -> MetricSnapshot.Reading? {
        guard instrument.isLive, let gauge = instrument.gauge, let reading = gauge.reading else { return nil }
        var known = instrument.cellCompleteness(now: now)
        if instrument.recordsEveryChange { known = known.combined(with: ofLane) }
        var windows = gauge.windowSnapshots(now: now)
        for (place, known) in known.enumerated() { windows[place].isComplete = known.isComplete }
        return .gauge(
            GaugeSnapshot(
                lane: instrument.lane.name, value: reading.value, highest: reading.highest, windows: windows))
    }

    private func snapshot(
        _ histogram: HistogramSeries, _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> HistogramSnapshot {
        histogram.flush()
        let totals = histogram.totals(unit: unit)
        return HistogramSnapshot(
            calls: calls, abandoned: parts.reduce(0) { $0 &+ $1.instrument.abandoned }, failed: histogram.failed,
            total: totals.summary, sketch: totals.sketch, classicBuckets: totals.classicBuckets,
            exemplars: histogram.exemplarSnapshots(buckets: totals.classicBuckets),
            windows: isRegistered
                ? histogram.windowSnapshots(completeness: self.completeness(completeness, now: now)) : [],
            levels: isRegistered ? levels.snapshots : [], weights: totals.weights)
    }

    /// Reads the usual levels from a window.
    ///
    /// - Returns: what has changed, with the window that it was read from.
    func readLevels(
        window place: Int, _ completeness: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [(level: LevelSnapshot, window: HistogramWindow)] {
        guard isRegistered, let histogram else { return [] }
        histogram.flush()
        let window = histogram.windowSnapshot(at: place, self.completeness(completeness, now: now)[place])
        return levels.read(window).map { ($0, window) }
    }

    var calls: UInt64 {
        total.map { UInt64(clamping: $0.whole) } ?? 0
    }

    /// Over the rings that feed the series, and over what is known of its part in each of them.
    private func completeness(
        _ ofLanes: [ObjectIdentifier: [WindowCompleteness]], now: Int64
    ) -> [WindowCompleteness] {
        var known: [WindowCompleteness] = []
        for part in parts {
            let instrument = part.instrument
            if let ofLane = ofLanes[ObjectIdentifier(instrument.lane)] {
                known = known.isEmpty ? ofLane : known.combined(with: ofLane)
            }
        }
        for part in parts where part.instrument.hasDoubts {
            known = known.combined(with: part.instrument.ownCompleteness(now: now))
        }
        return known
    }
}

/// What is kept across a restart of the collector.
extension SummedSeries {
    /// A part of the total has changed.
    func noteChange() {
        isChanged = true
        isTotalKnown = false
    }

    /// Whether the totals changed since this was last asked.
    func takeIsChanged() -> Bool {
        let hasRecords = histogram?.takeIsChanged() ?? false
        defer { isChanged = false }
        return isChanged || hasRecords
    }

    /// Makes the totals count from `time` on, unless they count from later.
    ///
    /// - Parameter areCellsKept: whether what the cells count goes on: all of a counter, and a histogram's calls.
    func restart(atUnixSeconds time: Double, areCellsKept: Bool) {
        if kind != .histogram, areCellsKept { return }
        createdUnixSeconds = max(createdUnixSeconds, time)
        if !areCellsKept { cellsCreatedUnixSeconds = max(cellsCreatedUnixSeconds, time) }
        isChanged = true
    }

    func state(name: String, labels: [Label]) -> SeriesState {
        SeriesState(
            metric: MetricDescriptor(name: name, help: help, kind: kind, unit: unit, labels: labels),
            ordinal: ordinal, createdUnixSeconds: createdUnixSeconds,
            cellsCreatedUnixSeconds: cellsCreatedUnixSeconds, histogram: histogram?.state,
            parts: parts.map(\.instrument.state))
    }

    /// `fills_total{symbol="AAPL"}`, made once.
    func keptName(_ key: SeriesKey) -> String {
        if let knownKeptName { return knownKeptName }
        let labels = key.labels.map { "\($0.name)=\($0.value.debugDescription)" }.joined(separator: ",")
        let name = labels.isEmpty ? key.name : "\(key.name){\(labels)}"
        knownKeptName = name
        return name
    }
}
