package import Series
import Sketch

/// Prometheus' exposition in protobuf: `io.prometheus.client.MetricFamily`, one delimited message after the other.
/// (https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto)
///
/// It is the only format with native histograms. The classic buckets and the exemplars are beside them.
package enum PrometheusProtobuf {
    package static let contentType =
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"

    /// Writes all families. Pure.
    package static func render(_ families: Families, histograms: NativeHistogramOptions) -> [UInt8] {
        var parts = RenderedParts.none
        return render(families, histograms: histograms, reusing: &parts)
    }

    /// Writes all families, and copies the bytes of histograms that have not changed since earlier pages.
    package static func render(
        _ families: Families, histograms: NativeHistogramOptions, reusing parts: inout RenderedParts
    ) -> [UInt8] {
        parts.begin(
            RenderedParts.Setting(
                clockOffsetNanoseconds: families.clockOffsetNanoseconds, histograms: histograms))
        defer { parts.end() }
        var writer = ProtobufWriter(capacity: 64 * 1024)
        let moment = Moment(clockOffsetNanoseconds: families.clockOffsetNanoseconds, histograms: histograms)
        var page: [UInt8] = []
        page.reserveCapacity(families.expectedProtobufBytes)
        for family in families.all {
            writer.delimited { $0.write(family, moment, &parts) }
            writer.move(to: &page)
        }
        return page
    }

    /// Values shared by all series of a page.
    fileprivate struct Moment {
        let clockOffsetNanoseconds: Int64
        let histograms: NativeHistogramOptions
    }

    /// The numbers of `MetricType`.
    fileprivate enum MetricType: UInt64 {
        case counter = 0
        case gauge = 1
        case summary = 2
        case untyped = 3
        case histogram = 4
    }
}

extension ProtobufWriter {
    fileprivate mutating func write(
        _ family: MetricFamily, _ moment: PrometheusProtobuf.Moment, _ parts: inout RenderedParts
    ) {
        string(1, family.name)
        if !family.help.isEmpty { string(2, family.help) }
        varint(3, family.protobufType.rawValue)
        for series in family.series {
            guard case .histogram(let histogram) = series.value else {
                write(series, family.kind, moment)
                continue
            }
            switch parts.find(histogram, series, of: family.name) {
            case .written(let bytes): append(encoded: bytes)
            case .isNew: write(series, family.kind, moment)
            case .isKnown:
                let start = count
                write(series, family.kind, moment)
                withBytes(from: start) { parts.keep($0) }
            }
        }
        if family.hasUnitSuffix(in: family.name) { string(5, family.unit.rawValue) }
    }

    private mutating func write(
        _ series: ExportedSeries, _ kind: MetricFamily.Kind, _ moment: PrometheusProtobuf.Moment
    ) {
        switch series.value {
        case .number(let number):
            message(4) {
                $0.write(series.labels)
                $0.message(kind == .counter ? 3 : 2) {
                    $0.double(1, number.double)
                    if kind == .counter { $0.write(created: series, 3) }
                }
            }
        case .quantiles(let quantiles, nil): writeWindow(quantiles, series.labels)
        case .quantiles(let quantiles, let total?):
            message(4) {
                $0.write(series.labels)
                $0.message(4) { $0.write(quantiles, total, series) }
            }
        case .histogram(let histogram):
            message(4) {
                $0.write(series.labels)
                $0.message(7) { $0.write(histogram, series, moment) }
            }
        }
    }

    /// Writes the quantiles of a sliding window as untyped samples with the labels of a summary's samples. A Prometheus
    /// summary has a count and a sum, and a reader takes them for zeros if they are left out.
    private mutating func writeWindow(_ quantiles: [QuantileValue], _ labels: [Label]) {
        for quantile in quantiles {
            message(4) {
                $0.write(labels)
                $0.write(Label("quantile", quantile.quantile.description))
                $0.message(5) { $0.double(1, quantile.value) }
            }
        }
    }

    private mutating func write(_ quantiles: [QuantileValue], _ total: HistogramSummary, _ series: ExportedSeries) {
        varint(1, total.count)
        double(2, total.sum)
        for quantile in quantiles {
            message(3) {
                $0.double(1, quantile.quantile)
                $0.double(2, quantile.value)
            }
        }
        write(created: series, 4)
    }

    private mutating func write(_ labels: [Label]) {
        for label in labels { write(label) }
    }

    private mutating func write(_ label: Label) {
        message(1) {
            $0.string(1, label.name)
            $0.string(2, label.value)
        }
    }

