import CRingside
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct SpanTests {
    private let directory = TemporaryRingDirectory()

    private enum Refusal: Error, Equatable {
        case refused(Int)
    }

    private struct Token: ~Copyable {
        let number: Int
    }

    /// Writes into a ring, and returns the ring as a reader finds it.
    private func written(_ write: (borrowing Telemetry, DurationHistogram) throws -> Void) throws -> Segment {
        let telemetry = try directory.attach()
        try write(telemetry, try telemetry.durationHistogram("wait_seconds", help: ""))
        return try directory.segment()
    }

    @Test("a closure's time is recorded, and its result is returned")
    func closure() throws {
        var before = Instant(ticks: 0)
        var after = before
        let segment = try written { telemetry, spans in
            before = telemetry.now()
            #expect(spans.measure { 42 } == 42)
            let token = spans.measure { Token(number: 7) }
            #expect(token.number == 7)
            let (result, ticks) = spans.measureTicks { "text" }
            after = telemetry.now()
            #expect(result == "text" && ticks <= after.ticks - before.ticks)
        }
        let records = segment.records()
        #expect(records.count == 3)
        #expect(try segment.cell(of: "wait_seconds") == (3, 0))
        for record in records {
            #expect(record.has(Int(RINGSIDE_FLAG_HAS_TIME)) && !record.has(Int(RINGSIDE_FLAG_FAILED)))
            #expect(record.encoding == RINGSIDE_ENCODING_TICKS && record.weight == 1 && record.trace_id == 0)
            // The time is the span's end, so that time - value is its begin.
            #expect(record.time <= after.ticks && record.time - record.value >= before.ticks)
        }
    }

    @Test("a closure that throws is recorded as failed, and its error is rethrown")
    func throwing() throws {
        let segment = try written { _, spans in
            for number in 0..<3 {
                #expect(throws: Refusal.refused(number)) {
                    try spans.measure { () throws(Refusal) -> Int in throw .refused(number) }
                }
            }
            #expect(throws: Refusal.refused(9)) { try spans.measureTicks { () throws(Refusal) in throw .refused(9) } }
        }
        let records = segment.records()
        #expect(records.count == 4 && records.allSatisfy { $0.has(Int(RINGSIDE_FLAG_FAILED)) })
        #expect(try segment.cell(of: "wait_seconds") == (4, 0))
    }

    @Test("a token is recorded when it ends, failed when it fails, counted when dropped, and gone when cancelled")
    func tokens() throws {
        let segment = try written { _, spans in
            spans.start().end()
            spans.start().fail()
            _ = spans.start()
            do { let dropped = spans.start(); _ = consume dropped }
            spans.start().cancel()
        }
        #expect(segment.records().map { $0.has(Int(RINGSIDE_FLAG_FAILED)) } == [false, true])
        #expect(try segment.cell(of: "wait_seconds") == (2, 2))
    }

    @Test("stages of a stopwatch follow end to start, without a gap")
    func stopwatch() throws {
        var laps: [UInt64] = []
        let segment = try written { telemetry, spans in
            let other = try telemetry.durationHistogram("other_seconds", help: "")
            var watch = telemetry.stopwatch()
            for index in 0..<10 { laps.append(watch.lap(into: index % 2 == 0 ? spans : other)) }
            watch.restart()
            laps.append(watch.lap(into: spans))
        }
        let records = segment.records()
        #expect(records.map(\.value) == laps && records.map(\.metric) == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0])
        for (earlier, later) in zip(records.prefix(10), records.prefix(10).dropFirst()) {
            #expect(later.time - later.value == earlier.time)
        }
        #expect(records[10].time - records[10].value >= records[9].time)
    }

    @Test("by hand: from start to end, an end before its start as 0, and since a start")
    func byHand() throws {
        let segment = try written { telemetry, spans in
            #expect(spans.record(from: Instant(ticks: 1000), to: Instant(ticks: 1250)) == 250)
            #expect(spans.record(from: Instant(ticks: 1250), to: Instant(ticks: 1000)) == 0)
            #expect(spans.record(from: Instant(ticks: 0), to: Instant(ticks: .max)) == .max)
            let start = telemetry.now()
            #expect(spans.record(since: start) <= telemetry.now().ticks - start.ticks)
        }
        let records = segment.records()
        #expect(records.prefix(3).map(\.value) == [250, 0, .max])
        #expect(records.prefix(3).map(\.time) == [1250, 1000, .max])
    }

    @Test("durations measured elsewhere are nanoseconds without a time")
    func nanoseconds() throws {
        let segment = try written { _, spans in
            for nanoseconds: UInt64 in [0, 1, 250_000, .max] { spans.record(nanoseconds: nanoseconds) }
        }
        let records = segment.records()
        #expect(records.map(\.value) == [0, 1, 250_000, .max])
        #expect(records.allSatisfy { $0.encoding == RINGSIDE_ENCODING_NANOSECONDS && $0.time == 0 })
        #expect(records.allSatisfy { !$0.has(Int(RINGSIDE_FLAG_HAS_TIME)) })
    }

    @Test("values keep every bit, with a time and without")
    func values() throws {
        let telemetry = try directory.attach()
        let histogram = try telemetry.histogram("value", help: "")
        let numbers = [0, -0.0, 1.5, -2.25, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        for number in numbers {
            histogram.record(number)
            histogram.record(number, at: Instant(ticks: 77))
        }
        let records = try directory.segment().records()
        #expect(records.map(\.value) == numbers.flatMap { [$0.bitPattern, $0.bitPattern] })
        for (index, record) in records.enumerated() {
            #expect(
                record.has(Int(RINGSIDE_FLAG_HAS_TIME)) == (index % 2 == 1) && record.time == (index % 2 == 1 ? 77 : 0))
            #expect(record.encoding == RINGSIDE_ENCODING_NUMBER)
        }
    }

    @Test("a token that lives across an await is recorded by the task that ends it")
    func asynchronous() async throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let span = spans.start()
        await Task.yield()
        span.end()
        #expect(try directory.segment().position == 1)
    }
}
