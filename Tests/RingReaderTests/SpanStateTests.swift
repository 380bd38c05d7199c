import CRingside
import RingReader
import TestSupport
import Testing

/// A span's begin and end, each under any control word and with either clock. The expected result is:
///
/// | word at the begin | word at the end | cell  | record                                |
/// |-------------------|-----------------|-------|---------------------------------------|
/// | disabled          | any             |       |                                       |
/// | any               | disabled        |       |                                       |
/// | 1 in N, left out  | enabled         | + 1   |                                       |
/// | 1 in N, drawn     | enabled         | + 1   | weight N                              |
/// | all               | enabled         | + 1   | weight 1, whatever N is by then       |
@Suite struct SpanStateTests {
    private static let words: [UInt32] = [
        0, 1, 7, RINGSIDE_CONTROL_ENABLED, all, RINGSIDE_CONTROL_ENABLED | 2, RINGSIDE_CONTROL_ENABLED | 65_535,
    ]
    private static let all = RINGSIDE_CONTROL_ENABLED | 1

    private func isEnabled(_ word: UInt32) -> Bool { word & RINGSIDE_CONTROL_ENABLED != 0 }

    /// Makes a ring with one histogram, by the clock of this machine or by CLOCK_MONOTONIC.
    private func ring(isMonotonic: Bool) throws -> TestRing {
        let ring = try TestRing(records: 64)
        try ring.register("wait_seconds")
        if isMonotonic {
            ring.producer.pointee.clock_kind = RINGSIDE_CLOCK_MONOTONIC.rawValue
            ring.producer.pointee.timed_word = .max
        }
        return ring
    }

    /// Returns the changes that a call made since `before`: calls, dropped spans, and its record.
    private func change(_ ring: TestRing, since before: (ringside_cell, UInt64)) -> (UInt64, UInt64, ringside_record?) {
        let producer = ring.producer.pointee
        let last = producer.records[Int((producer.next &- 1) & producer.mask)]
        return (
            producer.cells[0].first - before.0.first, producer.cells[0].second - before.0.second,
            producer.next == before.1 ? nil : last
        )
    }

    private func state(_ ring: TestRing) -> (ringside_cell, UInt64) {
        (ring.producer.pointee.cells[0], ring.producer.pointee.next)
    }

    private func set(_ word: UInt32, _ ring: TestRing) { RingFile(ring.path).setControlWord(word, ofMetric: 0) }

    @Test(
        "a span does what its begin and its end are told, by the counter and by CLOCK_MONOTONIC",
        arguments: [false, true])
    func spans(isMonotonic: Bool) throws {
        let ring = try ring(isMonotonic: isMonotonic)
        for begin in Self.words {
            for end in Self.words {
                for flags in [0, UInt32(RINGSIDE_FLAG_FAILED)] {
                    for isDropped in [false, true] {
                        set(begin, ring)
                        let earliest = ringside_now(ring.producer)
                        let span = ringside_span_begin(ring.producer, 0, 9)
                        let isLeftOut = span.word & RINGSIDE_SPAN_DRAWN != 0 && span.word & 0xffff == 0
                        set(end, ring)
                        let before = state(ring)
                        let ticks = isDropped ? 0 : ringside_span_end(ring.producer, span, flags)
                        if isDropped { ringside_span_abandon(ring.producer, span) }
                        let (calls, dropped, record) = change(ring, since: before)
                        let latest = ringside_now(ring.producer)
                        let what: Comment = "begin \(begin), end \(end), dropped \(isDropped)"
                        let counts = isEnabled(begin) && isEnabled(end)
                        #expect(calls == (counts && !isDropped ? 1 : 0), what)
                        #expect(dropped == (counts && isDropped ? 1 : 0), what)
                        #expect((record != nil) == (counts && !isDropped && !isLeftOut), what)
                        guard var record else {
                            #expect(ticks == 0, what)
                            continue
                        }
                        #expect(ringside_record_weight(&record) == max(1, begin & RINGSIDE_CONTROL_N_MASK), what)
                        #expect(ringside_record_encoding(&record) == RINGSIDE_ENCODING_TICKS.rawValue, what)
                        #expect(ringside_record_flags(&record) & UInt32(RINGSIDE_FLAG_FAILED) == flags, what)
                        #expect(record.value == ticks && record.trace_id == 9, what)
                        #expect(record.time <= latest && record.time - record.value >= earliest, what)
                    }
                }
            }
        }
    }

    @Test(
        "a stage's end is told by every clock and under every word, and its record is that of a span",
        arguments: [false, true])
    func stages(isMonotonic: Bool) throws {
        let ring = try ring(isMonotonic: isMonotonic)
        var start = ringside_now(ring.producer)
        for word in Self.words + Self.words {
            set(word, ring)
            let before = state(ring)
            let stage = ringside_stage_end(ring.producer, 0, start, 5)
            let (calls, _, record) = change(ring, since: before)
            #expect(stage.end >= start && stage.ticks == stage.end - start, "\(word)")
            #expect(calls == (isEnabled(word) ? 1 : 0), "\(word)")
            if let record { #expect(record.time == stage.end && record.value == stage.ticks && record.trace_id == 5) }
            if word == Self.all || word == RINGSIDE_CONTROL_ENABLED { #expect(record != nil, "\(word)") }
            start = stage.end
        }
        set(Self.all, ring)
        #expect(ringside_stage_end(ring.producer, 0, .max, 0).ticks == 0)  // an end before its start
    }
}