    /// Writes the time since which the totals count, if it is known.
    private mutating func write(created series: ExportedSeries, _ field: Int) {
        guard let created = series.createdUnixSeconds, created > 0, created < 9e9 else { return }
        write(timestamp: Int64(created * 1e9), field)
    }

    /// Writes a `google.protobuf.Timestamp`.
    private mutating func write(timestamp unixNanoseconds: Int64, _ field: Int) {
        let (seconds, nanoseconds) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        message(field) {
            $0.int64(1, seconds)
            $0.int64(2, nanoseconds)
        }
    }
}

/// `Histogram`
extension ProtobufWriter {
    fileprivate mutating func write(
        _ histogram: HistogramSnapshot, _ series: ExportedSeries, _ moment: PrometheusProtobuf.Moment
    ) {
        varint(1, histogram.total.count)
        double(2, histogram.total.sum)
        writeClassic(histogram, moment)
        write(created: series, 15)
        let limit = moment.histograms.bucketLimit.map { NativeBuckets.Limit.occupied($0) } ?? .none
        let native = NativeBuckets(histogram.sketch, schema: moment.histograms.schema, limit: limit)
        write(native.withZeroBucket(upToPower: Self.zeroBucketExponent))
    }

    private mutating func writeClassic(_ histogram: HistogramSnapshot, _ moment: PrometheusProtobuf.Moment) {
        var exemplars = histogram.exemplars[...]
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            let exemplar = exemplars.first.flatMap { $0.value <= bucket.upperBound ? $0 : nil }
            if exemplar != nil { exemplars.removeFirst() }
            writeBucket(bucket.cumulativeCount, bucket.upperBound, exemplar, moment)
        }
        // A reader adds the last bucket by itself, so it is written only if it has an exemplar.
        if let exemplar = exemplars.first { writeBucket(histogram.total.count, .infinity, exemplar, moment) }
    }

    private mutating func writeBucket(
        _ count: UInt64, _ bound: Double, _ exemplar: ExemplarSnapshot?, _ moment: PrometheusProtobuf.Moment
    ) {
        message(3) {
            $0.varint(1, count)
            $0.double(2, bound)
            guard let exemplar else { return }
            $0.message(3) {
                $0.message(1) {
                    $0.string(1, "trace_id")
                    $0.string(2, exemplar.traceText)
                }
                $0.double(2, exemplar.value)
                $0.write(timestamp: moment.clockOffsetNanoseconds &+ exemplar.timeNanoseconds, 3)
            }
        }
    }

    /// The zero bucket includes magnitudes up to 2^-128, as in Prometheus' own client libraries. Its width must not be
    /// 0: Prometheus up to 2.42 takes a whole family for a classic one if its first histogram is empty and has no zero
    /// bucket.
    private static var zeroBucketExponent: Int { -128 }

    private mutating func write(_ native: NativeBuckets) {
        zigzag(5, Int64(native.schema))
        double(6, Double(sign: .plus, exponent: Self.zeroBucketExponent, significand: 1))
        varint(7, native.zeroCount)
        write(NativeSpans(native.negative), spans: 9, deltas: 10)
        write(NativeSpans(native.positive), spans: 12, deltas: 13)
        guard native.positive.isEmpty, native.negative.isEmpty, native.zeroCount == 0 else { return }
        // Only an empty span marks this histogram as a native one.
        message(12) { _ in }
    }

    private mutating func write(_ spans: NativeSpans, spans spanField: Int, deltas deltaField: Int) {
        guard !spans.deltas.isEmpty else { return }
        for span in spans.spans {
            message(spanField) {
                $0.zigzag(1, Int64(span.offset))
                $0.varint(2, UInt64(span.length))
            }
        }
        packed(deltaField) { for delta in spans.deltas { $0.element(zigzag: delta) } }
    }
}

extension Families {
    /// An estimate of the encoded size, so that the bytes of a large page are not moved as it grows.
    fileprivate var expectedProtobufBytes: Int {
        all.reduce(4096) { sum, family in
            let histograms = family.kind == .histogram ? 1024 : 64
            return sum + family.name.utf8.count + family.help.utf8.count + histograms * family.series.count
        }
    }
}

extension MetricFamily {
    fileprivate var protobufType: PrometheusProtobuf.MetricType {
        switch kind {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram: .histogram
        case .summary: series.contains { $0.isWindow } ? .untyped : .summary
        }
    }
}

extension ExportedSeries {
    fileprivate var isWindow: Bool { if case .quantiles(_, nil) = value { true } else { false } }
}
