import Series
import Sketch

/// Prometheus' text format 0.0.4.
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
package enum PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All families, each with HELP and TYPE once and its series together. Pure; no state is kept between two calls.
    package static func render(_ families: Families) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(families.expectedTextBytes)
        for family in families.all { bytes.append(family) }
        return bytes
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
            case .number(let number): appendSample(family.name, "", [UInt8](labels: series.labels), number)
            case .histogram(let histogram): append(histogram, of: family.name, [UInt8](labels: series.labels))
            case .quantiles(let quantiles, let total):
                append(quantiles, total: total, of: family.name, [UInt8](labels: series.labels))
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
}
