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
        var feed: SketchFeed?
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

    /// What a slot was filled from.
    private struct Source {
        let metric: Metric
        let instrument: LaneInstrument
        var life: UInt64
    }

    /// What a cell is read into, and what it said last. Without anything that is counted: it is looked at ten times a second.
    private struct CellTrack {
        let id: Int
        let kind: Metric.Kind
        let numberType: Metric.NumberType
        let isInTicks: Bool
        let wasWatched: Bool
        /// Not retained: its lane keeps it as long as there is a ring.
        let instrument: Unmanaged<LaneInstrument>
        var last: (first: UInt64, second: UInt64)?
    }

    init(capacity: Int) {
        self.capacity = capacity
        slots = .allocate(capacity: capacity)
    }

    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
    }

    /// Fills the slots registered since the last call.
    ///
    /// - Parameter wasWatched: whether the collector watched when they were registered.
    /// - Returns: what was refused, for the log.
    mutating func register(_ segment: Segment, in lane: LaneSeries, life: UInt64, wasWatched: Bool) -> [String] {
        var refusals: [String] = []
        for id in count..<max(count, min(segment.metricCount, capacity)) {
            let metric = segment.metric(id)
            let instrument = metric.flatMap {
                lane.register($0.descriptor, isCurrent: $0.life == life)
            }
            (slots + id).initialize(
                to: Slot(
                    feed: instrument?.feedWithoutWatch, numberType: metric?.numberType ?? .real,
                    isRefused: instrument == nil, instrument: instrument.map { Unmanaged.passUnretained($0) },
                    watched: instrument?.watch?.feed))
            sources.append(
                metric.flatMap { metric in
                    instrument.map {
                        Source(metric: metric, instrument: $0, life: metric.life)
                    }
                })
            count = id + 1
            if let metric, let instrument {
                cells.append(
                    CellTrack(
                        id: id, kind: metric.kind, numberType: metric.numberType, isInTicks: metric.isInTicks,
                        wasWatched: wasWatched, instrument: .passUnretained(instrument)))
            }
            if instrument == nil {
                refusals.append(
                    metric.map { "metric \($0.name): another lane has the name with another kind or unit" }
                        ?? "metric slot \(id): its bytes are no metric")
            }
        }
        return refusals
    }

    /// Takes note that histograms may be held to other thresholds now.
    func renewWatches() {
        for id in 0..<count {
            (slots + id).pointee.feed = sources[id]?.instrument.feedWithoutWatch
            (slots + id).pointee.watched = sources[id]?.instrument.watch?.feed
        }
    }

    /// Takes note of metrics that the life that runs now has registered again.
    mutating func follow(_ segment: Segment, in lane: LaneSeries, life: UInt64) {
        for id in 0..<count {
            guard let source = sources[id], source.life != life, segment.metricLife(id) == life else { continue }
            sources[id]?.life = life
            _ = lane.register(source.metric.descriptor, isCurrent: true)
        }
    }

    /// Says in the windows where the operator switched something off since the last call.
    mutating func sampleControls(_ segment: Segment, in lane: LaneSeries, now: MonotonicTime) {
        let finding = controls.look(at: segment, count: count)
        if finding.isUncertain { lane.loss.add(lost: 0, from: now, to: now) }
        for id in finding.disabled { sources[id]?.instrument.noteDisabled(now: now) }
    }

    /// Reads every cell into its series. A counter that stands still is left alone: what it said last is known there.
    ///
    /// - Returns: the calls of all histograms: of durations in ticks, and of others.
    mutating func sampleCells(
        _ segment: Segment, options: SeriesOptions, now: MonotonicTime
    ) -> (durations: UInt64, values: UInt64) {
        var calls = (durations: UInt64(0), values: UInt64(0))
        for place in cells.indices {
            let cell = segment.cell(cells[place].id)
            if cells[place].kind == .histogram {
                if cells[place].isInTicks { calls.durations &+= cell.first } else { calls.values &+= cell.first }
            }
            if cells[place].kind != .gauge, let last = cells[place].last, last == cell { continue }
            cells[place].last = cell
            Self.sample(cell, cells[place], options: options, now: now)
        }
        return calls
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
