internal import Exposition
internal import Series
internal import Sketch

/// A history as OpenMetrics 1.0 with a time at each sample: what `promtool tsdb create-blocks-from openmetrics` takes.
///
/// Counters and histograms count from the range's beginning on, with a zero there; a sample stands at the end of its minute. A
/// histogram has classic buckets by powers of two, and the exact percentiles of each minute as a summary with
/// `window="1m"`. Families stand one after the other; in a family all times of one series come before the next series, and of a
/// histogram or summary all samples of one time before those of the next, as OpenMetrics groups them. They are handed over one
/// series at a time, so that memory is bounded by one series.
package struct HistoryOpenMetrics {
    private let reader: HistoryReader
    private let minutes: Range<Int64>
    private let write: ([UInt8]) throws -> Void
    /// Series that could not be written, since their names are none or stand for another family elsewhere.
    private(set) package var leftOut = 0

    /// - Parameter write: takes what is there so far.
    package init(_ reader: HistoryReader, minutes: Range<Int64>, write: @escaping ([UInt8]) throws -> Void) {
        self.reader = reader
        self.minutes = minutes
        self.write = write
    }

    package mutating func run() throws {
        reader.forgetWhatWasRead()
        let naming = OpenMetricsNaming(try reader.series())
        leftOut = naming.leftOut
        for family in naming.families { try write(family) }
        try write(Array("# EOF\n".utf8))
    }

    private func write(_ family: ExportedFamily) throws {
        switch family.form {
        case .counter:
            try head(String(family.name.dropLast("_total".count)), "counter", family)
            for one in family.series { try counter(family.name, one) }
        case .unknown:
            try head(family.name, "unknown", family)
            for one in family.series { try counter(family.name, one) }
        case .gauge:
            try head(family.name, "gauge", family)
            for one in family.series { try gauge(family.name, one) }
        case .histogram: try writeHistograms(family)
        }
    }

    private func writeHistograms(_ family: ExportedFamily) throws {
        var hasNegative = false
        try head(family.name, "histogram", family)
        for one in family.series {
            let isNegative = try histogram(family.name, one, family.unit)
            hasNegative = hasNegative || isNegative
        }
        // A summary has no quantile below zero (OpenMetrics 1.0, Summary).
        let window = ExportedFamily.windowName(family.name, family.unit)
        try head(window, hasNegative ? "unknown" : "summary", family)
        for one in family.series { try percentiles(window, one, isSummary: !hasNegative) }
    }

    private func head(_ name: String, _ type: String, _ family: ExportedFamily) throws {
        var text = "# TYPE \(name) \(type)\n"
        if family.unit != .none, name.hasSuffix("_\(family.unit.rawValue)") {
            text += "# UNIT \(name) \(family.unit.rawValue)\n"
        }
        if !family.help.isEmpty { text += "# HELP \(name) \(OpenMetricsSample.escaped(family.help))\n" }
        try write(Array(text.utf8))
    }

    private func counter(_ name: String, _ series: ExportedHistory) throws {
        var total = 0.0
        let beginning = OpenMetricsSample.name(name, series.labels)
        try forEachMinute(series) { text, time, value in
            // A total only grows, whatever a damaged ring said.
            if case .counter(let increase)? = value, increase.isFinite { total += max(0, increase) }
            text += "\(beginning) \(OpenMetricsSample.number(total)) \(time)\n"
        }
    }

    private func gauge(_ name: String, _ series: ExportedHistory) throws {
        let beginning = OpenMetricsSample.name(name, series.labels)
        try forEachMinute(series) { text, time, value in
            guard case .gauge(let gauge)? = value else { return }
            text += "\(beginning) \(OpenMetricsSample.number(gauge.last)) \(time)\n"
        }
    }

    /// - Returns: whether there were values below zero.
    private func histogram(_ name: String, _ series: ExportedHistory, _ unit: MetricUnit) throws -> Bool {
        let merged = MergedMinutes()
        let (sum, count) = (
            OpenMetricsSample.name(name + "_sum", series.labels),
            OpenMetricsSample.name(name + "_count", series.labels)
        )
        try forEachMinute(series) { text, time, value in
            if let value { merged.add(value) }
            for bucket in merged.classicBuckets(unit: unit) {
                let edge = series.labels + [Label("le", OpenMetricsSample.number(bucket.upperBound))]
                text += "\(OpenMetricsSample.name(name + "_bucket", edge)) \(bucket.cumulativeCount) \(time)\n"
            }
            let last = OpenMetricsSample.name(name + "_bucket", series.labels + [Label("le", "+Inf")])
            text += "\(last) \(merged.sketch.count) \(time)\n"
            // With negative values a sum is no counter any more, and without it there is no count either.
            guard !(merged.minimum < 0) else { return }
            text += "\(count) \(merged.sketch.count) \(time)\n"
            text += "\(sum) \(OpenMetricsSample.number(max(0, merged.sum))) \(time)\n"
        }
        return merged.minimum < 0
    }

    /// - Parameter isSummary: whether the quantiles of one time belong together; else each is a series of its own.
    private func percentiles(_ name: String, _ series: ExportedHistory, isSummary: Bool) throws {
        let beginnings = HistogramPoint.quantiles.map {
            OpenMetricsSample.name(name, series.labels + [Label("window", "1m"), Label("quantile", "\($0)")])
        }
        var texts = Array(repeating: "", count: isSummary ? 1 : beginnings.count)
        try forEachMinute(series) { _, time, value in
            guard let value else { return }
            let merged = MergedMinutes()
            merged.add(value)
            let point = merged.histogram(quantiles: HistogramPoint.quantiles)
            for (place, value) in point.values.enumerated() {
                texts[isSummary ? 0 : place] += "\(beginnings[place]) \(OpenMetricsSample.number(value)) \(time)\n"
            }
        }
        for text in texts { try write(Array(text.utf8)) }
    }

    /// Calls `body` for the beginning, with nil, and then for each minute from the series' first to its last; idle ones have nil.
    /// The text is handed over before there is much of it.
    private func forEachMinute(
        _ series: ExportedHistory, _ body: (inout String, _ time: Int64, MinuteValue?) -> Void
    ) throws {
        var text = ""
        var next: Int64?
        var failure: (any Error)?
        func add(_ time: Int64, _ value: MinuteValue?) {
            body(&text, time, value)
            guard text.utf8.count > Self.textBytes else { return }
            do { try write(Array(text.utf8)) } catch { failure = error }
            text = ""
        }
        try reader.forEachMinute(of: series.ids, in: minutes) { minute, value in
            if next == nil { add(minute * 60, nil) }
            var idle = next ?? minute
            while failure == nil, idle < minute {
                add((idle + 1) * 60, nil)
                idle += 1
            }
            guard failure == nil else { return }
            add((minute + 1) * 60, value)
            next = minute + 1
        }
        if let failure { throw failure }
        try write(Array(text.utf8))
    }

    private static let textBytes = 256 << 10
}

