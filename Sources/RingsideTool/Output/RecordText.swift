internal import JSON
internal import RingReader

/// Texts of records for people, shared by the verbs.
extension RecordContext.Explained {
    /// The value in the metric's unit; the bits if the metric is unknown.
    var valueText: String {
        switch value {
        case .seconds(let seconds): Figures.duration(seconds: seconds)
        case .ticks(let ticks): "\(ticks) ticks"
        case .quantity(let quantity): quantity.text(in: metric?.unit ?? .none)
        case nil: record.kind.isMeasurement ? "0x\(Figures.hexadecimal(record.valueBits))" : "-"
        }
    }

    var series: String { metric?.series ?? "unknown metric \(record.metricID)" }
}

extension RecordContext.Explained {
    /// The unusual features of the record, and its span's place in its trace.
    var marks: [String] {
        switch record.kind {
        case .sample, .gauge: record.marks + (trace?.places ?? [])
        case .traceContext, .spanLink: ["\(record.kind.name)"]
        }
    }
}

extension RecordTrace {
    /// 32 hexadecimal digits.
    var text: String { Figures.hexadecimal(high) + Figures.hexadecimal(low) }

    /// The ids of its span and of the span's parent, and the parts that the ring has lost.
    var places: [String] {
        (spanID == 0 ? [] : ["span \(Figures.hexadecimal(spanID))"])
            + (parentID == 0 ? [] : ["parent \(Figures.hexadecimal(parentID))"])
            + (isSampled ? [] : ["not sampled"]) + losses.map { "\($0) lost" }
    }

    /// `context`, `parent`.
    var losses: [String] {
        (loss.contains(.context) ? ["context"] : []) + (loss.contains(.link) ? ["parent"] : [])
    }
}

extension JSONWriter {
    /// Writes the members that describe the trace of a record.
    mutating func trace(_ trace: RecordTrace?) {
        member("trace_id", trace?.text)
        member("span_id", trace.flatMap { $0.spanID == 0 ? nil : Figures.hexadecimal($0.spanID) })
        member("parent_span_id", trace.flatMap { $0.parentID == 0 ? nil : Figures.hexadecimal($0.parentID) })
        if let trace, !trace.loss.isEmpty { member("trace_lost", trace.losses.joined(separator: ",")) }
    }
}

extension DecodedRecord {
    /// Marks of an unusual record.
    var marks: [String] { (isFailed ? ["failed"] : []) + (isAbandoned ? ["abandoned"] : []) }
}

extension Metric {
    /// Name and labels: `orders_total{side="buy"}`.
    var series: String { labels.isEmpty ? name : "\(name){\(labels.list)}" }
}

extension [Metric.Label] {
    /// `side="buy",symbol="BTC-USDT"`
    var list: String { map { "\($0.name)=\($0.value.quoted)" }.joined(separator: ",") }
}

extension Quantity {
    var text: String {
        switch self {
        case .unsigned(let value): "\(value)"
        case .signed(let value): "\(value)"
        case .real(let value): Figures.real(value)
        }
    }

    func text(in unit: Metric.Unit) -> String {
        if unit == .seconds, case .real(let seconds) = self { return Figures.duration(seconds: seconds) }
        return unit == .none ? text : "\(text) \(unit.name)"
    }
}
