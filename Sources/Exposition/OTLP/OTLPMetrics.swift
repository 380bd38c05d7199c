internal import JSON
package import Series
import Sketch

/// OpenTelemetry's protocol for metrics, in protobuf over HTTP: bodies of `POST /v1/metrics`.
/// (https://opentelemetry.io/docs/specs/otlp/, `opentelemetry/proto/collector/metrics/v1/metrics_service.proto`)
///
/// Each bot is a resource. Totals are cumulative and begin at the series' creation; histograms are exponential ones, the
/// sketch's own buckets or a merge of neighbours; quantiles of sliding windows are gauges with the attributes `window` and
/// `quantile`.
package enum OTLPMetrics {
    package static let contentType = "application/x-protobuf"
    package static let path = "/v1/metrics"

    /// The requests that carry all families, each of about `options.batchPoints` data points. Pure.
    ///
    /// - Parameters:
    ///   - snapshot: What the families were made of.
    ///   - labels: Said of every resource, beside what is known of it; `host` goes out as `host.name`.
    ///   - sent: What was sent last, and then this: of series that are no longer there it is said once that they have no
    ///     value, so that a bot that dies loses its gauges and windows at the receiver as soon as here.
    package static func requests(
        _ families: Families, of snapshot: Snapshot, labels: [Label], options: OTLPOptions = OTLPOptions(),
        sent: inout OTLPSentSeries
    ) -> [[UInt8]] {
        let resources = OTLPResources(snapshot, labels: labels, beside: sent.resources)
        let ended = sent.ended(without: families)
        sent = OTLPSentSeries(families.all, resources)
        let points = OTLPPointWriter(
            timeUnixNanoseconds: UInt64(clamping: snapshot.unixNanoseconds),
            clockOffsetNanoseconds: snapshot.clockOffsetNanoseconds, options: options)
        return OTLPBatches(families.all, ended, resources, batchPoints: options.batchPoints).all.map { batch in
            var writer = ProtobufWriter(capacity: 64 << 10)
            for part in batch {
                writer.message(Field.resourceMetrics) {
                    $0.resource(resources[part.resource])
                    $0.message(Field.scopeMetrics) {
                        $0.scope(version: snapshot.collector.version)
                        for metric in part.metrics { $0.metric(metric, resources[part.resource], points) }
                    }
                }
            }
            return writer.finish()
        }
    }

    private enum Field {
        static let resourceMetrics = 1
        static let scopeMetrics = 2
    }
}

/// A part of one family: the series of one resource that one message of the protocol takes.
struct OTLPMetric {
    enum Form {
        case gauge
        case sum(isMonotonic: Bool)
        case exponentialHistogram
        case summary
    }

    let family: MetricFamily
    let form: Form
    let series: [ExportedSeries]
    /// Whether they have no value any more.
    let isEnded: Bool

    /// What the protocol makes of one series of a family.
    static func form(of series: ExportedSeries, in family: MetricFamily) -> Form {
        switch series.value {
        case .number where family.kind == .counter: .sum(isMonotonic: true)
        case .number: series.isUpDownCounter ? .sum(isMonotonic: false) : .gauge
        case .histogram: .exponentialHistogram
        case .quantiles(_, let total): total == nil ? .gauge : .summary
        }
    }
}

/// The metrics of all resources, cut into requests.
struct OTLPBatches {
    struct Part {
        let resource: Int
        var metrics: [OTLPMetric]
    }

    private(set) var all: [[Part]] = []
    private var open: [Part] = []
    private var points = 0
    private let batchPoints: Int

    init(_ families: [MetricFamily], _ ended: [MetricFamily], _ resources: OTLPResources, batchPoints: Int) {
        self.batchPoints = max(1, batchPoints)
        var metrics = [[OTLPMetric]](repeating: [], count: resources.count)
        for (families, isEnded) in [(families, false), (ended, true)] {
            for family in families {
                for (resource, series) in Self.byResource(family, resources) {
                    metrics[resource] += Self.byForm(family, series, isEnded: isEnded)
                }
            }
        }
        for (resource, metrics) in metrics.enumerated() {
            for metric in metrics { add(metric, of: resource) }
        }
        if !open.isEmpty { all.append(open) }
    }

    private static func byResource(
        _ family: MetricFamily, _ resources: OTLPResources
    ) -> [(resource: Int, series: [ExportedSeries])] {
        // Most families are of one bot, and a bot's series stand together.
        if let first = family.series.first {
            let resource = resources.index(of: first)
            if family.series.allSatisfy({ $0.labelSet === first.labelSet || resources.index(of: $0) == resource }) {
                return [(resource, family.series)]
            }
        }
        var places: [Int: Int] = [:]
        var groups: [(resource: Int, series: [ExportedSeries])] = []
        for series in family.series {
            let resource = resources.index(of: series)
            if let place = places[resource] {
                groups[place].series.append(series)
            } else {
                places[resource] = groups.count
                groups.append((resource, [series]))
            }
        }
        return groups
    }

    /// One, but for a name that is a gauge with some labels and an up-down counter with others.
    private static func byForm(
        _ family: MetricFamily, _ series: [ExportedSeries], isEnded: Bool
    ) -> [OTLPMetric] {
        let isMixed = series.contains { $0.isUpDownCounter != series[0].isUpDownCounter }
        let parts = isMixed ? [series.filter { !$0.isUpDownCounter }, series.filter(\.isUpDownCounter)] : [series]
        return parts.compactMap { part in
            part.first.map {
                OTLPMetric(family: family, form: OTLPMetric.form(of: $0, in: family), series: part, isEnded: isEnded)
            }
        }
    }

    private mutating func add(_ metric: OTLPMetric, of resource: Int) {
        var rest = metric.series[...]
        if points < batchPoints, rest.count <= batchPoints - points {
            guard !rest.isEmpty else { return }
            points += rest.count
            if open.last?.resource != resource { open.append(Part(resource: resource, metrics: [])) }
            return open[open.count - 1].metrics.append(metric)
        }
        while !rest.isEmpty {
            if points >= batchPoints {
                all.append(open)
                (open, points) = ([], 0)
            }
            let part = rest.prefix(batchPoints - points)
            rest = rest.dropFirst(part.count)
            points += part.count
            if open.last?.resource != resource { open.append(Part(resource: resource, metrics: [])) }
            open[open.count - 1].metrics.append(
                OTLPMetric(
                    family: metric.family, form: metric.form, series: Array(part), isEnded: metric.isEnded))
        }
    }
}
