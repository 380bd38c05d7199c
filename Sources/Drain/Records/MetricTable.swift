internal import CRingside
internal import Platform
internal import RingReader
internal import Series
internal import Sketch

/// The series of each metric id. It is filled as the producer registers metrics, and read once a record.
struct MetricTable: ~Copyable {
    struct Slot {
        /// The recorder of a histogram's values; nil for other kinds, and for a histogram with thresholds. Records of
        /// the latter take a longer path, so that the records of all others need no check.
        var recorder: SketchRecorder? = nil
        let numberType: Metric.NumberType
        /// Whether the metric is in no series: its bytes are invalid, another lane has its name with another kind, or
        /// the limit of series is reached.
        let isRefused: Bool
        /// The instrument. It is not retained: its lane owns it as long as there is a ring.
        let instrument: Unmanaged<LaneMetric>?
        /// The recorder of a histogram with thresholds.
        var thresholdRecorder: UnsafeMutablePointer<ThresholdRecorder>?
        /// The clock epoch of the recorder.
        var epoch = -1
    }

    private(set) var count = 0
    let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var sources: [Source?] = []
    /// The cells of counters and gauges.
    private var cells: [CellTrack] = []
    /// The cells of histograms, which contain only totals.
    private var histogramCells: [CellTrack] = []
    private var controls = ControlTrack()
    /// The names that ``refusedNames`` returned last; nil if they may have changed since.
    private var knownRefusedNames: [String]?
    /// The generation of the bot's series at the last check.
    private var knownGeneration: UInt64 = .max
    /// The increase of integer counters without a unit between reads, which bounds the number of their calls; wraps
    /// around.
    private(set) var rises: UInt64 = 0
    /// A time before the last read of the cells; nil before the first one.
    private var lastSampled: MonotonicTime?
    /// The slots that the present life has not registered, for this life and this number of slots. They are determined
    /// again only if one of the two changes.
    private var ofOtherLives: (life: UInt64, count: Int, ids: [Int]) = (.max, 0, [])
    /// The last result of ``sampleHistograms(_:)`` and the number of histograms that it covers; nil if the histograms
    /// may have changed.
    private var knownCalls: (count: Int, calls: Calls)?
    /// The cells of all slots at the last read of histograms.
    private var image = CellImage()

    /// The source of a slot.
    private struct Source {
        let metric: Metric
        /// The instrument; nil if the metric is refused.
        var instrument: LaneMetric?
        /// Whether it is refused because another lane has the name with another kind or unit, and not because of the
        /// limit of series.
        var isConflicting = false
        var life: UInt64
    }

    /// A cell with its instrument and its last value. It contains no counts, because most cells are read ten times a
    /// second.
    private struct CellTrack {
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
        var last: (first: UInt64, second: UInt64)?
        /// The last value.
        var current: (first: UInt64, second: UInt64) = (0, 0)
    }

