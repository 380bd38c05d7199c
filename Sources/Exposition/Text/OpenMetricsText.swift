internal import JSON
import Series

/// OpenMetrics 1.0, as text: Prometheus' own text with units, creation times and exemplars.
/// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md)
package enum OpenMetricsText {
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    static let draftContentType = "application/openmetrics-text; version=0.0.1; charset=utf-8"

    /// Writes all families, and the end mark. Pure.
    package static func render(_ families: Families) -> [UInt8] {
        var parts = RenderedParts.none
        return render(families, reusing: &parts)
    }

    /// Writes all families, and copies the bytes of histograms that have not changed since earlier pages.
    package static func render(_ families: Families, reusing parts: inout RenderedParts) -> [UInt8] {
        let offset = families.clockOffsetNanoseconds
        parts.begin(RenderedParts.Setting(clockOffsetNanoseconds: offset))
        defer { parts.end() }
        var writer = TextWriter(expectedBytes: families.expectedTextBytes)
        var names = OpenMetricsNames(families.all)
        for family in families.all {
            writer.append(family, as: names.form(of: family), offset: offset, &parts)
        }
        writer.append(literal: "# EOF\n")
        return writer.finish()
    }
}

extension TextWriter {
    fileprivate mutating func append(
        _ family: MetricFamily, as form: OpenMetricsNames.Form, offset: Int64, _ parts: inout RenderedParts
    ) {
        appendMetadata("# TYPE ", form.name)
        append(form.type)
        append(UInt8(ascii: "\n"))
        if family.hasUnitSuffix(in: form.name) {
            appendMetadata("# UNIT ", form.name)
            append(family.unit.rawValue)
            append(UInt8(ascii: "\n"))
        }
        if !family.help.isEmpty {
            appendMetadata("# HELP ", form.name)
            append(escaped: family.help, quotes: true)
            append(UInt8(ascii: "\n"))
        }
        for series in family.series { append(series, of: form, offset: offset, &parts) }
    }

    private mutating func appendMetadata(_ beginning: StaticString, _ name: String) {
        append(literal: beginning)
        append(name)
        append(UInt8(ascii: " "))
    }

    private mutating func append(
        _ series: ExportedSeries, of form: OpenMetricsNames.Form, offset: Int64, _ parts: inout RenderedParts
    ) {
        let labels = series.labelSet
        switch series.value {
        case .number(let number):
            appendSample(form.name, form.isCounter ? "_total" : "", labels, number)
            if form.isCounter { appendCreated(series, of: form.name) }
        case .histogram(let histogram):
            append(histogram, series, of: form.name, &parts) {
                $0.append(histogram, of: form.name, labels, offset: offset)
                $0.appendCreated(series, of: form.name)
            }
        case .quantiles(let quantiles, let total):
            append(quantiles, of: form.name, labels)
            if let total {
                appendSample(form.name, "_sum", labels, .real(total.sum))
                appendSample(form.name, "_count", labels, .unsigned(total.count))
            }
            appendCreated(series, of: form.name)
        }
    }

    private mutating func append(
        _ histogram: HistogramSnapshot, of name: String, _ labels: ExportedLabels, offset: Int64
    ) {
        let beginning = sampleBeginning(name, "_bucket", labels, "le")
        var exemplars = histogram.exemplars[...]
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            append(beginning)
            append(lastEdge: bucket.upperBound)
            append(decimal: bucket.cumulativeCount)
            if let exemplar = exemplars.first, exemplar.value <= bucket.upperBound {
                append(exemplar, offset: offset)
                exemplars.removeFirst()
            }
            append(UInt8(ascii: "\n"))
        }
        append(beginning)
        append(literal: "+Inf\"} ")
        append(decimal: histogram.total.count)
        if let exemplar = exemplars.first { append(exemplar, offset: offset) }
        append(UInt8(ascii: "\n"))
        // With negative values a sum is no counter any more, and a histogram without a sum must not have a count
        // either.
        guard !histogram.sketch.hasNegative else { return }
        appendSample(name, "_sum", labels, .real(histogram.total.sum))
        appendSample(name, "_count", labels, .unsigned(histogram.total.count))
    }

    private mutating func append(_ exemplar: ExemplarSnapshot, offset: Int64) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(96)
        bytes.append(literal: " # {trace_id=\"")
        bytes.append(exemplar.traceID)
        bytes.append(literal: "\"} ")
        if exemplar.value.isFinite {
            bytes.append(finite: exemplar.value)
        } else {
            bytes.append(exemplar.value.nonFiniteText)
        }
        bytes.append(UInt8(ascii: " "))
        bytes.append(timestamp: offset &+ exemplar.timeNanoseconds)
        append(bytes)
    }

    /// Writes the time since which the totals count, if it is known.
    private mutating func appendCreated(_ series: ExportedSeries, of name: String) {
        guard let created = series.createdUnixSeconds, created > 0, created < 9e9 else { return }
        appendSample(name, "_created", series.labelSet)
        append(timestamp: Int64(created * 1e9))
        append(UInt8(ascii: "\n"))
    }

    private mutating func append(timestamp unixNanoseconds: Int64) {
        let milliseconds = UInt64(max(unixNanoseconds, 0) / 1_000_000)
        append(decimal: milliseconds / 1000)
        append(UInt8(ascii: "."))
        let (tenths, rest) = (milliseconds % 1000).quotientAndRemainder(dividingBy: 100)
        append(UInt8(ascii: "0") + UInt8(tenths))
        append(UInt8(ascii: "0") + UInt8(rest / 10))
        append(UInt8(ascii: "0") + UInt8(rest % 10))
    }
}
