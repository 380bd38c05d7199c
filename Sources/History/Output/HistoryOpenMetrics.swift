internal import Exposition
internal import Series
internal import Sketch

/// A history as OpenMetrics 1.0 with a timestamp on each sample, as `promtool tsdb create-blocks-from openmetrics` and
/// the strict parser of prometheus_client read it.
///
/// Counters and histograms start from zero at the range's beginning; a sample has the time of its minute's end. A
/// histogram has classic buckets by powers of two, and the exact percentiles of each minute with `window="1m"`.
///
/// Within a family, all times of one series come before the next series. For a histogram OpenMetrics requires all
/// samples of one time together, but the parser of prometheus_client then reads only the first time. So its buckets,
/// count, sum and percentiles are separate families of unknown type. Names and values equal those of /metrics, and a
/// block stores no types.
package struct HistoryOpenMetrics {
    private let reader: HistoryReader
    private let minutes: Range<Int64>
    private let write: ([UInt8]) throws -> Void
    /// Series that were left out because their name is invalid or belongs to another family.
    private(set) package var leftOut = 0

    /// - Parameter write: receives the text piece by piece.
    package init(_ reader: HistoryReader, minutes: Range<Int64>, write: @escaping ([UInt8]) throws -> Void) {
        self.reader = reader
        self.minutes = minutes
        self.write = write
    }

    /// Writes the whole text.
    ///
    /// - Parameter progress: Receives after each metric how many are written and how many there are.
    package mutating func run(progress: (Int, Int) -> Void = { _, _ in }) throws {
        reader.forgetWhatWasRead()
        let naming = OpenMetricsNaming(try reader.series())
        leftOut = naming.leftOut
        for (index, family) in naming.families.enumerated() {
            try write(family)
            progress(index + 1, naming.families.count)
        }
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
        let name = family.name
        try head("\(name)_bucket", "unknown", family)
        for one in family.series { try buckets("\(name)_bucket", one, family.unit) }
        try head("\(name)_count", "unknown", family)
        for one in family.series {
            try total(OpenMetricsSample.name("\(name)_count", one.labels), one) { Double($0.sketch.wrappingCount) }
        }
        try head("\(name)_sum", "unknown", family)
        // With negative values a sum may fall, so it is no counter.
        for one in family.series where try !hasNegative(one) {
            try total(OpenMetricsSample.name("\(name)_sum", one.labels), one) { max(0, $0.sum) }
        }
        let window = ExportedFamily.windowName(name, family.unit)
        try head(window, "unknown", family)
        for one in family.series { try percentiles(window, one) }
    }

    private func hasNegative(_ series: ExportedHistory) throws -> Bool {
        var has = false
        try reader.forEachPart(of: series.ids, in: minutes) { _, value in
            if case .histogram(let part) = value, part.minimum < 0 { has = true }
        }
        return has
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
            // A total only grows, even if a damaged ring says otherwise.
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

    /// Writes the buckets. Makes one pass over the minutes for as many edges as fit into ``columnBytes``.
    private func buckets(_ name: String, _ series: ExportedHistory, _ unit: MetricUnit) throws {
        let all = MergedMinutes()
        var minuteCount = 0
        try reader.forEachMinute(of: series.ids, in: minutes) { _, value in
            all.add(value)
            minuteCount += 1
        }
        let edges = all.exportedEdges(unit: unit)
        let atOnce = max(1, Self.columnBytes / (8 * max(1, minuteCount)))
        for start in stride(from: 0, to: edges.count, by: atOnce) {
            let part = Array(edges[start..<min(edges.count, start + atOnce)])
            let columns = try EdgeColumns(reader, series.ids, minutes, edges: part)
            for (place, edge) in part.enumerated() {
                let beginning = OpenMetricsSample.name(
                    name, series.labels + [Label("le", OpenMetricsSample.number(edge.upperBound))])
                try columns.forEach(place) { try write($0, beginning) }
            }
        }
    }

    private func write(_ samples: [(time: Int64, count: UInt64)], _ beginning: String) throws {
        var text = ""
        for (time, count) in samples { text += "\(beginning) \(count) \(time)\n" }
        try write(Array(text.utf8))
    }

    private func total(
        _ beginning: String, _ series: ExportedHistory, _ amount: (HistogramMinute) -> Double
    ) throws {
        var total = 0.0
        try forEachMinute(series) { text, time, value in
            if case .histogram(let minute)? = value { total += amount(minute) }
            text += "\(beginning) \(OpenMetricsSample.number(total)) \(time)\n"
        }
    }

    private func percentiles(_ name: String, _ series: ExportedHistory) throws {
        let quantiles = HistogramPoint.quantiles
        for (place, quantile) in quantiles.enumerated() {
            let beginning = OpenMetricsSample.name(
                name, series.labels + [Label("window", "1m"), Label("quantile", "\(quantile)")])
            try forEachMinute(series) { text, time, value in
                guard let value else { return }
                let merged = MergedMinutes()
                merged.add(value)
                let values = merged.histogram(quantiles: quantiles).values
                if place < values.count { text += "\(beginning) \(OpenMetricsSample.number(values[place])) \(time)\n" }
            }
        }
    }

    /// The memory for the counts of one pass.
    private static let columnBytes = 32 << 20

    /// Calls `body` for the beginning, with nil, and then for each minute from the series' first to its last, with nil
    /// for idle ones. Writes the text in pieces of ``textBytes``.
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
        // Works on bytes: a quote and a following combining mark are one character.
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
