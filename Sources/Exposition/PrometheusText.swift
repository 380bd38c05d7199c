import Series
import Sketch

/// Prometheus' text format 0.0.4.
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
package enum PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All families, each with HELP and TYPE once and its series together. Pure; no state is kept between two calls.
    package static func render(_ families: Families) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(families.all.reduce(4096) { $0 + $1.expectedTextBytes })
        for family in families.all { bytes.append(family) }
        return bytes
    }
}

extension MetricFamily {
    /// Somewhat more than its text takes, so that the bytes of a large one are not moved as they grow.
    fileprivate var expectedTextBytes: Int {
        series.reduce(help.utf8.count + 2 * name.utf8.count + 64) { sum, series in
            let labels = series.labels.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            return sum + series.value.textLines * (name.utf8.count + labels + 48)
        }
    }
}

extension ExportedSeries.Value {
    fileprivate var textLines: Int {
        switch self {
        case .number: 1
        case .histogram(let histogram): histogram.classicBuckets.count + 3
        case .quantiles(let quantiles, let total): quantiles.count + (total == nil ? 0 : 2)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ family: MetricFamily) {
        if !family.help.isEmpty {
            append("# HELP ")
            append(family.name)
            append(" ")
            append(escaped: family.help, quotes: false)
            append("\n")
        }
        append("# TYPE ")
        append(family.name)
        append(" ")
        append(family.kind.rawValue)
        append("\n")
        for series in family.series {
            switch series.value {
            case .number(let number): appendSample(family.name, "", labelText(series.labels), number)
            case .histogram(let histogram): append(histogram, of: family.name, labelText(series.labels))
            case .quantiles(let quantiles, let total):
                append(quantiles, total: total, of: family.name, labelText(series.labels))
            }
        }
    }

    private mutating func append(_ histogram: HistogramSnapshot, of name: String, _ labels: [UInt8]) {
        // What all buckets of a series begin with is put together once, and copied.
        let beginning = sampleBeginning(name, "_bucket", labels, "le")
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            append(contentsOf: beginning)
            append(edge: bucket.upperBound)
            append("\"} ")
            append(decimal: bucket.cumulativeCount)
            append(UInt8(ascii: "\n"))
        }
        append(contentsOf: beginning)
        append("+Inf\"} ")
        append(decimal: histogram.total.count)
        append(UInt8(ascii: "\n"))
        // With negative values a sum is no counter any more (OpenMetrics 1.0, Histogram).
        if histogram.sketch.negative.isEmpty { appendSample(name, "_sum", labels, .real(histogram.total.sum)) }
        appendSample(name, "_count", labels, .unsigned(histogram.total.count))
    }

    private mutating func append(
        _ quantiles: [QuantileValue], total: HistogramSummary?, of name: String, _ labels: [UInt8]
    ) {
        let beginning = sampleBeginning(name, "", labels, "quantile")
        for quantile in quantiles {
            append(contentsOf: beginning)
            append(quantile.quantile.description)
            append("\"} ")
            append(.real(quantile.value))
            append(UInt8(ascii: "\n"))
        }
        guard let total else { return }
        appendSample(name, "_sum", labels, .real(total.sum))
        appendSample(name, "_count", labels, .unsigned(total.count))
    }

    /// A sample up to the value of its last label, which is still to come: `name_bucket{a="1",le="`.
    private func sampleBeginning(_ name: String, _ suffix: String, _ labels: [UInt8], _ lastLabel: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count + labels.count + 24)
        bytes.append(name)
        bytes.append(suffix)
        bytes.append(UInt8(ascii: "{"))
        bytes.append(contentsOf: labels)
        if !labels.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(lastLabel)
        bytes.append("=\"")
        return bytes
    }

    private mutating func appendSample(_ name: String, _ suffix: String, _ labels: [UInt8], _ value: Number) {
        append(name)
        append(suffix)
        if !labels.isEmpty {
            append(UInt8(ascii: "{"))
            append(contentsOf: labels)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: " "))
        append(value)
        append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ number: Number) {
        switch number {
        case .unsigned(let value): append(decimal: value)
        case .signed(let value): append(decimal: value)
        case .real(let value) where value.isFinite: append(finite: value)
        case .real(let value): append(value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf")
        }
    }

    /// Backslash and line feed are escaped everywhere, quotes within label values alone.
    fileprivate mutating func append(escaped text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\"") where quotes: append("\\\"")
            default: append(byte)
            }
        }
    }
}

/// `a="1",b="2"`, without braces.
private func labelText(_ labels: [Label]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    for label in labels {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(label.name)
        bytes.append("=\"")
        bytes.append(escaped: label.value, quotes: true)
        bytes.append(UInt8(ascii: "\""))
    }
    return bytes
}
