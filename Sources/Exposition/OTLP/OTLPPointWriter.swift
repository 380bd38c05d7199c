import Series
import Sketch

/// The values that all data points of one request share.
struct OTLPPointWriter {
    /// The flag of a data point without a value: its series has ended.
    static let noRecordedValue: UInt64 = 1
    /// Whether the series that are being written have ended.
    var isEnded = false
    let timeUnixNanoseconds: UInt64
    /// The difference from the series' clock, which dates exemplars, to Unix time.
    let clockOffsetNanoseconds: Int64
    let options: OTLPOptions

    fileprivate func buckets(of sketch: SketchSnapshot) -> NativeBuckets {
        NativeBuckets(sketch, schema: options.scale, limit: options.bucketLimit.map { .spanned($0) } ?? .none)
    }
}

/// `opentelemetry/proto/metrics/v1/metrics.proto`
extension ProtobufWriter {
    /// Writes a Metric.
    mutating func metric(_ metric: OTLPMetric, _ resource: OTLPResource, _ points: OTLPPointWriter) {
        var points = points
        points.isEnded = metric.isEnded
        message(2) {
            $0.string(1, metric.family.name)
            $0.string(2, metric.family.help)
            $0.string(3, metric.family.unit.otlpName)
            $0.data(metric, resource, points)
        }
    }

    private mutating func data(_ metric: OTLPMetric, _ resource: OTLPResource, _ points: OTLPPointWriter) {
        let cumulative: UInt64 = 2
        switch metric.form {
        case .gauge: message(5) { for series in metric.series { $0.gaugePoints(series, resource, points) } }
        case .sum(let isMonotonic):
            message(7) {
                for series in metric.series { $0.gaugePoints(series, resource, points) }
                $0.varint(2, cumulative)
                $0.bool(3, isMonotonic)
            }
        case .exponentialHistogram:
            message(10) {
                for series in metric.series {
                    guard case .histogram(let histogram) = series.value else { continue }
                    $0.histogramPoint(histogram, series, resource, points)
                }
                $0.varint(2, cumulative)
            }
        case .summary: message(11) { for series in metric.series { $0.summaryPoint(series, resource, points) } }
        }
    }

    /// Writes NumberDataPoints: one for a number, or one for each quantile of a window.
    private mutating func gaugePoints(
        _ series: ExportedSeries, _ resource: OTLPResource, _ points: OTLPPointWriter
    ) {
        switch series.value {
        case .number(let number): numberPoint(number, series, [], resource, points)
        case .quantiles(let quantiles, _):
            for quantile in quantiles {
                let label = Label("quantile", quantile.quantile.description)
                numberPoint(.real(quantile.value), series, [label], resource, points)
            }
        case .histogram: break
        }
    }

    private mutating func numberPoint(
        _ number: Number, _ series: ExportedSeries, _ more: [Label], _ resource: OTLPResource,
        _ points: OTLPPointWriter
    ) {
        message(1) {
            $0.times(series, points)
            switch number {
            case _ where points.isEnded: $0.varint(8, OTLPPointWriter.noRecordedValue)
            case .unsigned(let value) where value <= UInt64(Int64.max): $0.fixed64(6, value)
            case .signed(let value): $0.fixed64(6, UInt64(bitPattern: value))
            default: $0.double(4, number.double)
            }
            $0.attributes(7, series.labels + more, resource)
        }
    }

    private mutating func histogramPoint(
        _ histogram: HistogramSnapshot, _ series: ExportedSeries, _ resource: OTLPResource, _ points: OTLPPointWriter
    ) {
        let buckets = points.buckets(of: histogram.sketch)
        message(1) {
            $0.attributes(1, series.labels, resource)
            $0.times(series, points)
            guard !points.isEnded else { return $0.varint(10, OTLPPointWriter.noRecordedValue) }
            $0.fixed64(4, buckets.count)
            // With negative values the sum is left out, because a receiver would take it for a total that only
            // increases.
            if buckets.negative.isEmpty { $0.double(5, histogram.total.sum) }
            $0.zigzag(6, Int64(buckets.schema))
            $0.fixed64(7, buckets.zeroCount)
            $0.buckets(8, buckets.positive)
            $0.buckets(9, buckets.negative)
            for exemplar in histogram.exemplars { $0.exemplar(exemplar, points) }
            if let extremes = histogram.total.extremes {
                $0.double(12, extremes.minimum)
                $0.double(13, extremes.maximum)
            }
        }
    }

