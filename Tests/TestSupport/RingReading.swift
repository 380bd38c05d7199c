internal import CRingside
internal import RingReader

/// The text of everything that a reader decodes from a ring's file, in the format's own figures. So two readers can be
/// compared line by line. Texts for people (errors, damage) are left out.
package struct RingReading {
    package private(set) var lines: [String] = []

    /// - Parameter path: A ring's file with any bytes.
    package init(path: String) {
        do throws(RingError) {
            read(try Segment(name: RingName("vector")!, path: path))
        } catch {
            lines.append("refused: \(error.kind)")
        }
    }

    package var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func read(_ segment: Segment) {
        let header = segment.copyHeader()
        lines.append("version: \(header.versionMajor).\(header.versionMinor), header \(header.headerBytes) bytes")
        lines.append("ring: \(segment.ringID), boot \(segment.bootID), created \(segment.createdUnixNanoseconds)")
        lines.append("ticks a second: \(segment.ticksPerSecond)")
        lines.append("capacity: \(segment.geometry.capacity) records, \(segment.geometry.metrics.itemCount) metrics")
        lines.append(
            "producer: position \(segment.position), metrics \(segment.metricCount), sampled out \(segment.sampledOut), "
                + "refused \(segment.refusedMetrics), sampling \(segment.samplingN), closed \(segment.isClosed)")
        lines.append("control: default \(text(segment.defaultControlWord)), changes \(segment.controlChanges)")
        lines.append("lives begun: \(segment.lifeCount)")
        for life in segment.lives() { read(life) }
        for id in 0..<segment.metricCount { read(segment, metric: id) }
        readRecords(segment)
        readAsCollector(segment)
        var damage = DamageLog()
        segment.survey(into: &damage)
        for found in damage.kept { lines.append("damage: \(found.area.name): \(found.place)") }
    }

    private mutating func read(_ life: Life) {
        lines.append(
            "life \(life.number): from \(life.firstPosition), clock \(life.clock.name), anchor \(life.anchorTicks) "
                + "\(life.anchorMonotonicNanoseconds) \(life.anchorUnixNanoseconds), pid \(life.pid) in "
                + "\(life.pidNamespace) started \(life.processStartTicks), command \(life.command), labels "
                + "\(text(life.labels)), costs \(life.callCostPicoseconds)"
                + (life.tracePrefix == 0 ? "" : ", trace prefix \(String(life.tracePrefix, radix: 16))"))
    }

    private mutating func read(_ segment: Segment, metric id: Int) {
        let cell = segment.cell(id)
        let state =
            "cell \(String(cell.first, radix: 16)) \(String(cell.second, radix: 16)), control "
            + text(segment.controlWord(id))
        guard let metric = segment.metric(id) else { return lines.append("metric \(id): none, \(state)") }
        lines.append(
            "metric \(id): \(metric.name)\(text(metric.labels)) \(metric.kind.name) \(metric.numberType) unit "
                + "\"\(metric.unit.name)\" ticks \(metric.isInTicks) life \(metric.life), \(state), help "
                + "\"\(metric.help)\"")
    }

    private mutating func readRecords(_ segment: Segment) {
        let head = segment.position
        var lines: [String] = []
        var context = RecordContext(segment)
        segment.forEachRecord(from: segment.oldestHeld(head: head), to: head) { index, content in
            switch content {
            case .success(let record):
                let trace = context.explain(record).trace.flatMap { $0.isPlain ? nil : Self.text($0) }
                lines.append("record \(index): \(Self.text(record))" + (trace ?? ""))
            case .failure(let defect): lines.append("record \(index): none, \(Self.kind(of: defect))")
            }
        }
        self.lines += lines
    }

    /// Reads by a cursor, as the collector and `ringside tail` do.
    private mutating func readAsCollector(_ segment: Segment) {
        var cursor = RingCursor(segment)
        var (copied, valid) = (0, 0)
        withUnsafeTemporaryAllocation(of: ringside_record.self, capacity: RingCursor.batchLimit) { buffer in
            while true {
                let batch = cursor.read(segment, into: buffer.baseAddress!)
                for place in 0..<batch.count {
                    let index = batch.firstIndex &+ UInt64(place)
                    let record = buffer.baseAddress! + batch.offset + place
                    valid += ringside_record_is_valid(record, index, segment.geometry.shift) != 0 ? 1 : 0
                }
                copied += batch.count
                if batch.isCaughtUp { return }
            }
        }
        lines.append(
            "cursor: copied \(copied), of them valid \(valid), before attach \(cursor.beforeAttach), lapped "
                + "\(cursor.lapped), corrupt \(cursor.corrupt), next \(cursor.next)")
    }

    private static func text(_ record: DecodedRecord) -> String {
        "\(record.kind.name) \(record.encoding.name) of \(record.metricID), weight \(record.weight), time "
            + "\(record.timeTicks.map { "\($0)" } ?? "none"), value \(String(record.valueBits, radix: 16)), failed "
            + "\(record.isFailed), abandoned \(record.isAbandoned), trace \(record.traceID), reserved "
            + "\(record.reservedFlags)"
    }

    private static func text(_ trace: RecordTrace) -> String {
        ", of trace \(String(trace.high, radix: 16)) \(String(trace.low, radix: 16)), span "
            + "\(String(trace.spanID, radix: 16)), parent \(String(trace.parentID, radix: 16)), remote "
            + "\(trace.isParentRemote), sampled \(trace.isSampled), lost \(trace.loss.rawValue)"
    }

    private static func kind(of defect: RecordDefect) -> String {
        switch defect {
        case .untouched: "untouched"
        case .lap(let found, let expected): "lap \(found), expected \(expected)"
        case .kind(let code): "kind \(code)"
        case .encoding(let code): "encoding \(code)"
        }
    }

    private func text(_ word: ControlWord) -> String { "\(word.isEnabled ? "on" : "off") 1/\(word.samplingN)" }

    private func text(_ labels: [Metric.Label]) -> String {
        "{" + labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",") + "}"
    }
}

extension RecordTrace {
    /// Whether it contains no more than the record's own word, as in a ring of version 1.0.
    fileprivate var isPlain: Bool { high == 0 && spanID == 0 && parentID == 0 && loss.isEmpty }
}

extension RingError {
    fileprivate var kind: String {
        switch self {
        case .directory: "directory"
        case .open: "open"
        case .notARegularFile: "not a regular file"
        case .tooShort: "too short"
        case .notARing: "not a ring"
        case .foreignByteOrder: "foreign byte order"
        case .unpublished: "unpublished"
        case .otherVersion(_, let major, let minor, _): "version \(major).\(minor)"
        case .geometry: "geometry"
        case .map: "map"
        case .unguarded: "unguarded"
        }
    }
}
