internal import Drain
internal import RingReader

/// All content of a ring, read at once and ready to be shown.
///
/// A part that the file lacks is nil or empty, and is reported in ``damage``.
struct RingDump {
    struct ProducerLine {
        let position: UInt64
        let metricCount: Int
        let sampledOut: UInt64
        let refusedMetrics: UInt64
        let samplingN: UInt32
        let isClosed: Bool
    }

    struct Control {
        let defaultWord: ControlWord
        let changes: UInt64
    }

    struct MetricEntry {
        let id: Int
        /// Nil if the slot holds no metric that can be decoded.
        let metric: Metric?
        let cell: CellValue?
        let control: ControlWord?
    }

    struct RecordEntry {
        let index: UInt64
        let content: Result<RecordContext.Explained, RecordDefect>
    }

    let path: String
    let state: ProducerState
    let fileBytes: Int
    /// Nil if the ring has a file of its own.
    let capture: CaptureEnvelope?
    /// Nil for a capture, whose dump must be the same on every machine.
    let isOfThisBoot: Bool?
    let ringID: Segment.Identifier
    let bootID: Segment.Identifier
    let createdUnixNanoseconds: UInt64
    let header: SegmentHeader
    let capacity: UInt64
    let producer: ProducerLine?
    let control: Control?
    let metrics: [MetricEntry]
    private let context: RecordContext
    /// The last records, oldest first.
    private(set) var records: [RecordEntry] = []
    /// The number of records that the ring held.
    private(set) var heldRecords: UInt64 = 0
    private(set) var damage = DamageLog()

    /// Reads and checks the whole ring. The position is read first, so that the table has every metric of the records
    /// before it.
    init(_ segment: Segment, lastRecords: UInt64) {
        let hasProducerLine = segment.geometry.producer.itemCount > 0
        path = segment.path
        fileBytes = segment.geometry.segmentBytes
        capture = segment.capture
        isOfThisBoot = segment.capture == nil ? segment.bootID == .ofThisBoot() : nil
        ringID = segment.ringID
        bootID = segment.bootID
        createdUnixNanoseconds = segment.createdUnixNanoseconds
        header = segment.copyHeader()
        capacity = segment.geometry.capacity
        state = ProducerState(of: segment)
        producer = hasProducerLine ? ProducerLine(segment) : nil
        control = segment.geometry.control.itemCount > 0 ? Control(segment) : nil
        let context = RecordContext(segment)
        self.context = context
        metrics = context.metrics.enumerated().map { MetricEntry($0, $1, segment) }
        segment.survey(into: &damage)
        if let producer { scanRecords(segment, head: producer.position, last: lastRecords) }
    }

    /// Oldest first.
    var lives: [RecordContext.ClockedLife] { context.lives }
}

extension RingDump {
    private mutating func scanRecords(_ segment: Segment, head: UInt64, last: UInt64) {
        let slots = UInt64(segment.geometry.records.itemCount)
        guard slots > 0 else { return }
        heldRecords = head - segment.oldestHeld(head: head)
        let firstShown = head - min(heldRecords, last)
        var found: [RecordEntry] = []
        var log = damage
        var context = context
        segment.forEachRecord(from: head - heldRecords, to: head) { index, content in
            let entry = RecordEntry(index: index, content: content.map { context.explain($0) })
            for problem in problems(of: entry) {
                log.add(.records, "record \(index) (slot \(segment.slot(of: index)))", problem)
            }
            if index >= firstShown { found.append(entry) }
        }
        records = found
        reportMissing(segment, in: &log)
        reportStrays(segment, from: head, in: &log)
        damage = log
    }

    private func reportMissing(_ segment: Segment, in log: inout DamageLog) {
        let slots = segment.geometry.records.itemCount
        guard UInt64(slots) < segment.geometry.capacity else { return }
        log.add(.records, "slots \(slots) to \(segment.geometry.capacity - 1)", "not in the file, expected records")
    }

    /// Reports slots after the head that hold bytes. They were never written, except one: it may be in the middle of a
    /// write, now or when the producer died.
    private func reportStrays(_ segment: Segment, from head: UInt64, in log: inout DamageLog) {
        let slots = UInt64(segment.geometry.records.itemCount)
        guard head < slots else { return }
        for slot in (head + 1)..<max(head + 1, slots)
        where !segment.isUntouched(slot: Int(slot)) && segment.position < slot {
            log.add(.records, "slot \(slot)", "holds bytes though the position is \(head), expected untouched memory")
        }
    }

    private func problems(of entry: RecordEntry) -> [String] {
        switch entry.content {
        case .failure(let defect): ["\(defect)"]
        case .success(let read): read.record.problems(metric: read.metric, metricCount: metrics.count)
        }
    }
}

extension DecodedRecord {
    /// Returns the record's conflicts with its metric and with the format's rules.
    fileprivate func problems(metric: Metric?, metricCount: Int) -> [String] {
        var problems: [String] = []
        if let metric {
            if kind.isMeasurement,
                (kind == .gauge) != (metric.kind == .gauge) || (kind == .sample) != (metric.kind == .histogram)
            {
                problems.append("a \(kind.name) of metric \(metricID), which is a \(metric.kind.name)")
            }
            if !kind.isMeasurement, metric.kind != .histogram {
                problems.append("a \(kind.name) of metric \(metricID), which is a \(metric.kind.name)")
            }
            if encoding != .number, metric.unit != .seconds {
                problems.append("in \(encoding.name), of metric \(metricID), whose unit is not seconds")
            }
            if encoding == .number, case .quantity(.real(let value)) = value(of: metric, clock: nil), value.isNaN {
                problems.append("its value is not a number")
            }
        } else {
            let known = metricID < metricCount ? "which cannot be decoded" : "expected below \(metricCount)"
            problems.append("metric \(metricID), \(known)")
        }
        if !kind.isMeasurement, traceID == 0 { problems.append("a \(kind.name) of no trace") }
        if kind.isMeasurement, weight == 0 { problems.append("weight 0, expected 1 or more") }
        if reservedFlags != 0 {
            problems.append("reserved flags 0x\(String(reservedFlags, radix: 16)), expected none")
        }
        return problems
    }
}

extension RingDump.ProducerLine {
    fileprivate init(_ segment: Segment) {
        position = segment.position
        metricCount = segment.metricCount
        sampledOut = segment.sampledOut
        refusedMetrics = segment.refusedMetrics
        samplingN = segment.samplingN
        isClosed = segment.isClosed
    }
}

extension RingDump.Control {
    fileprivate init(_ segment: Segment) {
        defaultWord = segment.defaultControlWord
        changes = segment.controlChanges
    }
}

extension RingDump.MetricEntry {
    fileprivate init(_ id: Int, _ metric: Metric?, _ segment: Segment) {
        self.id = id
        self.metric = metric
        cell = id < segment.geometry.cells.itemCount ? metric.map { CellValue(segment.cell(id), of: $0) } : nil
        control = id < segment.geometry.controlWords.itemCount ? segment.controlWord(id) : nil
    }
}
