internal import CRingside
internal import RingReader

/// What a reader makes of a ring's file, as text: all that the format has, in its own figures, so that two readers can be held
/// against each other line by line. Wording that is for people (errors, damage) is left out of it.
package struct RingReading {
    package private(set) var lines: [String] = []

    /// - Parameter path: A ring's file, whatever its bytes.
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
                + "\(text(life.labels)), costs \(life.callCostPicoseconds)")
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
        segment.forEachRecord(from: segment.oldestHeld(head: head), to: head) { index, content in
            switch content {
            case .success(let record): lines.append("record \(index): \(Self.text(record))")
            case .failure(let defect): lines.append("record \(index): none, \(Self.kind(of: defect))")
            }
        }
        self.lines += lines
    }

    /// By a cursor, as the collector and `ringside tail` read.
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
