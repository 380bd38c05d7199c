internal import RingReader

/// All that a ring holds, taken at one go and ready to be shown.
///
/// A part of which the file has nothing is nil or empty, and stands in ``damage``.
struct RingDump {
    struct LifeEntry {
        let life: Life
        let clock: LifeClock?
    }

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
        /// Nil where the slot holds none.
        let metric: Metric?
        let cell: CellValue?
        let control: ControlWord?
    }

    struct RecordEntry {
        let index: UInt64
        let content: Result<DecodedRecord, RecordDefect>
        let metric: Metric?
        let value: RecordValue?
        let unixNanoseconds: Int64?
    }

    let path: String
    let state: RingState
    let fileBytes: Int
    let isOfThisBoot: Bool
    let ringID: Segment.Identifier
    let bootID: Segment.Identifier
    let createdUnixNanoseconds: UInt64
    let header: SegmentHeader
    let capacity: UInt64
    let lives: [LifeEntry]
    let producer: ProducerLine?
    let control: Control?
    let metrics: [MetricEntry]
    /// The last of them, oldest first.
    private(set) var records: [RecordEntry] = []
    /// Records that the ring held.
    private(set) var heldRecords: UInt64 = 0
    private(set) var damage = DamageLog()

    /// Reads and checks the whole ring. The position comes first: every metric of a record before it is then in the table.
    init(_ segment: Segment, lastRecords: Int) {
        let hasProducerLine = segment.geometry.producer.itemCount > 0
        path = segment.path
        fileBytes = segment.geometry.segmentBytes
        isOfThisBoot = segment.bootID == .ofThisBoot()
        ringID = segment.ringID
        bootID = segment.bootID
        createdUnixNanoseconds = segment.createdUnixNanoseconds
        header = segment.copyHeader()
        capacity = segment.geometry.capacity
        state = hasProducerLine ? RingState(of: segment) : segment.isProducerAlive ? .alive : .dead
        producer = hasProducerLine ? ProducerLine(segment) : nil
        lives = segment.lives().map { LifeEntry(life: $0, clock: segment.clock(of: $0)) }
        control = segment.geometry.control.itemCount > 0 ? Control(segment) : nil
        metrics = (0..<segment.readableMetricCount).map { MetricEntry($0, segment) }
        segment.survey(into: &damage)
        if let producer { scanRecords(segment, head: producer.position, last: lastRecords) }
    }

    /// The life that wrote record `index`; nil where it is no longer written down.
    private func life(of index: UInt64) -> LifeEntry? { lives.last { $0.life.firstPosition <= index } }
}

extension RingDump {
    /// The slot of the record that is a whole ring old may be being written, so it is not held any more.
    private mutating func scanRecords(_ segment: Segment, head: UInt64, last: Int) {
        let slots = UInt64(segment.geometry.records.itemCount)
        guard slots > 0 else { return }
        heldRecords = min(head, segment.geometry.capacity - 1)
        let firstShown = head - min(heldRecords, UInt64(last))
        var found: [RecordEntry] = []
        var log = damage
        segment.forEachRecord(from: head - heldRecords, to: head) { index, content in
            let entry = entry(index, content)
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

    /// Slots after the head were never written, but for the one that is being written now or was when the producer died.
    private func reportStrays(_ segment: Segment, from head: UInt64, in log: inout DamageLog) {
        let slots = UInt64(segment.geometry.records.itemCount)
        guard head < slots else { return }
        for slot in (head + 1)..<max(head + 1, slots)
        where !segment.isUntouched(slot: Int(slot)) && segment.position < slot {
            log.add(.records, "slot \(slot)", "holds bytes though the position is \(head), expected untouched memory")
        }
    }

    private func entry(_ index: UInt64, _ content: Result<DecodedRecord, RecordDefect>) -> RecordEntry {
        guard case .success(let record) = content else {
            return RecordEntry(index: index, content: content, metric: nil, value: nil, unixNanoseconds: nil)
        }
        let clock = life(of: index)?.clock
        let metric = metrics.indices.contains(record.metricID) ? metrics[record.metricID].metric : nil
        return RecordEntry(
            index: index, content: content, metric: metric, value: record.value(of: metric, clock: clock),
            unixNanoseconds: record.timeTicks.flatMap { clock?.unixNanoseconds(atTicks: $0) })
    }

    private func problems(of entry: RecordEntry) -> [String] {
        switch entry.content {
        case .failure(let defect): ["\(defect)"]
        case .success(let record): record.problems(metric: entry.metric, metricCount: metrics.count)
        }
    }
}

extension DecodedRecord {
    /// What its metric and the rules of the format have against it.
    fileprivate func problems(metric: Metric?, metricCount: Int) -> [String] {
        var problems: [String] = []
        if let metric {
            if (kind == .gauge) != (metric.kind == .gauge) || (kind == .sample) != (metric.kind == .histogram) {
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
        if weight == 0 { problems.append("weight 0, expected 1 or more") }
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
    fileprivate init(_ id: Int, _ segment: Segment) {
        let metric = segment.metric(id)
        self.id = id
        self.metric = metric
        cell = id < segment.geometry.cells.itemCount ? metric.map { CellValue(segment.cell(id), of: $0) } : nil
        control = id < segment.geometry.controlWords.itemCount ? segment.controlWord(id) : nil
    }
}
