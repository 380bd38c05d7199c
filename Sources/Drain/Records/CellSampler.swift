internal import CRingside
internal import Platform
internal import RingReader
internal import Series

/// Reads the cells of a ring's metrics into their series: ten times a second those of counters and gauges, and those of histograms
/// when totals are wanted.
struct CellSampler {
    /// The cells of counters and gauges, and the last value of each, which stands apart because a look reads all of them.
    private var cells: [Cell] = []
    private var values: [Value] = []
    /// The cells that the present look takes into their series.
    private var due: [(index: Int, before: Words?)] = []
    /// The cells of histograms, which contain only totals.
    private var histogramCells: [Cell] = []
    /// The increase of integer counters without a unit between reads, which bounds the number of their calls; wraps
    /// around.
    private(set) var rises: UInt64 = 0
    /// A time before the last read of the cells; nil before the first one.
    private var lastSampled: MonotonicTime?
    /// The last result of ``sampleHistograms(_:count:)`` and the number of histograms that it covers; nil if the histograms
    /// may have changed.
    private var knownCalls: (count: Int, calls: Calls)?
    /// The cells of all slots at the last read of histograms.
    private var image = CellImage()

    typealias Words = (first: UInt64, second: UInt64)

    /// The last value of the cell of a counter or a gauge.
    private struct Value {
        let id: Int32
        let isGauge: Bool
        /// Whether it was read.
        var isKnown = false
        var words: Words = (0, 0)

        var known: Words? { isKnown ? words : nil }
    }

    /// A metric's cell.
    fileprivate struct Cell {
        let id: Int
        let kind: Metric.Kind
        let numberType: Metric.NumberType
        let isInTicks: Bool
        /// Whether records contain the values between two reads.
        let recordsEveryChange: Bool
        /// Whether each call increases it by at least one: an integer counter without a unit.
        let risesWithCalls: Bool
        let wasWatched: Bool
        /// The instrument. It is not retained: its lane owns it as long as there is a ring.
        let instrument: Unmanaged<LaneMetric>
        /// The last value of a histogram's cell; nil before the first one.
        var last: Words?
    }

    /// Adds the cell of a metric.
    mutating func add(_ id: Int, _ metric: Metric, _ instrument: LaneMetric, wasWatched: Bool) {
        let cell = Cell(
            id: id, kind: metric.kind, numberType: metric.numberType, isInTicks: metric.isInTicks,
            recordsEveryChange: metric.recordsEveryChange, risesWithCalls: metric.risesWithCalls,
            wasWatched: wasWatched, instrument: .passUnretained(instrument))
        knownCalls = nil
        if metric.kind == .histogram { return histogramCells.append(cell) }
        cells.append(cell)
        values.append(Value(id: Int32(id), isGauge: metric.kind == .gauge))
    }

    /// Removes the cell of a metric. It is read no more.
    mutating func remove(_ id: Int) {
        knownCalls = nil
        cells.removeAll { $0.id == id }
        values.removeAll { $0.id == id }
        histogramCells.removeAll { $0.id == id }
    }

    /// The numbers of calls of all histograms.
    struct Calls {
        /// Calls of histograms of durations in ticks.
        var durations: UInt64 = 0
        /// Calls of all others.
        var values: UInt64 = 0
    }

    /// Reads the cells of all histograms into their series.
    ///
    /// - Parameter count: The number of the ring's metrics that are known.
    /// - Returns: Their calls, and whether a cell has changed.
    mutating func sampleHistograms(_ segment: Segment, count: Int) -> (calls: Calls, hasChanged: Bool) {
        // If no cell has changed since the last look, there is nothing to do. So a silent bot costs one pass over its
        // cells, which lie side by side.
        let isSame = !image.update(segment, count: count)
        if isSame, let known = knownCalls, known.count == histogramCells.count { return (known.calls, false) }
        var calls = Calls()
        var hasChanged = false
        for index in histogramCells.indices {
            let cell = image[histogramCells[index].id]
            if histogramCells[index].isInTicks { calls.durations &+= cell.first } else { calls.values &+= cell.first }
            if let last = histogramCells[index].last {
                if last == cell { continue }
                hasChanged = true
            }
            histogramCells[index].last = cell
            histogramCells[index].instrument._withUnsafeGuaranteedRef {
                $0.sample(calls: cell.first, abandoned: cell.second)
            }
        }
        knownCalls = (histogramCells.count, calls)
        return (calls, hasChanged)
    }

