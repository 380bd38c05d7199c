import Series
import TestSupport
import Testing

@testable import Exposition

@Suite("OTLP traces, as OpenTelemetry's own decoder reads them") struct OTLPTracesTests {
    private func source(_ bot: String, _ metric: String, lane: String = "", seed: UInt64 = 99) -> TraceSource {
        TraceSource(
            bot: bot, botLabels: [Label("env", "paper")], lane: lane, metric: metric, labels: [Label("venue", "X")],
            ringSeed: seed)
    }

    private func span(_ source: TraceSource, index: UInt64, failed: Bool = false, weight: UInt32 = 1) -> TracedSpan {
        TracedSpan(
            source: source, traceID: TraceID(0xAB00_0000_0000_0001 &+ index), index: index,
            endUnixNanoseconds: 1_700_000_000_000_000_500, durationNanoseconds: 300, weight: weight, hasFailed: failed)
    }

    @Test(
        "a record with a trace id is a span from its begin to its end, and says where it comes from and whether it failed"
    )
    func spans() throws {
        let spans = [
            span(source("alpha", "submit_seconds"), index: 1),
            span(source("beta", "decide_seconds", lane: "md"), index: 2, failed: true, weight: 10),
        ]
        let read = try Decoded.otlpTraces(
            OTLPTraces.requests(spans, version: "1.2", labels: [Label("host", "trader1")]))
        #expect(read.map(\.name) == ["submit_seconds", "decide_seconds"])
        #expect(read.map(\.traceID) == ["0000000000000000ab00000000000002", "0000000000000000ab00000000000003"])
        #expect(read.allSatisfy { $0.start == 1_700_000_000_000_000_200 && $0.end == 1_700_000_000_000_000_500 })
        #expect(read.allSatisfy { $0.kind == 1 && $0.parent.isEmpty && $0.spanID.utf8.count == 16 })
        #expect(read.map(\.status) == [0, 2])
        #expect(
            read[0].resource
                == ["service.name": "alpha", "bot": "alpha", "env": "paper", "host.name": "trader1"])
        #expect(read[0].attributes == ["venue": "X"])
        #expect(read[1].attributes == ["venue": "X", "lane": "md", "ringside.sampling.weight": "10"])
    }

    @Test("a span names its parent, says whether that is another program's, and what of its trace the ring has lost")
    func places() throws {
        var random = SeededGenerator(seed: 1)
        let source = source("alpha", "x_seconds")
        let spans = (0..<500).map { index in
            let parent = index % 3 == 0 ? 0 : random.next()
            return TracedSpan(
                source: source, traceID: TraceID(high: random.next(), low: random.next()),
                ownID: index % 4 == 0 ? 0 : random.next(), parentID: parent,
                isParentRemote: index % 2 == 0 && parent != 0,
                loss: TracedSpan.Loss(rawValue: UInt8(index % 5 == 0 ? index / 5 % 4 : 0)), index: UInt64(index),
                endUnixNanoseconds: 1_700_000_000_000_000_500, durationNanoseconds: 300, weight: 1, hasFailed: false)
        }
        func digits(_ word: UInt64) -> String {
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        let read = try Decoded.otlpTraces(OTLPTraces.requests(spans, version: "1", labels: []))
        #expect(read.count == spans.count)
        for (read, span) in zip(read, spans) {
            #expect(read.traceID == digits(span.traceID.high) + digits(span.traceID.low))
            #expect(read.parent == (span.parentID == 0 ? "" : digits(span.parentID)))
            #expect(span.ownID == 0 ? read.spanID.utf8.count == 16 : read.spanID == digits(span.ownID))
            let saysWhether = span.parentID != 0 && span.loss == []
            #expect(read.flags == 1 | (saysWhether ? 0x100 : 0) | (saysWhether && span.isParentRemote ? 0x200 : 0))
            #expect(read.attributes["ringside.trace.lost_context"] == (span.loss.contains(.context) ? "true" : nil))
            #expect(read.attributes["ringside.trace.lost_parent"] == (span.loss.contains(.parent) ? "true" : nil))
        }
    }

    @Test("a span has the same id whenever it is sent, and no other has it")
    func identifiers() throws {
        let sources = [source("alpha", "x_seconds", seed: 1), source("alpha", "x_seconds", seed: 2)]
        let spans = sources.flatMap { source in (0..<3000).map { span(source, index: $0) } }
        let bodies = OTLPTraces.requests(spans, version: "1", labels: [], batchSpans: 500)
        #expect(bodies.count == 12 && bodies == OTLPTraces.requests(spans, version: "1", labels: [], batchSpans: 500))
        let read = try Decoded.otlpTraces(bodies)
        #expect(read.count == 6000 && Set(read.map(\.spanID)).count == 6000)
        #expect(!read.contains { $0.spanID == String(repeating: "0", count: 16) })
    }

    @Test("a duration longer than all time begins at its beginning")
    func absurd() throws {
        var long = span(source("alpha", "x_seconds"), index: 0)
        long.durationNanoseconds = .max
        var negative = long
        negative.durationNanoseconds = -5
        let read = try Decoded.otlpTraces(OTLPTraces.requests([long, negative], version: "1", labels: []))
        #expect(read.map(\.start) == [0, 1_700_000_000_000_000_500])
    }
}
