internal import CRingside

extension Segment {
    /// The number of metric slots in use: ``metricCount``. If the file has lost the producer line with this count, it
    /// is the number of slots before the first untouched one.
    package var readableMetricCount: Int {
        if geometry.producer.itemCount > 0 { return metricCount }
        let slots = 0..<geometry.metrics.itemCount
        return slots.first { copyMetric($0).kind == 0 } ?? slots.count
    }

    /// Returns the defect of slot `index`, which is below ``metricCount``; nil for a valid metric.
    func metricDefect(_ index: Int) -> String? {
        let slot = copyMetric(index)
        guard let kind = Metric.Kind(rawValue: slot.kind) else { return "kind \(slot.kind), expected 1 to 4" }
        guard Metric.NumberType(rawValue: slot.number) != nil else {
            return "number type \(slot.number), expected 1 (u64), 2 (i64) or 3 (f64)"
        }
        guard Metric.Unit(rawValue: slot.unit) != nil else {
            return "unit \(slot.unit), expected 0 to \(Metric.Unit.allCases.count - 1)"
        }
        guard let metric = metric(index) else { return unreadableText(slot, kind) }
        if kind == .histogram, DecodedRecord.Encoding(rawValue: UInt32(slot.encoding)) == nil {
            return "value encoding \(slot.encoding), expected 1 to 3"
        }
        // 0 is a life of the ring that this one replaced.
        guard (0...lifeCount).contains(metric.life) else {
            return "last registered in life \(metric.life), expected 0 to \(lifeCount)"
        }
        return nil
    }

    private func unreadableText(_ slot: ringside_metric, _ kind: Metric.Kind) -> String {
        func range(_ text: ringside_text) -> String {
            "\(ringside_text_bytes(text)) bytes at \(ringside_text_offset(text)) of \(geometry.text.itemCount)"
        }
        for (name, text) in [("name", slot.name), ("help", slot.help), ("labels", slot.labels)]
        where textBytes(text) == nil { return "its \(name), \(range(text)), leads out of the text" }
        if labels(slot.labels) == nil { return "its labels, \(range(slot.labels)), cannot be decoded" }
        let name = textBytes(slot.name).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        if name.utf8.count > Int(RINGSIDE_METRIC_NAME_BYTES) || !Self.isIdentifier(name) {
            return "its name, \(range(slot.name)), is not letters, digits and _"
        }
        let help = textBytes(slot.help) ?? []
        if help.count > Int(RINGSIDE_HELP_BYTES) || String(validating: help, as: UTF8.self) == nil {
            return "its help, \(range(slot.help)), is not text of \(RINGSIDE_HELP_BYTES) bytes at most"
        }
        return "a \(kind.name) of number type \(slot.number) does not exist"
    }

    /// Checks that a name with its labels occurs only once, unless a later life gave it another kind or unit.
    func surveyIdentities(_ log: inout DamageLog) {
        struct Identity: Hashable {
            let kind: UInt8
            let unit: UInt8
            let number: UInt8
            let texts: [String]
        }
        var first: [Identity: Int] = [:]
        for id in 0..<readableMetricCount {
            guard let metric = metric(id) else { continue }
            let identity = Identity(
                kind: metric.kind.rawValue, unit: metric.unit.rawValue, number: metric.numberType.rawValue,
                texts: [metric.name] + metric.labels.flatMap { [$0.name, $0.value] })
            if let other = first[identity] {
                log.add(
                    .metrics, "metric \(id)", "the same name, labels, kind and unit as metric \(other), expected one")
            } else {
                first[identity] = id
            }
        }
    }

    /// Checks that each cell contains a value that its kind can have, and that cells without a metric are zero.
    func surveyCells(_ log: inout DamageLog) {
        for id in 0..<min(metricCount, geometry.cells.itemCount) {
            guard let metric = metric(id), let defect = Self.cellDefect(cell(id), of: metric) else { continue }
            log.add(.cells, "cell of metric \(id)", defect)
        }
        // The slot after the last one may be in the middle of a registration, now or when the producer was killed.
        let unused = metricCount + 1
        guard unused < geometry.cells.itemCount else { return }
        for id in unused..<geometry.cells.itemCount where cell(id) != (0, 0) && id > metricCount {
            log.add(.cells, "cell \(id)", "\(cell(id).first) and \(cell(id).second) without a metric, expected 0 and 0")
        }
    }

    private static func cellDefect(_ words: (first: UInt64, second: UInt64), of metric: Metric) -> String? {
        switch metric.kind {
        case .counter: words.second == 0 ? nil : "its second word is \(words.second), expected 0"
        case .upDownCounter, .histogram: nil
        case .gauge:
            metric.numberType == .real && [words.first, words.second].contains(where: isForeignNaN)
                ? "not a number, expected a value or the pattern for unset" : nil
        }
    }

    private static func isForeignNaN(_ bits: UInt64) -> Bool {
        bits != RINGSIDE_UNSET && Double(bitPattern: bits).isNaN
    }
}
