internal import CRingside
internal import Exposition
internal import Platform
internal import RingReader
internal import Series

/// The spans of one ring's drain, handed over at its end, or when there are thousands.
struct SpanIntake {
    private let traces: TraceExchange?
    private var spans: [TracedSpan] = []
    /// The sources by metric id. Each is made at its first traced record.
    private var sources: [Int: TraceSource] = [:]

    init(_ traces: TraceExchange?) { self.traces = traces }

    var isWanted: Bool { traces?.isWanted ?? false }

    /// Adds the span of a record of a duration; other records are not spans.
    mutating func note(
        _ record: UnsafePointer<ringside_record>, _ trace: RecordTrace, index: UInt64, _ scale: TickScale,
        end: MonotonicTime,
        _ flags: UInt32, segment: Segment, labels: [Metric.Label]
    ) {
        let word = record.pointee.value
        let duration: Int64
        switch ringside_record_encoding(record) {
        case RINGSIDE_ENCODING_TICKS.rawValue:
            duration = Int64(exactly: (Double(word) * scale.nanosecondsPerTick).rounded()) ?? .max
        case RINGSIDE_ENCODING_NANOSECONDS.rawValue: duration = Int64(clamping: word)
        default: return
        }
        guard let source = source(Int(ringside_record_metric(record)), segment, labels) else { return }
        spans.append(
            TracedSpan(
                source: source, traceID: TraceID(high: trace.high, low: trace.low), ownID: trace.spanID,
                parentID: trace.parentID, isParentRemote: trace.isParentRemote,
                loss: TracedSpan.Loss(trace.loss), index: index, endUnixNanoseconds: end,
                durationNanoseconds: duration, weight: ringside_record_weight(record),
                hasFailed: flags & UInt32(RINGSIDE_FLAG_FAILED) != 0))
        if spans.count >= Self.spansHeld { handOver() }
    }

    /// The greatest number of spans that wait for the drain's end: some 500 KB.
    private static let spansHeld = 4096

    private mutating func source(_ id: Int, _ segment: Segment, _ labels: [Metric.Label]) -> TraceSource? {
        if let known = sources[id] { return known }
        guard let metric = segment.metric(id) else { return nil }
        let source = TraceSource(
            bot: segment.name.bot, botLabels: labels.map { Series.Label($0.name, $0.value) }, lane: segment.name.lane,
            metric: metric.name, labels: metric.labels.map { Series.Label($0.name, $0.value) },
            ringSeed: segment.ringID.high ^ segment.ringID.low)
        sources[id] = source
        return source
    }

    /// Hands over the spans with Unix times.
    mutating func handOver() {
        guard !spans.isEmpty else { return }
        let offset = unixNow() - monotonicNow()
        for place in spans.indices { spans[place].endUnixNanoseconds &+= offset }
        traces?.add(spans)
        spans.removeAll(keepingCapacity: true)
    }
}

extension TracedSpan.Loss {
    fileprivate init(_ loss: RecordTrace.Loss) {
        self = []
        if loss.contains(.context) { insert(.context) }
        if loss.contains(.link) { insert(.parent) }
    }
}
