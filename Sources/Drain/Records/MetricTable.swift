internal import CRingside
internal import Platform
internal import RingReader
internal import Series
internal import Sketch

/// From a record's metric id to its series: filled as the producer registers, read once a record.
struct MetricTable: ~Copyable {
    struct Slot {
        /// Where a histogram's records go; nil for every other kind, and for a histogram that is held to a threshold: its
        /// records take the longer way, so that those of all others need not ask.
        var feed: SketchFeed? = nil
        let numberType: Metric.NumberType
        /// The metric is in no series: its bytes are none, or another lane has its name with another kind.
        let isRefused: Bool
        /// Not retained: its lane keeps it as long as there is a ring.
        let instrument: Unmanaged<LaneInstrument>?
        /// Where the records of a histogram go that is held to a threshold.
        var watched: UnsafeMutablePointer<WatchedFeed>?
        /// Which reading of the clock the feed was last told of.
        var epoch = -1
    }

    private(set) var count = 0
    let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var sources: [Source?] = []
    private var cells: [CellTrack] = []
    private var controls = ControlTrack()
    /// Of the bot's series when they were last looked at.
    private var knownGeneration: UInt64 = .max
    /// A time before the cells were read last; nil before they were read.
    private var lastSampled: MonotonicTime?

    /// What a slot was filled from.
    private struct Source {
        let metric: Metric
        /// Nil where it is refused.
        var instrument: LaneInstrument?
        /// Whether it is refused since another lane has the name with another kind or unit, and not for want of room.
        var isConflicting = false
        var life: UInt64
    }

    /// What a cell is read into, and what it said last. Without anything that is counted: it is looked at ten times a second.
    private struct CellTrack {
        let id: Int
        let kind: Metric.Kind
        let numberType: Metric.NumberType
        let isInTicks: Bool
        /// Whether records say what the cell said between two reads.
        let recordsEveryChange: Bool
        let wasWatched: Bool
        /// Not retained: its lane keeps it as long as there is a ring.
        let instrument: Unmanaged<LaneInstrument>
        var last: (first: UInt64, second: UInt64)?
        /// What it says now.
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

    /// Whether the producer has registered more than there are slots.
    func lacksMetrics(of segment: Segment) -> Bool { count < min(segment.metricCount, capacity) }

