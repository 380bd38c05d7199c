import Series

/// OpenMetrics 1.0, as text: units, times of creation and exemplars beside what Prometheus' own text has.
/// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md)
package enum OpenMetricsText {
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    static let draftContentType = "application/openmetrics-text; version=0.0.1; charset=utf-8"

    /// All families, and the mark that nothing is missing. Pure; no state is kept between two calls.
    package static func render(_ families: Families) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(families.expectedTextBytes)
        var names = OpenMetricsNames(families.all)
        for family in families.all {
            bytes.append(family, as: names.form(of: family), offset: families.clockOffsetNanoseconds)
        }
        bytes.append("# EOF\n")
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ family: MetricFamily, as form: OpenMetricsNames.Form, offset: Int64) {
        appendMetadata("TYPE", form.name)
        append(form.type)
        append("\n")
        if family.hasUnitSuffix(in: form.name) {
            appendMetadata("UNIT", form.name)
            append(family.unit.rawValue)
            append("\n")
        }
        if !family.help.isEmpty {
            appendMetadata("HELP", form.name)
            append(escaped: family.help, quotes: true)
            append("\n")
        }
        for series in family.series { append(series, of: form, offset: offset) }
    }

    private mutating func appendMetadata(_ word: String, _ name: String) {
        append("# ")
        append(word)
        append(" ")
        append(name)
        append(" ")
    }

    private mutating func append(_ series: ExportedSeries, of form: OpenMetricsNames.Form, offset: Int64) {
        let labels = [UInt8](labels: series.labels)
        switch series.value {
        case .number(let number):
            appendSample(form.name, form.isCounter ? "_total" : "", labels, number)
            if form.isCounter { appendCreated(series, of: form.name, labels) }
        case .histogram(let histogram):
            append(histogram, of: form.name, labels, offset: offset)
            appendCreated(series, of: form.name, labels)
        case .quantiles(let quantiles, let total):
            append(quantiles, total: total, of: form.name, labels)
            appendCreated(series, of: form.name, labels)
        }
    }

    private mutating func append(_ histogram: HistogramSnapshot, of name: String, _ labels: [UInt8], offset: Int64) {
        let beginning = sampleBeginning(name, "_bucket", labels, "le")
        var exemplars = histogram.exemplars[...]
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            append(contentsOf: beginning)
            append(edge: bucket.upperBound)
            append("\"} ")
            append(decimal: bucket.cumulativeCount)
            if let exemplar = exemplars.first, exemplar.value <= bucket.upperBound {
                append(exemplar, offset: offset)
                exemplars.removeFirst()
            }
            append("\n")
        }
        append(contentsOf: beginning)
        append("+Inf\"} ")
        append(decimal: histogram.total.count)
        if let exemplar = exemplars.first { append(exemplar, offset: offset) }
        append("\n")
        // With negative values a sum is no counter any more, and without it there is no count either.
        guard histogram.sketch.negative.isEmpty else { return }
        appendSample(name, "_sum", labels, .real(histogram.total.sum))
        appendSample(name, "_count", labels, .unsigned(histogram.total.count))
    }

    private mutating func append(_ exemplar: ExemplarSnapshot, offset: Int64) {
        append(" # {trace_id=\"")
        append(hexadecimal: exemplar.traceID)
        append("\"} ")
        append(finite: exemplar.value)
        append(" ")
        append(timestamp: offset &+ exemplar.timeNanoseconds)
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
            append("\n")
        }
        guard let total else { return }
        appendSample(name, "_sum", labels, .real(total.sum))
        appendSample(name, "_count", labels, .unsigned(total.count))
    }

    /// Since when the totals count; nothing where that is not known.
    private mutating func appendCreated(_ series: ExportedSeries, of name: String, _ labels: [UInt8]) {
        guard let created = series.createdUnixSeconds, created > 0, created < 9e9 else { return }
        appendSample(name, "_created", labels)
        append(timestamp: Int64(created * 1e9))
        append("\n")
    }
}