    private mutating func exemplar(_ exemplar: ExemplarSnapshot, _ points: OTLPPointWriter) {
        message(11) {
            $0.fixed64(2, UInt64(clamping: exemplar.timeNanoseconds &+ points.clockOffsetNanoseconds))
            $0.double(3, exemplar.value)
            $0.bytes(5, exemplar.traceID.bytes)
        }
    }

    /// Writes the counts from the first bucket with a value to the last. OTLP numbers a bucket by its lower edge.
    private mutating func buckets(_ field: Int, _ buckets: [SketchSnapshot.Bucket]) {
        guard let first = buckets.first else { return }
        message(field) {
            $0.zigzag(1, Int64(first.index) - 1)
            $0.packed(2) {
                var next = first.index
                for bucket in buckets {
                    for _ in next..<bucket.index { $0.element(varint: 0) }
                    $0.element(varint: bucket.count)
                    next = bucket.index + 1
                }
            }
        }
    }

    private mutating func summaryPoint(
        _ series: ExportedSeries, _ resource: OTLPResource, _ points: OTLPPointWriter
    ) {
        guard case .quantiles(let quantiles, let total?) = series.value else { return }
        message(1) {
            $0.times(series, points)
            guard !points.isEnded else {
                $0.varint(8, OTLPPointWriter.noRecordedValue)
                return $0.attributes(7, series.labels, resource)
            }
            $0.fixed64(4, total.count)
            $0.double(5, total.sum)
            for quantile in quantiles {
                $0.message(6) {
                    $0.double(1, quantile.quantile)
                    $0.double(2, quantile.value)
                }
            }
            $0.attributes(7, series.labels, resource)
        }
    }

    /// Writes the time since which the total counts, if it is known, and the time of the snapshot.
    private mutating func times(_ series: ExportedSeries, _ points: OTLPPointWriter) {
        if let created = series.createdUnixSeconds, created > 0, created < 0x1p33 {
            fixed64(2, min(UInt64(created * 1e9), points.timeUnixNanoseconds))
        }
        fixed64(3, points.timeUnixNanoseconds)
    }

    private mutating func attributes(_ field: Int, _ labels: [Label], _ resource: OTLPResource) {
        for label in labels where !resource.impliedLabels.contains(label) { attribute(field, label) }
    }
}

extension MetricUnit {
    /// The unit by the Unified Code for Units of Measure. A unit that the code lacks is in braces.
    fileprivate var otlpName: String {
        switch self {
        case .none: ""
        case .seconds, .sec, .secs, .s: "s"
        case .milliseconds, .millis, .msec, .ms: "ms"
        case .microseconds, .micros, .usec, .us: "us"
        case .nanoseconds, .nanos, .nsec, .ns: "ns"
        case .minutes: "min"
        case .hours: "h"
        case .days: "d"
        case .bytes: "By"
        case .bits: "bit"
        case .kilobytes: "kBy"
        case .megabytes: "MBy"
        case .gigabytes: "GBy"
        case .terabytes: "TBy"
        case .kibibytes, .kib: "KiBy"
        case .mebibytes, .mib: "MiBy"
        case .gibibytes, .gib: "GiBy"
        case .tebibytes, .tib: "TiBy"
        case .ratio: "1"
        case .percent, .pct: "%"
        case .permille: "[ppth]"
        case .usd: "{USD}"
        case .bps: "{bps}"
        }
    }
}