    /// Fills the slots registered since the last call, or the next ones of them.
    ///
    /// - Parameters:
    ///   - limit: Slots filled at most.
    ///   - wasWatched: whether the collector watched when a slot was registered.
    /// - Returns: what was refused, for the log.
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
            // Where there is no room the registry says so once, and not for each metric.
            if metric == nil || !lane.isFull {
                refusals.append(metric.map { Self.refusal(of: $0) } ?? "metric slot \(id): its bytes are no metric")
            }
        }
        return refusals + refuseSuperseded(in: lane)
    }

    private static func refusal(of metric: Metric) -> String {
        "metric \(metric.name): another lane has the name with another kind or unit; register it under another name"
    }

    /// Lets the records and the cell of a slot into a series.
    private mutating func bind(_ id: Int, to instrument: LaneInstrument, wasWatched: Bool) {
        guard let metric = sources[id]?.metric else { return }
        if sources[id]?.instrument != nil { cells.removeAll { $0.id == id } }
        sources[id]?.instrument = instrument
        sources[id]?.isConflicting = false
        instrument.recordsEveryChange = metric.recordsEveryChange
        slots[id] = Slot(
            feed: instrument.feedWithoutWatch, numberType: metric.numberType, isRefused: false,
            instrument: .passUnretained(instrument), watched: instrument.watch?.feed)
        cells.append(
            CellTrack(
                id: id, kind: metric.kind, numberType: metric.numberType, isInTicks: metric.isInTicks,
                recordsEveryChange: metric.recordsEveryChange, wasWatched: wasWatched,
                instrument: .passUnretained(instrument)))
    }

    /// Keeps the records and the cell of a slot out of every series.
    private mutating func refuse(_ id: Int, isConflicting: Bool = true) {
        slots[id] = Slot(numberType: slots[id].numberType, isRefused: true, instrument: nil)
        sources[id]?.instrument = nil
        sources[id]?.isConflicting = isConflicting
        cells.removeAll { $0.id == id }
    }

    /// Refuses what belongs to a series that gave way to a metric of another kind: its records would count as read and be shown
    /// nowhere. Cost: nothing unless a series of the bot came or went.
    ///
    /// - Returns: what was refused, for the log.
    mutating func refuseSuperseded(in lane: LaneSeries) -> [String] {
        guard lane.generation != knownGeneration else { return [] }
        knownGeneration = lane.generation
        return (0..<count).compactMap { id in
            guard let source = sources[id], source.instrument?.isSuperseded == true else { return nil }
            refuse(id)
            return Self.refusal(of: source.metric)
        }
    }

    /// The names of the metrics that are in no series, since another lane has them with another kind or unit; sorted.
    var refusedNames: [String] {
        let names = sources.compactMap { source in
            source.flatMap { $0.isConflicting ? ByteText($0.metric.name) : nil }
        }
        return Set(names).sorted().map(\.text)
    }

    /// Whether a slot that was refused has been registered again by a later life.
    func hasReturned(_ id: Int, _ segment: Segment) -> Bool {
        sources[id].map { $0.instrument == nil && $0.life != segment.metricLife(id) } ?? false
    }

    /// Takes note that histograms may be held to other thresholds now.
    func renewWatches() {
        for id in 0..<count {
            (slots + id).pointee.feed = sources[id]?.instrument?.feedWithoutWatch
            (slots + id).pointee.watched = sources[id]?.instrument?.watch?.feed
        }
    }

    /// Takes up metrics that the life that runs now has registered again.
    ///
    /// - Returns: what was refused, for the log: another lane has taken the name with another kind or unit meanwhile.
    mutating func follow(_ segment: Segment, in lane: LaneSeries, life: UInt64) -> [String] {
        var refusals: [String] = []
        for id in 0..<count {
            guard let source = sources[id], source.life != life, segment.metricLife(id) == life else { continue }
            sources[id]?.life = life
            guard let instrument = lane.register(source.metric.descriptor, isCurrent: true) else {
                refuse(id, isConflicting: !lane.isFull)
                if !lane.isFull { refusals.append(Self.refusal(of: source.metric)) }
                continue
            }
            // In a series that is new the cell's total was counted before.
            if instrument !== source.instrument { bind(id, to: instrument, wasWatched: false) }
        }
        return refusals + refuseSuperseded(in: lane)
    }

    /// Says in the windows where the operator switched something off since the last call.
    ///
    /// - Parameter clock: Says what time it is, once the words were looked at.
    mutating func sampleControls(_ segment: Segment, in lane: LaneSeries, _ clock: () -> MonotonicTime) {
        let finding = controls.look(at: segment, count: count)
        let now = clock()
        if finding.isUncertain { lane.noteUnseen(until: now) }
        for id in finding.disabled { sources[id]?.instrument?.noteDisabled(now: now) }
    }

    /// Reads every cell into its series. A counter that stands still is left alone: what it said last is known there.
    ///
    /// - Parameters:
    ///   - firstLifeBegun: Before it there was nothing to be counted.
    ///   - clock: Says what time it is.
    /// - Returns: the calls of all histograms: of durations in ticks, and of others.
    mutating func sampleCells(
        _ segment: Segment, options: SeriesOptions, firstLifeBegun: MonotonicTime, _ clock: () -> MonotonicTime
    ) -> (durations: UInt64, values: UInt64) {
        var calls = (durations: UInt64(0), values: UInt64(0))
        let begun = clock()
        for place in cells.indices { cells[place].current = segment.cell(cells[place].id) }
        // A time after all reads: what a cell says was so before it.
        let now = clock()
        let since = min(lastSampled ?? firstLifeBegun, now)
        lastSampled = begun
        for place in cells.indices {
            let cell = cells[place].current
            if cells[place].kind == .histogram {
                if cells[place].isInTicks { calls.durations &+= cell.first } else { calls.values &+= cell.first }
            }
            if cells[place].kind != .gauge, let last = cells[place].last, last == cell { continue }
            Self.noteRead(cells[place], since: since, now: now, options)
            cells[place].last = cell
            Self.sample(cell, cells[place], options: options, now: now)
        }
        return calls
    }

    /// Says which windows cannot tell when the cell became what it is.
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
            case .histogram: instrument.sample(calls: cell.first, abandoned: cell.second)
            case .gauge:
                let isSet = cell.first != RINGSIDE_UNSET && instrument.isCurrent
                let value = isSet ? (value: type.number(cell.first), highest: type.number(cell.second)) : nil
                instrument.sample(gauge: value, now: now, options: options)
            }
        }
    }
}

extension LaneInstrument {
    fileprivate var feedWithoutWatch: SketchFeed? { watch == nil ? feed?.records : nil }
}

extension Metric {
    /// The metric as the series know it.
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
    /// A word of a cell or a record as the number that it is.
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