    /// Returns whether a read of the cells of counters and gauges would find nothing new.
    func isQuiet(_ segment: Segment) -> Bool {
        values.allSatisfy { $0.isKnown && $0.words == segment.cell(Int($0.id)) }
    }

    /// Records that the cells of counters and gauges were looked at, and that nothing had changed.
    mutating func noteQuietLook(at time: MonotonicTime) { lastSampled = time }

    /// Adds samples to the gauges: their values had not changed at these times.
    func sampleGauges(atQuietLooks times: [MonotonicTime], options: SeriesOptions) {
        for (cell, value) in zip(cells, values) where value.isGauge && value.isKnown {
            for time in times { cell.sample(value.words, options: options, now: time) }
        }
    }

    /// Reads the cells of counters and gauges into their series. A counter that has not changed is skipped, because its
    /// series has the last value.
    ///
    /// - Parameters:
    ///   - firstLifeBegun: The time before which there was nothing to count.
    ///   - clock: Returns the time.
    /// - Returns: Whether a cell has changed.
    mutating func sample(
        _ segment: Segment, options: SeriesOptions, firstLifeBegun: MonotonicTime, _ clock: () -> MonotonicTime
    ) -> Bool {
        let begun = clock()
        look(at: segment)
        // A time after all reads: the value of a cell was set before it.
        let now = clock()
        let since = min(lastSampled ?? firstLifeBegun, now)
        lastSampled = begun
        var hasChanged = false
        for (index, before) in due {
            let words = values[index].words
            if let before, before != words { hasChanged = true }
            if cells[index].risesWithCalls, let before, words.first > before.first {
                rises &+= words.first - before.first
            }
            cells[index].noteRead(words, isFirst: before == nil, since: since, now: now, options)
            cells[index].sample(words, options: options, now: now)
        }
        return hasChanged
    }

    /// Reads all cells, and lists those that have changed, those that were never read, and the gauges.
    private mutating func look(at segment: Segment) {
        // The first look lists all cells.
        due.removeAll(keepingCapacity: due.count < 1024)
        for index in values.indices {
            let words = segment.cell(Int(values[index].id))
            if values[index].isKnown, !values[index].isGauge, values[index].words == words { continue }
            due.append((index, values[index].known))
            (values[index].words, values[index].isKnown) = (words, true)
        }
    }
}

extension CellSampler.Cell {
    /// Marks the windows for which the time of the cell's change is unknown.
    fileprivate func noteRead(
        _ words: CellSampler.Words, isFirst: Bool, since: MonotonicTime, now: MonotonicTime, _ options: SeriesOptions
    ) {
        instrument._withUnsafeGuaranteedRef { instrument in
            switch kind {
            case .counter, .upDownCounter:
                if isFirst, kind == .counter, words.first == 0 { return }
                if isFirst, !wasWatched {
                    instrument.noteUnseen(until: now)
                } else {
                    instrument.noteBlur(from: since, to: now)
                }
            case .gauge:
                let isSet = words.first != RINGSIDE_UNSET
                if isSet, !recordsEveryChange, now - since > options.sharpNanoseconds {
                    instrument.noteUnseen(until: now)
                }
            case .histogram: break
            }
        }
    }

    /// Adds a value of the cell to the series of its counter or gauge.
    fileprivate func sample(_ words: CellSampler.Words, options: SeriesOptions, now: MonotonicTime) {
        instrument._withUnsafeGuaranteedRef { instrument in
            switch kind {
            case .counter, .upDownCounter:
                instrument.sample(total: numberType.number(words.first), wasWatched: wasWatched)
            case .histogram: break
            case .gauge:
                let isSet = words.first != RINGSIDE_UNSET && instrument.isCurrent
                let reading =
                    isSet ? (value: numberType.number(words.first), highest: numberType.number(words.second)) : nil
                instrument.sample(gauge: reading, now: now, options: options)
            }
        }
    }
}

extension Metric {
    /// Whether its total is at least the number of its calls: it does not count bytes, seconds or money.
    fileprivate var risesWithCalls: Bool { kind == .counter && numberType == .unsigned && descriptor.unit == .none }
}
