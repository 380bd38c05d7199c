internal import CRingside

/// Checks of a segment's fixed parts, which read no record. A word that a live producer may be writing is not reported
/// as damage.
extension Segment {
    /// Adds the damage in the header, the lives, the producer line, the control words, the metrics and the cells.
    package func survey(into log: inout DamageLog) {
        surveyHeader(&log)
        if geometry.producer.itemCount > 0 { surveyProducerLine(&log) }
        surveyLives(&log)
        surveyControl(&log)
        for id in 0..<readableMetricCount {
            if let defect = metricDefect(id) { log.add(.metrics, "metric \(id)", defect) }
        }
        surveyIdentities(&log)
        if geometry.producer.itemCount > 0 { surveyCells(&log) }
    }

    private var isOfKnownMinor: Bool { geometry.versionMinor <= UInt32(RINGSIDE_ABI_MINOR) }

    private func surveyHeader(_ log: inout DamageLog) {
        let header = copyHeader()
        if header.segmentBytes != UInt64(geometry.segmentBytes) {
            log.add(
                .header, "segment size",
                "\(header.segmentBytes) bytes, expected \(geometry.segmentBytes) as the file has")
        }
        let expected = UInt32(MemoryLayout<ringside_header>.size)
        if isOfKnownMinor ? header.headerBytes != expected : header.headerBytes < expected {
            log.add(.header, "header size", "\(header.headerBytes) bytes, expected \(expected)")
        }
        if isOfKnownMinor, !header.isReservedZero { log.add(.header, "reserved bytes", "not zero, expected zero") }
        for region in header.regions {
            guard let defect = region.defect(in: UInt64(geometry.segmentBytes)) else { continue }
            log.add(.header, "region \(region.kind.name)", defect)
        }
        let metrics = header.regions[SegmentHeader.Region.Kind.metrics.rawValue].itemCount
        for kind in [SegmentHeader.Region.Kind.cells, .controlWords]
        where header.regions[kind.rawValue].itemCount < metrics {
            log.add(
                .header, "region \(kind.name)",
                "\(header.regions[kind.rawValue].itemCount) items, expected one for each of \(metrics) metric slots")
        }
        let textUsed = ringside_load_relaxed_64(base.loadAddress(\ringside_header.text_bytes_used))
        if textUsed > UInt64(geometry.text.itemCount) {
            log.add(.header, "text in use", "\(textUsed) bytes, expected at most \(geometry.text.itemCount)")
        }
    }

    private func surveyProducerLine(_ log: inout DamageLog) {
        let line = base + geometry.producer.offset
        let count = ringside_load_acquire_64(line.loadAddress(\ringside_producer_line.metric_count))
        if count > UInt64(geometry.metrics.itemCount) {
            log.add(.producer, "metric count", "\(count), expected at most \(geometry.metrics.itemCount)")
        }
        let closed = ringside_load_relaxed_32(line.loadAddress(\ringside_producer_line.closed))
        if closed > 1 { log.add(.producer, "closed mark", "\(closed), expected 0 or 1") }
        if samplingN > UInt32(RINGSIDE_CONTROL_N_MASK) {
            log.add(.producer, "sampling in force", "1/\(samplingN), expected 1/1 to 1/\(RINGSIDE_CONTROL_N_MASK)")
        }
    }

    private func surveyLives(_ log: inout DamageLog) {
        if lifeCount == 0 { log.add(.lives, "life count", "0, expected 1 or more") }
        var before: Life?
        for life in lives() {
            for defect in lifeDefects(life, after: before) { log.add(.lives, "life \(life.number)", defect) }
            before = life
        }
    }

    private func lifeDefects(_ life: Life, after before: Life?) -> [String] {
        guard let copy = copyLife(life.number) else { return [] }
        var defects: [String] = []
        if Life.Clock(rawValue: copy.clock_kind) == nil || life.clock == .none {
            defects.append("clock kind \(copy.clock_kind), expected 1 (tsc), 2 (cntvct) or 3 (monotonic)")
        }
        if labels(copy.labels) == nil { defects.append("its labels cannot be decoded") }
        if let before, life.firstPosition < before.firstPosition {
            defects.append(
                "it begins at \(life.firstPosition), expected \(before.firstPosition) or more as the life before")
        }
        if geometry.producer.itemCount > 0, life.firstPosition > position {
            defects.append("it begins at \(life.firstPosition), expected at most the position \(position)")
        }
        if life.anchorUnixNanoseconds == 0 { defects.append("it has no anchor in time") }
        return defects
    }

    private func surveyControl(_ log: inout DamageLog) {
        if geometry.control.itemCount > 0 {
            let word = ringside_load_relaxed_32((base + geometry.control.offset).assumingMemoryBound(to: UInt32.self))
            if let defect = Self.controlDefect(word) { log.add(.control, "default control word", defect) }
        }
        for id in 0..<min(readableMetricCount, geometry.controlWords.itemCount) {
            let address = base + geometry.controlWords.offset + id * geometry.controlWords.itemBytes
            let word = ringside_load_relaxed_32(address.assumingMemoryBound(to: UInt32.self))
            if let defect = Self.controlDefect(word) { log.add(.control, "control word of metric \(id)", defect) }
        }
    }

    private static func controlDefect(_ word: UInt32) -> String? {
        let isEnabled = word & UInt32(RINGSIDE_CONTROL_ENABLED) != 0
        guard word >> 17 != 0 || isEnabled && word & UInt32(RINGSIDE_CONTROL_N_MASK) == 0 else { return nil }
        return "0x\(String(word, radix: 16)), expected N of 1 to 65535 in the low 16 bits and bit 16 for enabled"
    }
}

extension Segment {
    /// N of 1-in-N in force at the last call that sampling applied to; 0 if there was none.
    package var samplingN: UInt32 {
        ringside_load_relaxed_32((base + geometry.producer.offset).loadAddress(\ringside_producer_line.sampling_n))
    }
}

extension UnsafeRawPointer {
    /// Returns the address of one field of the structure that begins here.
    func loadAddress<Root, Word>(_ field: KeyPath<Root, Word>) -> UnsafePointer<Word> {
        (self + MemoryLayout<Root>.offset(of: field)!).assumingMemoryBound(to: Word.self)
    }
}
