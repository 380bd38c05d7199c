import CRingside
import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

/// Tests `traceparent` by W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header).
@Suite struct TraceContextTests {
    private static let good = "12345678901234567890123456789012-1234567890123456-01"

    /// The texts of the recommendation's own test suite, by the tested rule, with the expected error; nil for an
    /// accepted text.
    private static let vectors: [(text: String, error: TraceparentError?)] = [
        ("00-\(good)", nil), ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", nil),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", nil),
        ("00-\(good).", .length), ("00-\(good)-what-the-future-will-be-like", .length), ("00-\(good)-", .length),
        ("cc-\(good)", nil), ("cc-\(good)-what-the-future-will-be-like", nil), ("01-\(good)-", nil),
        ("cc-\(good).what-the-future-will-be-like", .length), ("cc-\(good)0", .length),
        ("ff-\(good)", .version), ("ff-\(good)-what-the-future-will-be-like", .version),
        (".0-\(good)", .form), ("0.-\(good)", .form), ("0G-\(good)", .form), ("CC-\(good)", .form),
        ("000-\(good)", .length), ("0000-\(good)", .length), ("cc0-\(good)", .length), ("01\(good)-00", .length),
        ("0-\(good)", .length),
        ("00-00000000000000000000000000000000-1234567890123456-01", .zeroTraceID),
        ("cc-00000000000000000000000000000000-1234567890123456-01", .zeroTraceID),
        ("00-.2345678901234567890123456789012-1234567890123456-01", .form),
        ("00-1234567890123456789012345678901.-1234567890123456-01", .form),
        ("00-ABCDEF78901234567890123456789012-1234567890123456-01", .form),
        ("00-123456789012345678901234567890123-1234567890123456-01", .length),
        ("cc-123456789012345678901234567890123-1234567890123456-01", .length),
        ("00-1234567890123456789012345678901-1234567890123456-01", .length),
        ("00-12345678901234567890123456789012-0000000000000000-01", .zeroParentID),
        ("00-12345678901234567890123456789012-.234567890123456-01", .form),
        ("00-12345678901234567890123456789012-123456789012345.-01", .form),
        ("00-12345678901234567890123456789012-ABCDEF7890123456-01", .form),
        ("00-12345678901234567890123456789012-12345678901234567-01", .length),
        ("00-12345678901234567890123456789012-123456789012345-01", .length),
        ("00-12345678901234567890123456789012-1234567890123456-.0", .form),
        ("00-12345678901234567890123456789012-1234567890123456-0.", .form),
        ("00-12345678901234567890123456789012-1234567890123456-0A", .form),
        ("00-12345678901234567890123456789012-1234567890123456-001", .length),
        ("00-12345678901234567890123456789012-1234567890123456-1", .length),
        ("00_12345678901234567890123456789012-1234567890123456-01", .form),
        ("00-12345678901234567890123456789012_1234567890123456-01", .form),
        ("00-12345678901234567890123456789012-1234567890123456_01", .form),
        (" 00-\(good)", .form), ("", .length), ("00", .length),
        (String(repeating: "\0", count: 55), .form), (String(repeating: "é", count: 60), .form),
    ]

    @Test(
        "the recommendation's own examples are taken, and what it forbids is refused with the reason",
        arguments: vectors)
    func vector(text: String, error: TraceparentError?) throws {
        do throws(TraceparentError) {
            let context = try TraceContext(traceparent: text)
            #expect(error == nil, "\(text) is taken")
            #expect(context.isRemote && context.traceparent == "00" + text.dropFirst(2).prefix(53))
        } catch let found {
            #expect(found == error && found.description.contains("traceparent"), "\(text)")
        }
    }

    /// Checks the same rules in another form: by fields between dashes.
    private static func model(_ bytes: [UInt8]) -> (trace: [UInt8], parent: [UInt8], isSampled: Bool)? {
        let fields = bytes.prefix(55).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let digits = Array("0123456789abcdef".utf8)
        guard fields.map(\.count) == [2, 32, 16, 2], fields.joined().allSatisfy(digits.contains),
            !fields[0].elementsEqual("ff".utf8), fields[1].contains(where: { $0 != digits[0] }),
            fields[2].contains(where: { $0 != digits[0] })
        else { return nil }
        let isFirst = fields[0].elementsEqual("00".utf8)
        guard isFirst ? bytes.count == 55 : bytes.count == 55 || bytes[55] == UInt8(ascii: "-") else { return nil }
        return (Array(fields[1]), Array(fields[2]), digits.firstIndex(of: fields[3].last!)! & 1 == 1)
    }

    @Test(
        "whatever is changed in a traceparent, it is taken exactly where the recommendation takes it, and goes out as it came"
    )
    func property() throws {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("0123456789abcdefABCDEFg-._ \0".utf8)
        var taken = 0
        for round in 0..<40_000 {
            let versions = ["00", "00", "01", "fe", "ff"]
            let digits = Array("0123456789abcdef".utf8)
            func text(_ count: Int) -> String {
                String(decoding: (0..<count).map { _ in digits.randomElement(using: &random)! }, as: UTF8.self)
            }
            var bytes = Array("\(versions[round % 5])-\(text(32))-\(text(16))-\(text(2))".utf8)
            if round % 7 == 0 { for place in 3..<35 { bytes[place] = digits[0] } }
            if round % 11 == 0 { for place in 3..<19 { bytes[place] = digits[0] } }
            if round % 13 == 0 { for place in 19..<35 { bytes[place] = digits[0] } }
            if round % 17 == 0 { for place in 36..<52 { bytes[place] = digits[0] } }
            for _ in 0..<Int.random(in: 0...2, using: &random) where round % 3 == 0 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = alphabet.randomElement(using: &random)!
            }
            if round % 4 == 1 { bytes += Array("-\(text(Int.random(in: 0...9, using: &random)))".utf8) }
            if round % 19 == 2 { bytes.removeLast(Int.random(in: 1...20, using: &random)) }
            let expected = Self.model(bytes)
            let context = bytes.withUnsafeBytes { try? TraceContext(traceparent: $0) }
            #expect((context == nil) == (expected == nil), "\(String(decoding: bytes, as: UTF8.self))")
            guard let context, let expected else { continue }
            taken += 1
            let out =
                "00-\(String(decoding: expected.trace, as: UTF8.self))-\(String(decoding: expected.parent, as: UTF8.self))"
                + (expected.isSampled ? "-01" : "-00")
            #expect(context.traceparent == out && context.isSampled == expected.isSampled && context.isRemote)
            #expect(try TraceContext(traceparent: out) == context)
            #expect(context.traceID.high != 0 || context.traceID.low != 0)
            #expect(context.word == (context.traceID.low != 0 ? context.traceID.low : context.traceID.high))
        }
        #expect(taken > 10_000)
    }

    @Test("a buffer takes 55 bytes or none, and nothing is written where there is nothing to hand on")
    func buffers() throws {
        let context = try TraceContext(traceparent: "00-\(Self.good)")
        var bytes = [UInt8](repeating: 0xEE, count: 60)
        #expect(bytes.withUnsafeMutableBytes { context.write(traceparent: $0) } == 55)
        #expect(
            String(decoding: bytes.prefix(55), as: UTF8.self) == "00-\(Self.good)"
                && bytes[55...].allSatisfy { $0 == 0xEE })
        var short = [UInt8](repeating: 0xEE, count: 54)
        #expect(short.withUnsafeMutableBytes { context.write(traceparent: $0) } == 0 && short.allSatisfy { $0 == 0xEE })
        #expect(TraceContext.none.traceparent == nil && TraceContext.none.word == 0 && !TraceContext.none.isRemote)
        #expect(Telemetry.disabled().trace(42).traceparent == nil && Telemetry.disabled().trace(42) == .none)
        #expect(throws: TraceparentError.length) {
            try TraceContext(traceparent: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

/// Tests the records that a bot writes about its traces.
@Suite struct TraceRecordTests {
    private let directory = TemporaryRingDirectory()
    private static let came = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private struct Read {
        let index: UInt64
        let trace: RecordTrace?
        let record: DecodedRecord
    }

    private func read(_ ring: String = "alpha") throws -> [Read] {
        let segment = try directory.segment(ring)
        var context = RecordContext(segment)
        var all: [Read] = []
        segment.forEachRecord(from: 0, to: segment.position) { index, content in
            guard let record = try? content.get() else { return }
            all.append(Read(index: index, trace: context.explain(record).trace, record: record))
        }
        #expect(all.count == Int(segment.position))
        return all
    }

    private func prefix(_ ring: String = "alpha") throws -> UInt64 {
        try #require(try directory.segment(ring).lives().last).tracePrefix
    }

    @Test("spans in spans name their parents, the first of them the calling program's, and the context is written once")
    func nesting() throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let values = try telemetry.histogram("y", help: "Y.")
        let context = try TraceContext(traceparent: Self.came)
        var ids: [UInt64] = []
        spans.measure(in: context) { first in
            ids.append(first.parentID)
            spans.measure(in: first) { second in
                ids.append(second.parentID)
                values.record(5, in: second)
            }
            values.record(6, trace: context.word)
        }
        let now = telemetry.now()
        #expect(spans.record(from: now, to: Instant(ticks: now.ticks + 9), in: context) == 9)
        telemetry.close()

        let all = try read()
        #expect(
            all.map(\.record.kind) == [
                .traceContext, .sample, .spanLink, .sample, .sample, .spanLink, .sample, .spanLink, .sample,
            ])
        let samples = all.filter { $0.record.kind == .sample }
        #expect(
            samples.allSatisfy { $0.trace?.high == 0x4bf9_2f35_77b3_4da6 && $0.trace?.low == 0xa3ce_929d_0e0e_4736 })
        #expect(samples.allSatisfy { $0.trace?.isSampled == true && $0.trace?.loss == [] && !$0.record.isAbandoned })
        let places = samples.compactMap(\.trace)
        // value, inner span, value, outer span, span by hand
        #expect(places.map(\.spanID).prefix(4) == [0, ids[1], 0, ids[0]] && places[4].spanID != 0)
        #expect(places[1].parentID == ids[0] && !places[1].isParentRemote)
        #expect(places[3].parentID == 0x00f0_67aa_0ba9_02b7 && places[3].isParentRemote)
        #expect(places[4].parentID == 0x00f0_67aa_0ba9_02b7 && Set(places.map(\.spanID)).count == 4)
        #expect(try directory.segment().cell(of: "x_seconds") == (3, 0))
    }

    @Test("a trace of the bot's own has the life's prefix and the bot's number, in every lane, and needs no context")
    func ownTraces() throws {
        let main = try directory.attach()
        let lane = try directory.attach("alpha.orders")
        let other = try directory.attach("beta")
        let near = try directory.attach("alphabet")
        let spans = try main.durationHistogram("x_seconds", help: "X.")
        let orders = try lane.durationHistogram("y_seconds", help: "Y.")
        let context = main.trace(42)
        #expect(context.traceID.low == 42 && context.parentID == 0 && !context.isRemote && context.isSampled)
        #expect(lane.trace(42) == context && other.trace(42) != context && near.trace(42) != context)
        #expect(main.trace(0) == .none && context.traceparent == nil)
        let isNoted = main.note(context)
        #expect(!isNoted)
        var out: String?
        spans.measure(in: context) { inner in
            out = inner.traceparent
            orders.measure(in: inner) { _ in }
        }
        orders.start(trace: 42).end()
        for telemetry in [main.path, lane.path, other.path] { #expect(telemetry != nil) }
        let prefix = try prefix()
        #expect(prefix != 0 && prefix == context.traceID.high)
        #expect(try self.prefix("alpha.orders") == prefix && self.prefix("beta") != prefix)
        let (first, second) = (try read(), try read("alpha.orders"))
        #expect(first.map(\.record.kind) == [.spanLink, .sample])
        #expect(second.map(\.record.kind) == [.spanLink, .sample, .sample])
        let root = try #require(first.last?.trace)
        #expect((root.high, root.low, root.parentID) == (prefix, 42, 0) && root.spanID != 0 && !root.isParentRemote)
        #expect(second[1].trace?.parentID == root.spanID && second[1].trace?.isParentRemote == false)
        #expect(second[2].trace?.high == prefix && second[2].trace?.low == 42 && second[2].trace?.parentID == 0)
        let handed = try TraceContext(traceparent: try #require(out))
        #expect(handed.traceID == context.traceID && handed.parentID == root.spanID && handed.isRemote)
    }

    @Test("each life has a prefix of its own, unless another lane of the bot goes on")
    func prefixes() throws {
        var seen: Set<UInt64> = []
        for _ in 0..<5 {
            let telemetry = try directory.attach()
            seen.insert(telemetry.trace(1).traceID.high)
            telemetry.close()
        }
        #expect(seen.count == 5 && !seen.contains(0))
        #expect(try directory.segment().lives().map(\.tracePrefix).count == 5)
        #expect(Set(try directory.segment().lives().map(\.tracePrefix)) == seen)
        let lane = try directory.attach("alpha.md")
        let first = try directory.attach()
        let prefix = first.trace(1).traceID.high
        first.close()
        let second = try directory.attach()
        #expect(second.trace(1).traceID.high == prefix && lane.trace(1).traceID.high == prefix)
    }

    @Test("a context is written again when half a ring was written since, and one of many contexts is known by its own")
    func renewal() throws {
        let telemetry = try directory.attach(records: 1024)
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let values = try telemetry.histogram("y", help: "Y.")
        var random = SeededGenerator(seed: 3)
        func context(_ low: UInt64) throws -> TraceContext {
            let digits = String(low, radix: 16)
            return try TraceContext(
                traceparent:
                    "00-\(String(random.next() | 1 << 63, radix: 16))\(String(repeating: "0", count: 16 - digits.count))\(digits)-00000000000000ab-01"
            )
        }
        // Two contexts have the same low half, two have none, and there are many others. Whichever is written, the last
        // is the true one.
        let contexts = try [7, 7, 0, 0].map(context) + (1...40).map { try context($0 &* 16) }
        for _ in 0..<3000 {
            let chosen = contexts.randomElement(using: &random)!
            spans.measure(in: chosen) { inner in
                if inner.parentID % 3 == 0 { values.record(1, in: inner) }
            }
            let before = try directory.segment().position
            if before > 1024 {
                let segment = try directory.segment()
                var context = RecordContext(segment)
                var last: RecordTrace?
                segment.forEachRecord(from: segment.oldestHeld(head: before), to: before) { _, content in
                    if let record = try? content.get() { last = context.explain(record).trace }
                }
                #expect(last?.high == chosen.traceID.high && last?.low == chosen.traceID.low && last?.loss == [])
                #expect(last?.isParentRemote == true && last?.parentID == 0xab)
            }
            if before > 1400 { break }
        }
        let one = contexts[4]
        let start = try directory.segment().position
        for _ in 0..<1000 { spans.measure(in: one) { _ in } }
        let segment = try directory.segment()
        var written = 0
        segment.forEachRecord(from: segment.oldestHeld(head: segment.position), to: segment.position) { _, content in
            if (try? content.get())?.kind == .traceContext { written += 1 }
        }
        // 2000 records of spans, of which the ring holds 1023: a context every 512.
        #expect(written == 2 || written == 1, "\(written)")
        #expect(segment.position - start >= 2003 && segment.position - start <= 2005)
    }

    @Test("the flag of a trace that nobody records goes along, in the ring and to the next program")
    func unsampled() throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let context = try TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe")
        #expect(!context.isSampled)
        let out = spans.measure(in: context) { $0.traceparent }
        #expect(out?.hasSuffix("-00") == true)
        var own = telemetry.trace(5)
        own.isSampled = false
        #expect(spans.measure(in: own) { $0.traceparent }?.hasSuffix("-00") == true)
        spans.record(since: telemetry.now(), trace: context.word)
        #expect(try read().filter { $0.record.kind == .sample }.allSatisfy { $0.trace?.isSampled == false })
    }

    @Test("a span that is left out hands on its own parent, and what is recorded without a trace is what it always was")
    func leftOut() throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let inner = try telemetry.durationHistogram("y_seconds", help: "Y.")
        directory.file().setControlWord(disabledWord, ofMetric: 0)
        let context = try TraceContext(traceparent: Self.came)
        spans.measure(in: context) { passed in
            #expect(passed == context && passed.traceparent == context.traceparent)
            inner.measure(in: passed) { _ in }
        }
        #expect(spans.measure(in: telemetry.trace(9)) { $0.traceparent } == nil)
        directory.file().setControlWord(sampledWord(65535), ofMetric: 0)
        for _ in 0..<50 {
            #expect(spans.measure(in: context) { $0 } == context)
            // The next program's part keeps the trace, even if only by an id that no record has.
            let out = try #require(spans.measure(in: telemetry.trace(9)) { $0.traceparent })
            #expect(try TraceContext(traceparent: out).traceID == telemetry.trace(9).traceID)
        }
        let before = try directory.segment().position
        inner.start(in: .none).end()
        inner.record(since: telemetry.now(), in: .none)
        let all = try read()
        #expect(
            all.count == Int(before) + 2 && all.suffix(2).allSatisfy { $0.record.kind == .sample && $0.trace == nil })
        #expect(all.suffix(2).allSatisfy { $0.record.flags == 0x91 })
        telemetry.close()
        #expect(spans.measure(in: context) { $0.traceparent } == context.traceparent)
        let isNoted = telemetry.note(context)
        #expect(!isNoted)
        let disabled = Telemetry.disabled()
        let nothing = try disabled.durationHistogram("x_seconds", help: "X.")
        #expect(nothing.measure(in: context) { $0.traceparent } == context.traceparent)
        do { _ = nothing.start(in: context) }
    }

    @Test("a span that is dropped counts as abandoned, one that throws as failed, and a cancelled one not at all")
    func ends() async throws {
        struct Refused: Error {}
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("x_seconds", help: "X.")
        let context = telemetry.trace(5)
        do { _ = spans.start(in: context) }
        spans.start(in: context).cancel()
        #expect(throws: Refused.self) { try spans.measure(in: context) { _ throws(Refused) in throw Refused() } }
        await #expect(throws: Refused.self) {
            try await spans.measure(in: context) { _ in
                await Task.yield()
                throw Refused()
            }
        }
        let id = await spans.measure(in: context) { inner in
            await Task.yield()
            return inner.parentID
        }
        let samples = try read().filter { $0.record.kind == .sample }
        #expect(samples.map(\.record.isFailed) == [true, true, false] && samples.last?.trace?.spanID == id)
        #expect(try directory.segment().cell(of: "x_seconds") == (3, 1))
    }

    @Test("a context is noted for records that carry its word alone, once there is a histogram")
    func notes() throws {
        let telemetry = try directory.attach()
        let context = try TraceContext(traceparent: "00-4bf92f3577b34da60000000000000000-00f067aa0ba902b7-01")
        let counter = try telemetry.counter("x_total", help: "X.")
        counter.increment()
        let isEarly = telemetry.note(context)
        #expect(!isEarly)
        let values = try telemetry.histogram("y", help: "Y.")
        for _ in 0..<5 {
            let isNoted = telemetry.note(context)
            #expect(isNoted)
        }
        values.record(1, trace: context.word)
        let all = try read()
        #expect(all.map(\.record.kind) == [.traceContext, .sample])
        #expect(all[1].trace?.high == 0x4bf9_2f35_77b3_4da6 && all[1].trace?.low == 0)
        #expect(all[1].trace?.parentID == 0x00f0_67aa_0ba9_02b7)
    }
}
