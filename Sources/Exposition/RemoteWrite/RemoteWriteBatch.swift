internal import JSON
import Series
import Sketch

/// The requests of one moment while they are being written.
struct RemoteWriteBatch: ~Copyable {
    /// The series that were written.
    private var sent = RemoteWriteSeries()
    private var ended: EndedSeries
    private let options: RemoteWriteOptions
    private let time: Int64
    private var finished: [[UInt8]] = []
    private var writer = ProtobufWriter(capacity: 64 << 10)
    private var count = 0
    private var labels: RemoteWriteLabels

    /// The NaN that marks the end of a series for Prometheus.
    private static let stale = Double(bitPattern: 0x7FF0_0000_0000_0002)
    private static let notANumber = Double(bitPattern: 0x7FF8_0000_0000_0001)

    /// - Parameters:
    ///   - labels: Added to every series without a label of the same name.
    ///   - last: The series that were sent before. Those that are not written again are marked as ended.
    init(labels: [Label], options: RemoteWriteOptions, unixMilliseconds: Int64, last: RemoteWriteSeries) {
        self.labels = RemoteWriteLabels(common: labels)
        self.options = options
        time = unixMilliseconds
        ended = EndedSeries(last: last)
    }

    consuming func finish() -> (requests: [[UInt8]], sent: RemoteWriteSeries) {
        let last = ended.last
        for index in ended.indices { addStale(last, at: index) }
        if count > 0 { cut() }
        return (finished, sent)
    }

    mutating func add(_ series: ExportedSeries, of family: MetricFamily) {
        switch series.value {
        case .number(let number): addSample(family.name, "", series.labelSet, number.double)
        case .histogram(let histogram):
            switch options.histograms {
            case .native, .nativeFloat: addNative(family.name, series.labelSet, histogram)
            case .classic: addClassic(family.name, series.labelSet, histogram)
            case .both:
                addNative(family.name, series.labelSet, histogram)
                addClassic(family.name, series.labelSet, histogram)
            }
        case .quantiles(let quantiles, let total):
            for quantile in quantiles {
                addSample(
                    family.name, "", series.labelSet, quantile.value, more: .quantile(quantile.quantile))
            }
            guard let total else { return }
            addSample(family.name, "_sum", series.labelSet, total.sum)
            addSample(family.name, "_count", series.labelSet, Double(total.count))
        }
    }

    /// Marks a series that was sent before as ended.
    private mutating func addStale(_ last: RemoteWriteSeries, at index: Int) {
        let (time, isHistogram) = (time, last.isHistogram(at: index))
        timeSeries(last, at: index) { writer in
            if isHistogram {
                writer.message(4) {
                    $0.double(3, Self.stale)
                    $0.int64(15, time)
                }
            } else {
                writer.sample(Self.stale, time)
            }
        }
    }

    private mutating func addSample(
        _ name: String, _ suffix: StaticString, _ labels: ExportedLabels, _ value: Double,
        more: RemoteWriteLabels.More? = nil
    ) {
        let time = time
        add(name, suffix, labels, more, isHistogram: false) {
            $0.sample(value.isNaN ? Self.notANumber : value, time)
        }
    }

    private mutating func addClassic(_ name: String, _ labels: ExportedLabels, _ histogram: HistogramSnapshot) {
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            addSample(
                name, "_bucket", labels, Double(bucket.cumulativeCount), more: .upperBound(bucket.upperBound))
        }
        let count = Double(histogram.total.count)
        addSample(name, "_bucket", labels, count, more: .upperBound(.infinity))
        if !histogram.sketch.hasNegative { addSample(name, "_sum", labels, histogram.total.sum) }
        addSample(name, "_count", labels, count)
    }

    private mutating func addNative(_ name: String, _ labels: ExportedLabels, _ histogram: HistogramSnapshot) {
        let limit = options.bucketLimit.map { NativeBuckets.Limit.occupied($0) } ?? .none
        let buckets = NativeBuckets(histogram.sketch, schema: options.schema, limit: limit)
        let (time, isFloat) = (time, options.histograms == .nativeFloat)
        add(name, "", labels, nil, isHistogram: true) {
            $0.nativeHistogram(buckets, sum: histogram.total.sum, isFloat: isFloat, unixMilliseconds: time)
        }
    }

    private mutating func add(
        _ name: String, _ suffix: StaticString, _ labels: ExportedLabels, _ more: RemoteWriteLabels.More?,
        isHistogram: Bool, _ body: (inout ProtobufWriter) -> Void
    ) {
        sent.add(RemoteWriteLabels.Sample(name, suffix, labels, more), isHistogram: isHistogram, &self.labels)
        let index = sent.count - 1
        ended.note(sent, at: index)
        timeSeries(sent, at: index, body)
    }

    private mutating func timeSeries(
        _ series: RemoteWriteSeries, at index: Int, _ body: (inout ProtobufWriter) -> Void
    ) {
        if count >= max(1, options.batchSeries) { cut() }
        count += 1
        writer.message(1) { writer in
            series.withLabels(at: index) { writer.append(encoded: $0) }
            body(&writer)
        }
    }

    private mutating func cut() {
        var next = ProtobufWriter(capacity: 64 << 10)
        swap(&next, &writer)
        finished.append(next.finish())
        count = 0
    }
}

/// `prompb/types.proto`
extension ProtobufWriter {
    fileprivate mutating func sample(_ value: Double, _ unixMilliseconds: Int64) {
        message(2) {
            $0.double(1, value)
            $0.int64(2, unixMilliseconds)
        }
    }

    fileprivate mutating func nativeHistogram(
        _ buckets: NativeBuckets, sum: Double, isFloat: Bool, unixMilliseconds: Int64
    ) {
        message(4) {
            if isFloat {
                $0.double(2, Double(buckets.count))
            } else {
                $0.varint(1, buckets.count)
            }
            $0.double(3, sum)
            $0.zigzag(4, Int64(buckets.schema))
            $0.double(5, 0)
            if isFloat {
                $0.double(7, Double(buckets.zeroCount))
            } else {
                $0.varint(6, buckets.zeroCount)
            }
            $0.spans(8, buckets.negative, isFloat: isFloat)
            $0.spans(11, buckets.positive, isFloat: isFloat)
            $0.int64(15, unixMilliseconds)
        }
    }

    /// Writes spans in the field `first`. Writes their counts as differences in the next field, or as numbers in the
    /// field after that.
    private mutating func spans(_ first: Int, _ buckets: [SketchSnapshot.Bucket], isFloat: Bool) {
        let spans = NativeSpans(buckets)
        guard !spans.spans.isEmpty else { return }
        for span in spans.spans {
            message(first) {
                $0.zigzag(1, Int64(span.offset))
                $0.varint(2, UInt64(span.length))
            }
        }
        if isFloat {
            packed(first + 2) {
                var count: Int64 = 0
                for delta in spans.deltas {
                    count &+= delta
                    $0.element(double: Double(count))
                }
            }
        } else {
            packed(first + 1) { for delta in spans.deltas { $0.element(zigzag: delta) } }
        }
    }
}
