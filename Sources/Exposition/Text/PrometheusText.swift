internal import JSON
import Series
import Sketch

/// Prometheus' text format 0.0.4.
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format)
package enum PrometheusText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Writes all families, each with HELP and TYPE once and its series together. Pure.
    package static func render(_ families: Families) -> [UInt8] {
        var parts = RenderedParts.none
        return render(families, reusing: &parts)
    }

    /// Writes all families, and copies the bytes of histograms that have not changed since earlier pages.
    package static func render(_ families: Families, reusing parts: inout RenderedParts) -> [UInt8] {
        var writer = TextWriter(expectedBytes: families.expectedTextBytes)
        parts.begin(RenderedParts.Setting(clockOffsetNanoseconds: families.clockOffsetNanoseconds))
        for family in families.all { writer.append(family, &parts) }
        parts.end()
        return writer.finish()
    }
}

extension TextWriter {
    fileprivate mutating func append(_ family: MetricFamily, _ parts: inout RenderedParts) {
        if !family.help.isEmpty {
            append(literal: "# HELP ")
            append(family.name)
            append(UInt8(ascii: " "))
            append(escaped: family.help, quotes: false)
            append(UInt8(ascii: "\n"))
        }
        append(literal: "# TYPE ")
        append(family.name)
        append(UInt8(ascii: " "))
        append(family.kind.rawValue)
        append(UInt8(ascii: "\n"))
        for series in family.series {
            switch series.value {
            case .number(let number): appendSample(family.name, "", series.labelSet, number)
            case .histogram(let histogram):
                append(histogram, series, of: family.name, &parts) {
                    $0.append(histogram, of: family.name, series.labelSet)
                }
            case .quantiles(let quantiles, let total):
                append(quantiles, of: family.name, series.labelSet)
                guard let total else { continue }
                appendSample(family.name, "_sum", series.labelSet, .real(total.sum))
                appendSample(family.name, "_count", series.labelSet, .unsigned(total.count))
            }
        }
    }

    private mutating func append(_ histogram: HistogramSnapshot, of name: String, _ labels: ExportedLabels) {
        let beginning = sampleBeginning(name, "_bucket", labels, "le")
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            append(beginning)
            append(lastEdge: bucket.upperBound)
            append(decimal: bucket.cumulativeCount)
            append(UInt8(ascii: "\n"))
        }
        append(beginning)
        append(literal: "+Inf\"} ")
        append(decimal: histogram.total.count)
        append(UInt8(ascii: "\n"))
        // With negative values a sum is no counter any more (OpenMetrics 1.0, Histogram).
        if !histogram.sketch.hasNegative { appendSample(name, "_sum", labels, .real(histogram.total.sum)) }
        appendSample(name, "_count", labels, .unsigned(histogram.total.count))
    }
}