    init(capacity: Int) {
        self.capacity = capacity
        slots = .allocate(capacity: capacity)
    }

    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
    }

    /// Returns whether the producer has registered more metrics than there are slots.
    func lacksMetrics(of segment: Segment) -> Bool { count < min(segment.metricCount, capacity) }

    /// Fills the slots registered since the last call, or some of them.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of slots to fill.
    ///   - wasWatched: Whether the collector watched when a slot was registered.
    /// - Returns: The refusals, for the log.
    mutating func register(
        _ segment: Segment, in lane: LaneSeries, life: UInt64, limit: Int, wasWatched: (_ id: Int) -> Bool
    ) -> [String] {
        var refusals: [String] = []
        let missing = max(0, min(segment.metricCount, capacity) - count)
        for id in count..<count + min(missing, max(0, limit)) {
            let metric = segment.metric(id)
            let instrument = metric.flatMap { lane.register($0.descriptor, isCurrent: $0.life == life) }
            (slots + id).initialize(
                to: Slot(numberType: metric?.numberType ?? .real, isRefused: true, instrument: nil))
            sources.append(metric.map { Source(metric: $0, instrument: nil, life: $0.life) })
            count = id + 1
            if let instrument {
                bind(id, to: instrument, wasWatched: wasWatched(id))
                continue
            }
            sources[id]?.isConflicting = !lane.isFull
            knownRefusedNames = nil
            // If the limit of series is reached, the registry logs it once, and not for each metric.
            if metric == nil || !lane.isFull {
                refusals.append(metric.map { Self.refusal(of: $0) } ?? "metric slot \(id): its bytes are not valid")
            }
        }
        return refusals + refuseSuperseded(in: lane)
    }

    private static func refusal(of metric: Metric) -> String {
        "metric \(metric.name): another lane has the name with another kind or unit; register it under another name"
    }

    /// Connects the records and the cell of a slot to a series.
    private mutating func bind(_ id: Int, to instrument: LaneMetric, wasWatched: Bool) {
        guard let metric = sources[id]?.metric else { return }
        if sources[id]?.instrument != nil { removeCell(id) }
        sources[id]?.instrument = instrument
        sources[id]?.isConflicting = false
        knownRefusedNames = nil
        instrument.recordsEveryChange = metric.recordsEveryChange
        slots[id] = Slot(
            recorder: instrument.recorderWithoutWatch, numberType: metric.numberType, isRefused: false,
            instrument: .passUnretained(instrument), thresholdRecorder: instrument.watch?.recorder)
        let track = CellTrack(
            id: id, kind: metric.kind, numberType: metric.numberType, isInTicks: metric.isInTicks,
            recordsEveryChange: metric.recordsEveryChange, risesWithCalls: metric.risesWithCalls,
            wasWatched: wasWatched,
            instrument: .passUnretained(instrument))
        if metric.kind == .histogram { histogramCells.append(track) } else { cells.append(track) }
        knownCalls = nil
    }

    private mutating func removeCell(_ id: Int) {
        knownCalls = nil
        cells.removeAll { $0.id == id }
        histogramCells.removeAll { $0.id == id }
    }

    /// Excludes the records and the cell of a slot from all series.
    private mutating func refuse(_ id: Int, isConflicting: Bool = true) {
        slots[id] = Slot(numberType: slots[id].numberType, isRefused: true, instrument: nil)
        sources[id]?.instrument = nil
        sources[id]?.isConflicting = isConflicting
        knownRefusedNames = nil
        removeCell(id)
    }

    /// Refuses metrics whose series was superseded by a metric of another kind, because their records would count as
    /// read but would not be shown. Cost: nothing unless a series of the bot was added or removed.
    ///
    /// - Returns: The refusals, for the log.
    mutating func refuseSuperseded(in lane: LaneSeries) -> [String] {
        guard lane.generation != knownGeneration else { return [] }
        knownGeneration = lane.generation
        return (0..<count).compactMap { id in
            guard let source = sources[id], source.instrument?.isSuperseded == true else { return nil }
            refuse(id)
            return Self.refusal(of: source.metric)
        }
    }

    /// The names of the metrics that are in no series, because another lane has them with another kind or unit; sorted.
    var refusedNames: [String] {
        mutating get {
            if let knownRefusedNames { return knownRefusedNames }
            let names = sources.compactMap { source in
                source.flatMap { $0.isConflicting ? ByteText($0.metric.name) : nil }
            }
            let sorted = Set(names).sorted().map(\.text)
            knownRefusedNames = sorted
            return sorted
        }
    }

    /// Returns whether a refused slot has been registered again by a later life.
    func hasReturned(_ id: Int, _ segment: Segment) -> Bool {
        sources[id].map { $0.instrument == nil && $0.life != segment.metricLife(id) } ?? false
    }

    /// Renews the counters of values against thresholds, which may have changed.
    func renewWatches() {
        for id in 0..<count {
            (slots + id).pointee.recorder = sources[id]?.instrument?.recorderWithoutWatch
            (slots + id).pointee.thresholdRecorder = sources[id]?.instrument?.watch?.recorder
        }
    }

    /// Marks metrics that the current life has registered again as current.
    ///
    /// - Returns: The refusals, for the log: another lane has taken the name with another kind or unit in the meantime.
    mutating func follow(_ segment: Segment, in lane: LaneSeries, life: UInt64) -> [String] {
        var refusals: [String] = []
        if ofOtherLives.life != life || ofOtherLives.count != count {
            ofOtherLives = (life, count, (0..<count).filter { sources[$0].map { $0.life != life } ?? false })
        }
        guard !ofOtherLives.ids.isEmpty else { return refuseSuperseded(in: lane) }
        for id in ofOtherLives.ids {
            guard let source = sources[id], source.life != life, segment.metricLife(id) == life else { continue }
            sources[id]?.life = life
            guard let instrument = lane.register(source.metric.descriptor, isCurrent: true) else {
                refuse(id, isConflicting: !lane.isFull)
                if !lane.isFull { refusals.append(Self.refusal(of: source.metric)) }
                continue
            }
            // In a new series, the cell's total consists of earlier counts.
            if instrument !== source.instrument { bind(id, to: instrument, wasWatched: false) }
        }
        return refusals + refuseSuperseded(in: lane)
    }

    /// Marks the windows in which the operator disabled something since the last call.
    ///
    /// - Parameters:
    ///   - isThorough: Whether every control word is read even if no change was counted.
    ///   - clock: Returns the time, after the words were read.
    mutating func sampleControls(
        _ segment: Segment, in lane: LaneSeries, isThorough: Bool, _ clock: () -> MonotonicTime
    ) {
        let finding = controls.look(at: segment, count: count, isThorough: isThorough)
        guard finding.isUncertain || !finding.disabled.isEmpty else { return }
        let now = clock()
        if finding.isUncertain { lane.noteUnseen(until: now) }
        for id in finding.disabled { sources[id]?.instrument?.noteDisabled(now: now) }
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
    /// - Returns: Their calls, and whether a cell has changed.
    mutating func sampleHistograms(_ segment: Segment) -> (calls: Calls, hasChanged: Bool) {
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
    ///
    /// - Parameter life: The number of the newest life.
    func isQuiet(_ segment: Segment, life: UInt64) -> Bool {
        guard controls.isQuiet(segment), ofOtherLives.life == life, ofOtherLives.count == count else { return false }
        for id in ofOtherLives.ids where segment.metricLife(id) == life && sources[id]?.life != life { return false }
        for index in cells.indices {
            guard let last = cells[index].last, last == segment.cell(cells[index].id) else { return false }
        }
        return true
    }

    /// Records that the cells of counters and gauges were looked at, and that nothing had changed.
    mutating func noteQuietLook(at time: MonotonicTime) { lastSampled = time }

    /// Adds samples to the gauges: their values had not changed at these times.
    func sampleGauges(atQuietLooks times: [MonotonicTime], options: SeriesOptions) {
        for index in cells.indices where cells[index].kind == .gauge {
            guard let last = cells[index].last else { continue }
            for time in times { Self.sample(last, cells[index], options: options, now: time) }
        }
    }

    /// Reads the cells of counters and gauges into their series. A counter that has not changed is skipped, because its
    /// series has the last value.
    ///
    /// - Parameters:
    ///   - firstLifeBegun: The time before which there was nothing to count.
    ///   - clock: Returns the time.
    /// - Returns: Whether a cell has changed.
    mutating func sampleCells(
        _ segment: Segment, options: SeriesOptions, firstLifeBegun: MonotonicTime, _ clock: () -> MonotonicTime
    ) -> Bool {
        var hasChanged = false
        let begun = clock()
        for index in cells.indices { cells[index].current = segment.cell(cells[index].id) }
        // A time after all reads: the value of a cell was set before it.
        let now = clock()
        let since = min(lastSampled ?? firstLifeBegun, now)
        lastSampled = begun
        for index in cells.indices {
            let cell = cells[index].current
            let isSame = cells[index].last.map { $0 == cell } ?? true
            if !isSame { hasChanged = true }
            if cells[index].kind != .gauge, cells[index].last != nil, isSame { continue }
            if cells[index].risesWithCalls, let last = cells[index].last, cell.first > last.first {
                rises &+= cell.first - last.first
            }
            Self.noteRead(cells[index], since: since, now: now, options)
            cells[index].last = cell
            Self.sample(cell, cells[index], options: options, now: now)
        }
        return hasChanged
    }

    /// Marks the windows for which the time of a cell's change is unknown.
    private static func noteRead(
        _ track: CellTrack, since: MonotonicTime, now: MonotonicTime, _ options: SeriesOptions
    ) {
        track.instrument._withUnsafeGuaranteedRef { instrument in
            switch track.kind {
            case .counter, .upDownCounter:
                let isFirst = track.last == nil
                if isFirst, track.kind == .counter, track.current.first == 0 { return }
                if isFirst, !track.wasWatched {
                    instrument.noteUnseen(until: now)
                } else {
                    instrument.noteBlur(from: since, to: now)
                }
            case .gauge:
                let isSet = track.current.first != RINGSIDE_UNSET
                if isSet, !track.recordsEveryChange, now - since > options.sharpNanoseconds {
                    instrument.noteUnseen(until: now)
                }
            case .histogram: break
            }
        }
    }

    private static func sample(
        _ cell: (first: UInt64, second: UInt64), _ track: CellTrack, options: SeriesOptions, now: MonotonicTime
    ) {
        let type = track.numberType
        track.instrument._withUnsafeGuaranteedRef { instrument in
            switch track.kind {
            case .counter, .upDownCounter:
                instrument.sample(total: type.number(cell.first), wasWatched: track.wasWatched)
            case .histogram: break
            case .gauge:
                let isSet = cell.first != RINGSIDE_UNSET && instrument.isCurrent
                let value = isSet ? (value: type.number(cell.first), highest: type.number(cell.second)) : nil
                instrument.sample(gauge: value, now: now, options: options)
            }
        }
    }
}

extension LaneMetric {
    fileprivate var recorderWithoutWatch: SketchRecorder? { watch == nil ? recorder?.records : nil }
}

extension Metric {
    /// Whether its total is at least the number of its calls: it does not count bytes, seconds or money.
    fileprivate var risesWithCalls: Bool { kind == .counter && numberType == .unsigned && descriptor.unit == .none }

    /// The metric in the form of the series.
    var descriptor: MetricDescriptor {
        MetricDescriptor(
            name: name, help: help, kind: kind.series, unit: MetricUnit(rawValue: unit.name) ?? .none,
            labels: labels.map { Series.Label($0.name, $0.value) })
    }
}

extension Metric.Kind {
    fileprivate var series: MetricKind {
        switch self {
        case .counter: .counter
        case .upDownCounter: .upDownCounter
        case .gauge: .gauge
        case .histogram: .histogram
        }
    }
}

extension Metric.NumberType {
    /// Converts a word of a cell or a record to a number.
    func number(_ word: UInt64) -> Number {
        switch self {
        case .unsigned: .unsigned(word)
        case .signed: .signed(Int64(bitPattern: word))
        case .real: .real(Double(bitPattern: word))
        }
    }

    @inline(__always)
    func double(_ word: UInt64) -> Double {
        switch self {
        case .unsigned: Double(word)
        case .signed: Double(Int64(bitPattern: word))
        case .real: Double(bitPattern: word)
        }
    }
}
