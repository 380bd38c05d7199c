internal import JSON
package import Series
import Sketch

/// OpenTelemetry's protocol for metrics, in protobuf over HTTP: bodies of `POST /v1/metrics`.
/// (https://opentelemetry.io/docs/specs/otlp/, `opentelemetry/proto/collector/metrics/v1/metrics_service.proto`)
///
/// Each bot is a resource. Totals are cumulative and begin at the series' creation. Histograms are exponential: the
/// sketch's own buckets, or merged neighbours. Quantiles of sliding windows are gauges with the attributes `window` and
/// `quantile`.
package enum OTLPMetrics {
    package static let contentType = "application/x-protobuf"
    package static let path = "/v1/metrics"

    /// Returns the requests that carry all families, each of about `options.batchPoints` data points. Pure.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot that the families were made of.
    ///   - labels: Labels of the destination, which every resource has in addition to its own. `host` is sent as
    ///     `host.name`.
    ///   - sent: The series that were sent last; on return, the series of these requests. A series that no longer
    ///     exists is sent once more without a value, so that the receiver drops the gauges and windows of a dead bot as
    ///     soon as the collector does.
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

/// A part of one family: the series of one resource that share one message of the protocol.
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
    /// Whether the series have ended and have no value any more.
    let isEnded: Bool

    /// Returns the protocol's form for one series of a family.
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
        // Most families belong to one bot, and a bot's series are adjacent.
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

    /// Returns the metrics of one family and resource. There is one, unless the name is a gauge with some labels and an
    /// up-down counter with others.
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
