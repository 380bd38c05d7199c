import CRingside
import RingReader
import TestSupport
import Testing

/// Tests which trace a record belongs to, as a reader finds it, with any bytes.
@Suite struct TraceReadingTests {
    private static let inContext = UInt32(RINGSIDE_FLAG_IN_CONTEXT)
    private static let linked = UInt32(RINGSIDE_FLAG_LINKED)

    private func context(_ high: UInt64, _ low: UInt64, parent: UInt64, bits: UInt32 = 1) -> ringside_record {
        ringside_record(
            time: high, value: parent, meta: ringside_meta(0, bits, RINGSIDE_RECORD_TRACE_CONTEXT.rawValue),
            trace_id: low)
    }

    private func link(_ word: UInt64, span: UInt64, parent: UInt64, bits: UInt32 = 1) -> ringside_record {
        ringside_record(
            time: span, value: parent, meta: ringside_meta(0, bits, RINGSIDE_RECORD_SPAN_LINK.rawValue), trace_id: word)
    }

    @Test(
        "a record without a context has its life's prefix; one that says that it came with one, and whose context is not known, says so"
    )
    func loss() throws {
        var reading = TraceReading()
        #expect(reading.trace(word: 0, flags: Self.inContext, at: 1, prefix: 5) == nil)
        let plain = try #require(reading.trace(word: 9, flags: 0, at: 1, prefix: 5))
        #expect((plain.high, plain.low) == (5, 9) && plain.loss == [] && plain.isSampled && plain.parentID == 0)
        let lost = try #require(reading.trace(word: 9, flags: Self.inContext | Self.linked, at: 1, prefix: 5))
        #expect((lost.high, lost.low) == (5, 9) && lost.loss == [.context, .link])
        #expect(lost.spanID == 0 && lost.parentID == 0 && !lost.isParentRemote)
        reading.note(link(9, span: 70, parent: 71, bits: 0x100), at: 3)
        let half = try #require(reading.trace(word: 9, flags: Self.inContext | Self.linked, at: 4, prefix: 5))
        #expect(half.loss == .context && half.spanID == 70 && half.parentID == 71 && !half.isSampled)
        // A link is for the next record alone, and for the same trace.
        #expect(reading.trace(word: 9, flags: Self.linked, at: 5, prefix: 5)?.loss == .link)
        #expect(reading.trace(word: 8, flags: Self.linked, at: 4, prefix: 5)?.loss == .link)
        reading.note(context(0xAA, 9, parent: 70), at: 6)
        let value = try #require(reading.trace(word: 9, flags: Self.inContext, at: 7, prefix: 5))
        #expect(
            (value.high, value.low) == (0xAA, 9) && value.loss == [] && value.parentID == 0 && !value.isParentRemote)
        let known = try #require(reading.trace(word: 9, flags: 0, at: 7, prefix: 5))
        #expect(
            (known.high, known.low) == (0xAA, 9) && known.loss == [] && known.parentID == 70 && known.isParentRemote)
        // Records that cannot be valid are passed over.
        for wrong in [
            context(0, 0, parent: 1), context(1, 9, parent: 0), link(0, span: 1, parent: 0),
            link(9, span: 0, parent: 1),
        ] {
            reading.note(wrong, at: 7)
        }
        #expect(reading.trace(word: 9, flags: 0, at: 8, prefix: 5) == known)
        #expect(reading.trace(word: 9, flags: Self.linked, at: 8, prefix: 5)?.loss == .link)
    }

    @Test("of however many contexts the last 8,192 are known, and no record is given one that it did not come with")
    func bounds() {
        var reading = TraceReading()
        var random = SeededGenerator(seed: 11)
        var model: [UInt64: UInt64] = [:]
        var order: [UInt64] = []
        for index in 0..<40_000 as Range<UInt64> {
            let low = random.next() % 50_000 + 1
            let high = random.next()
            reading.note(context(high, low, parent: 1), at: index)
            model[low] = high
            order.append(low)
        }
        for low in 1...50_000 as ClosedRange<UInt64> {
            let trace = reading.trace(word: low, flags: Self.inContext, at: 0, prefix: 0)
            if trace?.loss == [] { #expect(trace?.high == model[low]) } else { #expect(trace?.high == 0) }
        }
        for low in order.suffix(8192) {
            #expect(reading.trace(word: low, flags: Self.inContext, at: 0, prefix: 0)?.loss == [])
        }
    }

    @Test(
        "a reader that begins in the middle of a ring knows the contexts that the ring still holds, and none that it does not"
    )
    func lookBack() throws {
        let ring = try TestRing(records: 1024)
        let id = try ring.register("x")
        func trace(_ low: UInt64) -> ringside_trace {
            ringside_trace(id_high: low &* 3, id_low: low, parent_id: 8, remote_id: 8, flags: 1, reserved: 0)
        }
        for low in 1...2000 as ClosedRange<UInt64> {
            var trace = trace(low)
            ringside_traced_value(ring.producer, id, 1, &trace)
        }
        let segment = try Segment(name: RingName("alpha")!, path: ring.path)
        let head = segment.position
        #expect(head == 4000)
        var reading = TraceReading()
        reading.lookBack(segment, before: head)
        for low in 1...2000 as ClosedRange<UInt64> {
            // Each has a context and a value. The ring holds the last 1023 records.
            let isHeld = (low - 1) * 2 >= head - 1023
            let found = reading.trace(word: low, flags: Self.inContext, at: head, prefix: 1)
            #expect(found?.loss == (isHeld ? [] : .context) && found?.high == (isHeld ? low &* 3 : 1))
        }
        for first in [0, 1, 2977, head + 1, .max, .max - 5] as [UInt64] {
            var other = TraceReading()
            other.lookBack(segment, before: first)
            #expect(other.trace(word: 1, flags: Self.inContext, at: 0, prefix: 1)?.loss == .context)
        }
    }

    @Test(
        "records of the two kinds are decoded, named and without a value; kinds that nobody knows are damage, as before"
    )
    func kinds() throws {
        for kind in 0..<16 as Range<UInt32> {
            let flags = kind | 3 << 4 | UInt32(RINGSIDE_FLAG_ABANDONED)
            let record = ringside_record(time: 1, value: 2, meta: ringside_meta(7, 1, flags) + 1 << 48, trace_id: 3)
            let decoded = try? DecodedRecord(record, index: 5, shift: 10)
            #expect((decoded != nil) == (1...4).contains(kind))
            #expect(decoded?.kind.isMeasurement ?? true == (kind != 3 && kind != 4))
            if let decoded, !decoded.kind.isMeasurement { #expect(decoded.value(of: nil, clock: nil) == nil) }
        }
    }

    @Test("whatever number the position is, a reader looks back without harm")
    func anyPosition() throws {
        let ring = try TestRing(records: 64)
        let id = try ring.register("x")
        for low in 1...100 as ClosedRange<UInt64> {
            var trace = ringside_trace(id_high: low, id_low: low, parent_id: 8, remote_id: 8, flags: 1, reserved: 0)
            ringside_traced_value(ring.producer, id, 1, &trace)
        }
        let segment = try Segment(name: RingName("alpha")!, path: ring.path)
        let edges: [UInt64] = [0, 1, 63, 64, 65, 200, 1 << 32, 1 << 63, .max - 300, .max - 64, .max - 1, .max]
        var random = SeededGenerator(seed: 4)
        for round in 0..<2000 {
            let head = round % 2 == 0 ? edges.randomElement(using: &random)! : random.next()
            RingFile(ring.path).setPosition(head)
            for first in [head, head &- 1, head &- 10, head &+ 1, random.next(), .max] {
                var reading = TraceReading()
                reading.lookBack(segment, before: first)
            }
        }
    }
}
