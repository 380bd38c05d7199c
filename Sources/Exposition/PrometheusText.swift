import Series
import Sketch

/// Prometheus' text format 0.0.4.
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
package enum PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All families, each with HELP and TYPE once and its series together. Pure; no state is kept between two calls.
    package static func render(_ families: Families) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 * 1024)
        for family in families.all { bytes.append(family) }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ family: MetricFamily) {
        if !family.help.isEmpty {
            append("# HELP \(family.name) ")
            append(escaped: family.help, quotes: false)
            append("\n")
        }
        append("# TYPE \(family.name) \(family.kind.rawValue)\n")
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
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            append(name)
            append("_bucket{")
            append(contentsOf: labels)
            append(labels.isEmpty ? "le=\"" : ",le=\"")
            append(finite: bucket.upperBound)
            append("\"} ")
            append(decimal: bucket.cumulativeCount)
            append(UInt8(ascii: "\n"))
        }
        let last = labels + (labels.isEmpty ? "" : ",").utf8 + "le=\"+Inf\"".utf8
        appendSample(name, "_bucket", last, .unsigned(histogram.total.count))
        // With negative values a sum is no counter any more (OpenMetrics 1.0, Histogram).
        if histogram.sketch.negative.isEmpty { appendSample(name, "_sum", labels, .real(histogram.total.sum)) }
        appendSample(name, "_count", labels, .unsigned(histogram.total.count))
    }

    private mutating func append(
        _ quantiles: [QuantileValue], total: HistogramSummary?, of name: String, _ labels: [UInt8]
    ) {
        for quantile in quantiles {
            var all = labels + (labels.isEmpty ? "" : ",").utf8 + "quantile=\"".utf8
            all.append(quantile.quantile.description)
            all.append(UInt8(ascii: "\""))
            appendSample(name, "", all, .real(quantile.value))
        }
        guard let total else { return }
        appendSample(name, "_sum", labels, .real(total.sum))
        appendSample(name, "_count", labels, .unsigned(total.count))
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
    for label in labels {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(label.name)
        bytes.append("=\"")
        bytes.append(escaped: label.value, quotes: true)
        bytes.append(UInt8(ascii: "\""))
    }
    return bytes
}
