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
    /// Reads the cells of the metrics.
    var cells = CellSampler()
    private var controls = ControlTrack()
    /// The names that ``refusedNames`` returned last; nil if they may have changed since.
    private var knownRefusedNames: [String]?
    /// The generation of the bot's series at the last check.
    private var knownGeneration: UInt64 = .max
    /// The slots that the present life has not registered, for this life and this number of slots. They are determined
    /// again only if one of the two changes.
    private var ofOtherLives: (life: UInt64, count: Int, ids: [Int]) = (.max, 0, [])

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
        if sources[id]?.instrument != nil { cells.remove(id) }
        sources[id]?.instrument = instrument
        sources[id]?.isConflicting = false
        knownRefusedNames = nil
        instrument.recordsEveryChange = metric.recordsEveryChange
        slots[id] = Slot(
            recorder: instrument.recorderWithoutWatch, numberType: metric.numberType, isRefused: false,
            instrument: .passUnretained(instrument), thresholdRecorder: instrument.watch?.recorder)
        cells.add(id, metric, instrument, wasWatched: wasWatched)
    }

    /// Excludes the records and the cell of a slot from all series.
    private mutating func refuse(_ id: Int, isConflicting: Bool = true) {
        slots[id] = Slot(numberType: slots[id].numberType, isRefused: true, instrument: nil)
        sources[id]?.instrument = nil
        sources[id]?.isConflicting = isConflicting
        knownRefusedNames = nil
        cells.remove(id)
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

    /// Returns whether a read of the control words, and of the cells of counters and gauges, would find nothing new.
    ///
    /// - Parameter life: The number of the newest life.
    func isQuiet(_ segment: Segment, life: UInt64) -> Bool {
        guard controls.isQuiet(segment), ofOtherLives.life == life, ofOtherLives.count == count else { return false }
        for id in ofOtherLives.ids where segment.metricLife(id) == life && sources[id]?.life != life { return false }
        return cells.isQuiet(segment)
    }
}

extension LaneMetric {
    fileprivate var recorderWithoutWatch: SketchRecorder? { watch == nil ? recorder?.records : nil }
}

extension Metric {
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
