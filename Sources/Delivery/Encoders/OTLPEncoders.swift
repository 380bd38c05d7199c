internal import Configuration
internal import Drain
internal import Exposition
internal import Rules
internal import Series

/// Encodes snapshots as OTLP metrics.
struct OTLPMetricsEncoder: SnapshotEncoder {
    let labels: [Label]
    let options: OTLPOptions
    let compresses: Bool
    let sendsCollector: Bool
    private var sent = OTLPSentSeries()

    init(labels: [Label], options: OTLPOptions, compresses: Bool, sendsCollector: Bool) {
        (self.labels, self.options) = (labels, options)
        (self.compresses, self.sendsCollector) = (compresses, sendsCollector)
    }

    mutating func entries(for snapshot: Snapshot) -> [DeliveryEntry] {
        let families = Families(exported: snapshot, showsCollector: sendsCollector)
        let bodies = OTLPMetrics.requests(
            families, of: snapshot, labels: labels, options: options, sent: &sent)
        return bodies.map { body in
            let entry = DeliveryEntry(body: body, contentType: OTLPMetrics.contentType)
            return compresses ? entry.gzipped() : entry
        }
    }

    mutating func takeOver(from other: any SnapshotEncoder) {
        if let other = other as? OTLPMetricsEncoder { sent = other.sent }
    }
}

/// Encodes the spans since the last snapshot as OTLP traces. Only the collector's version comes from the snapshot
/// itself.
struct OTLPTracesEncoder: SnapshotEncoder {
    /// The export's name.
    let name: String
    let labels: [Label]
    let options: OTLPTraceOptions
    let compresses: Bool
    let route: ExportRoute
    let traces: TraceExchange
    let accounts: ExportAccounts

    func entries(for snapshot: Snapshot) -> [DeliveryEntry] {
        let (spans, dropped) = traces.take(name)
        if dropped > 0 { accounts.note(name) { $0.dropped["span_buffer", default: 0] += dropped } }
        let bodies = OTLPTraces.requests(
            routed(spans), version: snapshot.collector.version, labels: labels, batchSpans: options.batchSpans)
        return bodies.map { body in
            let entry = DeliveryEntry(body: body, contentType: OTLPMetrics.contentType)
            return compresses ? entry.gzipped() : entry
        }
    }

    /// Returns the spans that the export's route takes, as the configuration's rules show them.
    private func routed(_ spans: [TracedSpan]) -> [TracedSpan] {
        let rules = traces.rules
        var shown: [ObjectIdentifier: TraceSource?] = [:]
        return spans.compactMap { span in
            let id = ObjectIdentifier(span.source)
            if shown[id] == nil { shown[id] = .some(show(span.source, rules)) }
            return shown[id]!.map { source in
                var span = span
                span.source = source
                return span
            }
        }
    }

    private func show(_ source: TraceSource, _ rules: [MetricRule]) -> TraceSource? {
        guard let (metric, labels) = rules.shown(source.metric, source.labels, of: source.bot),
            route.takes(bot: source.bot), route.takes(metric: metric),
            route.takes(labels: labels, of: source.botLabels)
        else { return nil }
        guard metric != source.metric || labels != source.labels else { return source }
        return TraceSource(
            bot: source.bot, botLabels: source.botLabels, lane: source.lane, metric: metric, labels: labels,
            ringSeed: source.ringSeed)
    }
}
