internal import JSON
import Series
import Sketch

/// The requests of one moment while they are written.
struct RemoteWriteBatch: ~Copyable {
    /// The series that are in it, as their encoded labels, and whether each is a native histogram.
    private(set) var sent: [[UInt8]: Bool] = [:]
    private let labels: [Label]
    private let options: RemoteWriteOptions
    private let time: Int64
    private var finished: [[UInt8]] = []
    private var writer = ProtobufWriter(capacity: 64 << 10)
    private var count = 0

    /// What Prometheus takes for the end of a series, and for any other number that is none.
    private static let stale = Double(bitPattern: 0x7FF0_0000_0000_0002)
    private static let notANumber = Double(bitPattern: 0x7FF8_0000_0000_0001)

    init(labels: [Label], options: RemoteWriteOptions, unixMilliseconds: Int64) {
        self.labels = labels
        self.options = options
        time = unixMilliseconds
    }

    consuming func finish() -> (requests: [[UInt8]], sent: [[UInt8]: Bool]) {
        if count > 0 { cut() }
        return (finished, sent)
    }

    mutating func add(_ series: ExportedSeries, of family: MetricFamily) {
        switch series.value {
        case .number(let number): addSample(family.name, series.labels, number.double)
        case .histogram(let histogram):
            switch options.histograms {
            case .native, .nativeFloat: addNative(family.name, series.labels, histogram)
            case .classic: addClassic(family.name, series.labels, histogram)
            case .both:
                addNative(family.name, series.labels, histogram)
                addClassic(family.name, series.labels, histogram)
            }
        case .quantiles(let quantiles, let total):
            for quantile in quantiles {
                let label = Label("quantile", quantile.quantile.description)
                addSample(family.name, series.labels + [label], quantile.value)
            }
            guard let total else { return }
            addSample("\(family.name)_sum", series.labels, total.sum)
            addSample("\(family.name)_count", series.labels, Double(total.count))
        }
    }

    /// Says that a series which was sent before has ended.
    ///
    /// - Parameter labels: Encoded.
    mutating func addStale(_ labels: [UInt8], isHistogram: Bool) {
        let time = time
        timeSeries(labels) { writer in
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

    private mutating func addSample(_ name: String, _ labels: [Label], _ value: Double) {
        let time = time
        let encoded = encode(name, labels)
        sent[encoded] = false
        timeSeries(encoded) { $0.sample(value.isNaN ? Self.notANumber : value, time) }
    }

    private mutating func addClassic(_ name: String, _ labels: [Label], _ histogram: HistogramSnapshot) {
        for bucket in histogram.classicBuckets where bucket.upperBound.isFinite {
            var bound: [UInt8] = []
            bound.append(finite: bucket.upperBound)
            let label = Label("le", String(decoding: bound, as: UTF8.self))
            addSample("\(name)_bucket", labels + [label], Double(bucket.cumulativeCount))
        }
        let count = Double(histogram.total.count)
        addSample("\(name)_bucket", labels + [Label("le", "+Inf")], count)
        if !histogram.sketch.hasNegative { addSample("\(name)_sum", labels, histogram.total.sum) }
        addSample("\(name)_count", labels, count)
    }

    private mutating func addNative(_ name: String, _ labels: [Label], _ histogram: HistogramSnapshot) {
        let limit = options.bucketLimit.map { NativeBuckets.Limit.occupied($0) } ?? .none
        let buckets = NativeBuckets(histogram.sketch, schema: options.schema, limit: limit)
        let (time, isFloat) = (time, options.histograms == .nativeFloat)
        let encoded = encode(name, labels)
        sent[encoded] = true
        timeSeries(encoded) {
            $0.nativeHistogram(buckets, sum: histogram.total.sum, isFloat: isFloat, unixMilliseconds: time)
        }
    }

    /// Labels sorted by name, those without a value left out, as the specification wants them.
    private func encode(_ name: String, _ labels: [Label]) -> [UInt8] {
        var all = [Label("__name__", name)]
        all.reserveCapacity(labels.count + self.labels.count + 1)
        for label in labels where !label.value.isEmpty { all.append(label) }
        for label in self.labels where !labels.contains(where: { $0.name == label.name }) { all.append(label) }
        // Swift orders texts by their Unicode scalars, and Prometheus by their bytes: of names, which are ASCII, it is one.
        all.sort { $0.name < $1.name }
        var writer = ProtobufWriter(capacity: 256)
        for label in all {
            writer.message(1) {
                $0.string(1, label.name)
                $0.string(2, label.value)
            }
        }
        return writer.finish()
    }

    private mutating func timeSeries(_ labels: [UInt8], _ body: (inout ProtobufWriter) -> Void) {
        if count >= max(1, options.batchSeries) { cut() }
        count += 1
        writer.message(1) {
            $0.append(encoded: labels)
            body(&$0)
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

    /// Spans in the field `first`; their counts in the next one as differences, or in the one after as numbers.
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
