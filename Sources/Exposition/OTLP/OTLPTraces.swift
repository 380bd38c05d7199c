internal import JSON
package import Series

/// OpenTelemetry's protocol for traces: bodies of `POST /v1/traces`.
/// (`opentelemetry/proto/collector/trace/v1/trace_service.proto`)
///
/// Each traced record is a span of kind internal, named by its metric. Its parent is the span that it was begun in, or
/// the span of the program that called the bot, if the bot recorded it. A record with only a trace id has no parent.
package enum OTLPTraces {
    package static let path = "/v1/traces"

    /// Returns the requests that carry all spans, each of about `batchSpans`. Pure.
    ///
    /// - Parameter labels: Labels of the destination, which every resource has in addition to its own. `host` is sent
    ///   as `host.name`.
    package static func requests(
        _ spans: [TracedSpan], version: String, labels: [Label], batchSpans: Int = 2000
    ) -> [[UInt8]] {
        stride(from: 0, to: spans.count, by: max(1, batchSpans)).map { start in
            request(spans[start..<min(start + max(1, batchSpans), spans.count)], version: version, labels: labels)
        }
    }

    private static func request(_ spans: ArraySlice<TracedSpan>, version: String, labels: [Label]) -> [UInt8] {
        var byBot: [(resource: OTLPResource, spans: [TracedSpan])] = []
        var places: [String: Int] = [:]
        for span in spans {
            if let place = places[span.source.bot] {
                byBot[place].spans.append(span)
            } else {
                places[span.source.bot] = byBot.count
                let resource = OTLPResource(bot: span.source.bot, labels: span.source.botLabels, common: labels)
                byBot.append((resource, [span]))
            }
        }
        var writer = ProtobufWriter(capacity: 200 * spans.count)
        for (resource, spans) in byBot {
            writer.message(1) {
                $0.resource(resource)
                $0.message(2) {
                    $0.scope(version: version)
                    for span in spans { $0.span(span) }
                }
            }
        }
        return writer.finish()
    }
}

extension TracedSpan {
    /// `SpanFlags`: the sampled flag of W3C Trace Context, without which no span is sent, and the flag that the parent
    /// belongs to another program.
    fileprivate var traceFlags: UInt32 {
        let (isSampled, saysWhether, isRemote): (UInt32, UInt32, UInt32) = (0x1, 0x100, 0x200)
        return isSampled | (parentID == 0 || !loss.isEmpty ? 0 : saysWhether | (isParentRemote ? isRemote : 0))
    }
}

/// `opentelemetry/proto/trace/v1/trace.proto`
extension ProtobufWriter {
    fileprivate mutating func span(_ span: TracedSpan) {
        let end = UInt64(clamping: span.endUnixNanoseconds)
        let duration = UInt64(clamping: span.durationNanoseconds)
        message(2) {
            $0.bytes(1, span.traceID.bytes)
            $0.bytes(2, span.spanID)
            if span.parentID != 0 { $0.bytes(4, span.parentID.bigEndianBytes) }
            $0.string(5, span.source.metric)
            $0.varint(6, 1)
            $0.fixed64(7, end - min(duration, end))
            $0.fixed64(8, end)
            for label in span.source.labels { $0.attribute(9, label) }
            if !span.source.lane.isEmpty { $0.attribute(9, Label("lane", span.source.lane)) }
            if span.weight > 1 { $0.attribute(9, "ringside.sampling.weight", Int64(span.weight)) }
            for (loss, name) in [(TracedSpan.Loss.context, "context"), (.parent, "parent")]
            where span.loss.contains(loss) {
                $0.attribute(9, Label("ringside.trace.lost_\(name)", "true"))
            }
            if span.hasFailed { $0.message(15) { $0.varint(3, 2) } }
            $0.fixed32(16, span.traceFlags)
        }
    }
}
