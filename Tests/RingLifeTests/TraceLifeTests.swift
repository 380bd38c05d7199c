import CRingside
import Drain
import Exposition
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// Traces from the bot's calls to the spans that an export would send.
@Suite struct TraceLifeTests {
    private let directory = TemporaryRingDirectory()
    private static let came = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let cameID = TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736)

    private func attach(_ ring: String = "alpha", records: Int = 1024) throws -> Telemetry {
        try Telemetry.attach(
            ring, options: AttachOptions(directory: directory.path, capacityRecords: records, metricCapacity: 8))
    }

    private func exchange() -> TraceExchange {
        let exchange = TraceExchange()
        exchange.subscribe("test", bound: 1_000_000)
        return exchange
    }

    private func id(_ span: TracedSpan) -> UInt64 { span.ownID }

    @Test("a trace that goes from one bot to the next, and through lanes, is one trace with one first span")
    func twoBots() throws {
        let alpha = try attach()
        let orders = try attach("alpha.orders")
        let beta = try attach("beta")
        let decide = try alpha.durationHistogram("decide_seconds", help: "Decide.")
        let send = try orders.durationHistogram("send_seconds", help: "Send.")
        let hedge = try beta.durationHistogram("hedge_seconds", help: "Hedge.")
        let traces = exchange()
        let collector = try CollectorHarness(directory, traces: traces)
        try collector.settle()
        var handed = ""
        decide.measure(in: alpha.trace(42)) { inDecide in
            send.measure(in: inDecide) { inSend in handed = inSend.traceparent ?? "" }
        }
        try hedge.measure(in: TraceContext(traceparent: handed)) { _ in }
        let snapshot = try collector.settle()
        let spans = Dictionary(uniqueKeysWithValues: traces.take("test").spans.map { ($0.source.metric, $0) })
        let (first, second, third) = (
            try #require(spans["decide_seconds"]), try #require(spans["send_seconds"]),
            try #require(spans["hedge_seconds"])
        )
        #expect(
            Set([first, second, third].map(\.traceID)).count == 1 && first.traceID.low == 42 && first.traceID.high != 0)
        #expect(first.parentID == 0 && second.parentID == id(first) && third.parentID == id(second))
        #expect([first, second, third].map(\.isParentRemote) == [false, false, true])
        #expect([first, second, third].allSatisfy { $0.loss == [] && $0.ownID != 0 })
        #expect(snapshot.histogram("hedge_seconds", of: "beta")?.exemplars.map(\.traceID) == [first.traceID])
        for ring in snapshot.bots.flatMap(\.rings) { #expect(ring.totalLost == 0 && ring.drained == ring.position) }
        #expect(
            snapshot.ring(of: "beta")?.drained == 3 && snapshot.histogram("hedge_seconds", of: "beta")?.total.count == 1
        )
    }

    @Test(
        "spans whose context was overwritten are of the life's own trace and say so; those after the next context are of the true one"
    )
    func lost() throws {
        let telemetry = try attach(records: 16)
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let context = try TraceContext(traceparent: Self.came)
        var random = SeededGenerator(seed: 5)
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 12...40, using: &random) { spans.measure(in: context) { _ in } }
            // This is the ring as a collector sees it first.
            let segment = try directory.segment()
            let (head, oldest) = (segment.position, segment.oldestHeld(head: segment.position))
            var expected: [(isKnown: Bool, isLinked: Bool)] = []
            var (isKnown, link) = (false, UInt64.max)
            segment.forEachRecord(from: oldest, to: head) { index, content in
                guard let record = try? content.get() else { return }
                switch record.kind {
                case .traceContext: isKnown = true
                case .spanLink: link = index
                case .sample: expected.append((isKnown, link == index - 1))
                case .gauge: break
                }
            }
            let traces = exchange()
            let collector = try CollectorHarness(directory, traces: traces)
            let ring = try #require(try collector.settle().ring())
            #expect(ring.lost(.beforeAttach) == oldest && ring.totalLost == oldest && ring.position == head)
            let found = traces.take("test").spans
            #expect(found.count == expected.count, "round \(round)")
            for (span, expected) in zip(found, expected) {
                #expect(
                    span.loss.contains(.context) == !expected.isKnown
                        && span.loss.contains(.parent) == !expected.isLinked)
                let own = TraceID(high: telemetry.trace(1).traceID.high, low: Self.cameID.low)
                #expect(span.traceID == (expected.isKnown ? Self.cameID : own))
                #expect(span.parentID == (expected.isLinked ? 0x00f0_67aa_0ba9_02b7 : 0))
                #expect((span.ownID != 0) == expected.isLinked)
            }
        }
    }

    @Test("a collector that goes on where another ended knows the contexts that the ring still holds")
    func restart() throws {
        let folder = TemporaryRingDirectory(under: "/tmp")
        let telemetry = try attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let values = try telemetry.histogram("y", help: "Y.")
        let context = try TraceContext(traceparent: Self.came)
        let open = spans.start(in: context)
        values.record(1, in: open.context)
        var collector: CollectorHarness? = try CollectorHarness(
            directory, checkpoint: try CheckpointFile(folder), traces: exchange())
        let memory = try #require(collector).memory
        try collector?.settle()
        collector?.end()
        collector = nil
        open.end()
        values.record(2, trace: context.word)
        let traces = exchange()
        let next = try CollectorHarness(
            directory, checkpoint: try CheckpointFile(folder), memory: memory, traces: traces)
        let snapshot = try next.settle()
        let found = traces.take("test").spans
        #expect(found.map(\.traceID) == [Self.cameID] && found.first?.loss == [] && found.first?.isParentRemote == true)
        #expect(snapshot.histogram("y")?.exemplars.map(\.traceID).contains(Self.cameID) == true)
        #expect(snapshot.ring()?.totalLost == 0)
    }

    @Test("of a trace that nobody records there is no span and no exemplar, and its values count all the same")
    func unsampled() throws {
        let telemetry = try attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let traces = exchange()
        let collector = try CollectorHarness(directory, traces: traces)
        let context = try TraceContext(traceparent: Self.came.dropLast(2) + "00")
        for _ in 0..<5 { spans.measure(in: context) { spans.measure(in: $0) { _ in } } }
        spans.record(since: telemetry.now(), trace: context.word)
        spans.record(since: telemetry.now(), trace: 77)
        let snapshot = try collector.settle()
        #expect(traces.take("test").spans.map(\.traceID) == [telemetry.trace(77).id])
        #expect(snapshot.histogram("x_seconds")?.exemplars.map(\.traceID).allSatisfy { $0.low == 77 } == true)
        #expect(snapshot.histogram("x_seconds")?.total.count == 12)
    }

    /// The reading of a record by a collector of version 1.0, by the rules of its code.
    private enum OldReading { case corrupt, passedOver, sample, gauge }

    private func oldReading(_ record: ringside_record, _ segment: Segment) -> OldReading {
        var record = record
        let flags = ringside_record_flags(&record)
        guard ringside_record_kind(&record) != 0,
            let metric = segment.metric(Int(ringside_record_metric(&record)))
        else { return .corrupt }
        guard metric.kind == .histogram else { return .gauge }
        if flags & UInt32(RINGSIDE_FLAG_ABANDONED) != 0 { return .passedOver }
        return (1...3).contains(ringside_record_encoding(&record)) ? .sample : .corrupt
    }

    @Test("a collector of version 1.0 counts every value of a ring with traces once, and takes nothing else for one")
    func oldReader() throws {
        let telemetry = try attach(records: 4096)
        _ = try telemetry.gauge("level", help: "Level.", recording: .everyChange)
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let values = try telemetry.histogram("y", help: "Y.")
        let context = try TraceContext(traceparent: Self.came)
        for number in 1...300 as ClosedRange<UInt64> {
            let chosen = number % 3 == 0 ? context : telemetry.trace(number)
            telemetry.note(chosen)
            spans.measure(in: chosen) { values.record(1, in: $0) }
        }
        let segment = try directory.segment()
        var readings: [OldReading: Int] = [:]
        var buffer = ringside_record()
        for index in 0..<segment.position {
            _ = ringside_copy_records(
                segment.records, segment.geometry.shift, segment.positionWord, index, index + 1, &buffer)
            readings[oldReading(buffer, segment), default: 0] += 1
            // A record without a time does not change anything that depends on times either.
            if ringside_record_kind(&buffer) > 2 {
                #expect(ringside_record_flags(&buffer) & UInt32(RINGSIDE_FLAG_HAS_TIME) == 0)
            }
        }
        #expect(readings[.sample] == 600 && readings[.corrupt] == nil && readings[.gauge] == nil)
        #expect(readings[.passedOver] ?? 0 >= 301)
        let snapshot = try CollectorHarness(directory).settle()
        #expect(snapshot.histogram("x_seconds")?.total.count == 300 && snapshot.histogram("y")?.total.count == 300)
        #expect(snapshot.ring()?.totalLost == 0 && snapshot.ring()?.drained == segment.position)
    }

    @Test(
        "records of kinds that nobody knows are corrupt, whatever else they say; so are the known ones without their mark"
    )
    func unknownKinds() throws {
        let telemetry = try attach(records: 4096)
        let gauge = try telemetry.gauge("level", help: "Level.", recording: .everyChange)
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let values = try telemetry.histogram("y", help: "Y.")
        var random = SeededGenerator(seed: 9)
        var expected = (corrupt: 0, spans: 0, values: 0)
        var blows: [(index: UInt64, flags: UInt64)] = []
        for index in 0..<3000 as Range<UInt64> {
            let metric = Int.random(in: 0..<3, using: &random)
            if metric == 0 {
                gauge.set(1)
            } else if metric == 1 {
                spans.record(nanoseconds: 5)
            } else {
                values.record(1)
            }
            let kind = random.next() % 16
            let isAbandoned = Bool.random(using: &random)
            let encoding = UInt64(metric == 1 ? 2 : 3)
            blows.append((index, kind | encoding << 4 | (isAbandoned ? UInt64(RINGSIDE_FLAG_ABANDONED) : 0)))
            let isKnown =
                switch kind {
                case 1: metric != 0
                case 2: metric == 0
                case 3, 4: isAbandoned
                default: false
                }
            if !isKnown { expected.corrupt += 1 }
            if isKnown, kind == 1, !isAbandoned, metric == 1 { expected.spans += 1 }
            if isKnown, kind == 1, !isAbandoned, metric == 2 { expected.values += 1 }
        }
        let file = directory.file()
        let records = file.header().records.offset
        for blow in blows {
            let offset = records + blow.index * 32 + 16
            let meta = file.read(at: offset, as: UInt64.self)
            file.write(meta & ~(0xffff << 32) | blow.flags << 32, at: offset)
        }
        let ring = try #require(try CollectorHarness(directory).settle().ring())
        #expect(ring.lost(.corrupt) == UInt64(expected.corrupt) && ring.totalLost == ring.lost(.corrupt))
        let snapshot = try CollectorHarness(directory).settle()
        #expect(snapshot.histogram("x_seconds")?.total.count == UInt64(expected.spans))
        #expect(snapshot.histogram("y")?.total.count == UInt64(expected.values))
    }
}

extension TraceContext {
    fileprivate var id: TraceID { TraceID(high: traceID.high, low: traceID.low) }
}
