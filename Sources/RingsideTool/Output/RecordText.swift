internal import RingReader

/// How records are written for people, in whichever verb.
extension RecordContext.Explained {
    /// In the unit of the metric; the bits where nothing is known of it.
    var valueText: String {
        switch value {
        case .seconds(let seconds): Figures.duration(seconds: seconds)
        case .ticks(let ticks): "\(ticks) ticks"
        case .quantity(let quantity): quantity.text(in: metric?.unit ?? .none)
        case nil: "0x\(Figures.hexadecimal(record.valueBits))"
        }
    }

    var series: String { metric?.series ?? "unknown metric \(record.metricID)" }
}

extension DecodedRecord {
    /// What is out of the ordinary about it.
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