/// The text of names, labels and numbers.
enum OpenMetricsSample {
    static func name(_ name: String, _ labels: [Label]) -> String {
        guard !labels.isEmpty else { return name }
        return name + "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    static func escaped(_ text: String) -> String {
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

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }
}

extension MergedMinutes {
    /// Where there are values below zero, the edges from zero on: of others the history does not know how many values lie on them.
    fileprivate func classicBuckets(unit: MetricUnit) -> [ClassicBucket] {
        guard minimum < 0 else { return ClassicBucket.buckets(of: sketch.octaves(), unit: unit) }
        var buckets = [ClassicBucket(upperBound: 0, cumulativeCount: sketch.countSurely(atOrBelow: 0))]
        guard maximum > 0, maximum.isFinite else { return buckets }
        for exponent in max(-1074, exponents.lowerBound)...max(-1074, min(1023, exponents.upperBound)) {
            let edge = Double(sign: .plus, exponent: exponent, significand: 1)
            buckets.append(ClassicBucket(upperBound: edge, cumulativeCount: sketch.countSurely(atOrBelow: edge)))
        }
        return buckets
    }

    /// Of the octaves of the values above zero.
    private var exponents: ClosedRange<Int> {
        let positive = sketch.snapshot().positive
        guard let first = positive.first, let last = positive.last else { return 0...0 }
        func exponent(_ bucket: SketchSnapshot.Bucket) -> Int {
            (Int(bucket.index) + BucketIndexer.bucketsPerOctave - 1) >> BucketIndexer.scale
        }
        return exponent(first)...exponent(last)
    }
}
