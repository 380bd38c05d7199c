internal import Series
internal import Sketch

/// A history as OpenMetrics 1.0 with a time at each sample: what `promtool tsdb create-blocks-from openmetrics` takes.
///
/// Counters and histograms count from the range's beginning on, with a zero there; a sample stands at the end of its minute. A
/// histogram has classic buckets by powers of two, and the exact percentiles of each minute as a summary with
/// `window="1m"`. Families stand one after the other and are handed over one series at a time, so that memory is bounded by one
/// series.
package struct HistoryOpenMetrics {
    private let reader: HistoryReader
    private let minutes: Range<Int64>
    private let write: ([UInt8]) throws -> Void
    /// Series that could not be written, since their names are none or stand for another kind elsewhere.
    private(set) package var leftOut = 0

    /// - Parameter write: takes what is there so far.
    package init(_ reader: HistoryReader, minutes: Range<Int64>, write: @escaping ([UInt8]) throws -> Void) {
        self.reader = reader
        self.minutes = minutes
        self.write = write
    }

    package mutating func run() throws {
        let families = Dictionary(grouping: try reader.series()) { $0.key.name }
        for (name, series) in families.sorted(by: { $0.key < $1.key }) {
            let first = series[0].key
            let fit = series.filter { $0.key.hasValidNames && $0.key.kind == first.kind && $0.key.unit == first.unit }
            leftOut += series.count - fit.count
            try family(name, fit)
        }
        try write(Array("# EOF\n".utf8))
    }

    private func family(_ name: String, _ series: [StoredSeries]) throws {
        guard let first = series.first else { return }
        switch first.key.kind {
        case .counter:
            let base = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
            try head(base, "counter", first)
            for one in series { try counter(base, one) }
        case .gauge, .upDownCounter:
            try head(name, "gauge", first)
            for one in series { try gauge(name, one) }
        case .histogram:
            try head(name, "histogram", first)
            for one in series { try histogram(name, one) }
            let window = Self.windowName(name, first.key.unit)
            try head(window, "summary", first)
            for one in series { try percentiles(window, one) }
        }
    }

    /// `x_seconds` -> `x_window_seconds`, as /metrics names it.
    private static func windowName(_ name: String, _ unit: MetricUnit) -> String {
        let suffix = "_\(unit.rawValue)"
        guard unit != .none, name.hasSuffix(suffix) else { return name + "_window" }
        return name.dropLast(suffix.count) + "_window" + suffix
    }

    private func head(_ name: String, _ type: String, _ series: StoredSeries) throws {
        var text = "# TYPE \(name) \(type)\n"
        if series.key.unit != .none, name.hasSuffix("_\(series.key.unit.rawValue)") {
            text += "# UNIT \(name) \(series.key.unit.rawValue)\n"
        }
        if !series.help.isEmpty { text += "# HELP \(name) \(Self.escaped(series.help))\n" }
        try write(Array(text.utf8))
    }

    private func counter(_ base: String, _ series: StoredSeries) throws {
        let labels = Self.labels(series.key)
        var total = 0.0
        try forEachMinute(series) { text, time, value in
            if case .counter(let increase)? = value { total += increase }
            text += "\(base)_total\(Self.braces(labels)) \(Self.number(total)) \(time)\n"
        }
    }

    private func gauge(_ name: String, _ series: StoredSeries) throws {
        let labels = Self.labels(series.key)
        try forEachMinute(series) { text, time, value in
            guard case .gauge(let gauge)? = value else { return }
            text += "\(name)\(Self.braces(labels)) \(Self.number(gauge.last)) \(time)\n"
        }
    }

    private func histogram(_ name: String, _ series: StoredSeries) throws {
        let labels = Self.labels(series.key)
        let merged = MergedMinutes()
        try forEachMinute(series) { text, time, value in
            if let value { merged.add(value) }
            for bucket in merged.classicBuckets(unit: series.key.unit) {
                let edge = labels + [Label("le", Self.number(bucket.upperBound))]
                text += "\(name)_bucket\(Self.braces(edge)) \(bucket.cumulativeCount) \(time)\n"
            }
            let last = labels + [Label("le", "+Inf")]
            text += "\(name)_bucket\(Self.braces(last)) \(merged.sketch.count) \(time)\n"
            text += "\(name)_count\(Self.braces(labels)) \(merged.sketch.count) \(time)\n"
            // Of values below zero the sum may fall, which OpenMetrics does not allow.
            if !(merged.minimum < 0) {
                text += "\(name)_sum\(Self.braces(labels)) \(Self.number(merged.sum)) \(time)\n"
            }
        }
    }

    private func percentiles(_ name: String, _ series: StoredSeries) throws {
        let labels = Self.labels(series.key)
        try forEachMinute(series) { text, time, value in
            guard let value else { return }
            let merged = MergedMinutes()
            merged.add(value)
            let point = merged.histogram(quantiles: HistogramPoint.quantiles)
            for (quantile, value) in zip(HistogramPoint.quantiles, point.values) {
                let all = labels + [Label("window", "1m"), Label("quantile", "\(quantile)")]
                text += "\(name)\(Self.braces(all)) \(Self.number(value)) \(time)\n"
            }
        }
    }

    /// Calls `body` for the beginning, with nil, and then for each minute from the series' first to its last; idle ones have nil.
    private func forEachMinute(
        _ series: StoredSeries, _ body: (inout String, _ time: Int64, MinuteValue?) -> Void
    ) throws {
        var text = ""
        var next: Int64?
        try reader.forEachMinute(of: [series.id], in: minutes) { minute, value in
            if next == nil {
                body(&text, minute * 60, nil)
                next = minute
            }
            while let idle = next, idle < minute {
                body(&text, (idle + 1) * 60, nil)
                next = idle + 1
            }
            body(&text, (minute + 1) * 60, value)
            next = minute + 1
        }
        try write(Array(text.utf8))
    }
}

/// The text of names, labels and numbers.
extension HistoryOpenMetrics {
    private static func labels(_ key: HistorySeriesKey) -> [Label] {
        var labels = key.allLabels.filter { $0.name != "bot" && $0.name != "lane" }
        if !key.bot.isEmpty { labels.append(Label("bot", key.bot)) }
        if !key.lane.isEmpty { labels.append(Label("lane", key.lane)) }
        return labels.sorted()
    }

    private static func braces(_ labels: [Label]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return text }
        // By bytes: a quote and a combining mark after it are one character.
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x5C: bytes += [0x5C, 0x5C]
            case 0x22: bytes += [0x5C, 0x22]
            case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }
}

extension HistorySeriesKey {
    fileprivate var hasValidNames: Bool {
        func isValid(_ name: String, _ others: String) -> Bool {
            !name.isEmpty
                && name.utf8.enumerated().allSatisfy { place, byte in
                    let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte == 0x5F
                    return isLetter || others.utf8.contains(byte) || place > 0 && byte >= 0x30 && byte <= 0x39
                }
        }
        let reserved: Set<String> = ["le", "quantile", "window", "__name__"]
        return isValid(name, ":")
            && allLabels.allSatisfy { isValid($0.name, "") && !(kind == .histogram && reserved.contains($0.name)) }
    }
}

extension MergedMinutes {
    fileprivate func classicBuckets(unit: MetricUnit) -> [ClassicBucket] {
        minimum < 0 ? [] : ClassicBucket.buckets(of: sketch.octaves(), unit: unit)
    }
}
