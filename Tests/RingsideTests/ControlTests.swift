import CRingside
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct ControlTests {
    private let directory = TemporaryRingDirectory()

    @Test("a disabled metric freezes its cells and records at the next call, and comes back whole")
    func disabled() throws {
        let telemetry = try directory.attach()
        let counter = try telemetry.counter("hits_total", help: "")
        let upDown = try telemetry.upDownCounter("open", help: "")
        let gauge = try telemetry.gauge("level", help: "")
        let values = try telemetry.histogram("value", help: "")
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let segment = try directory.segment()
        func emit(_ value: Double) {
            counter.increment()
            upDown.add(1)
            gauge.set(value)
            values.record(value)
            spans.measure {}
            _ = spans.start()
        }
        func state() -> [UInt64] {
            [segment.position]
                + (0..<segment.metricCount).flatMap { [segment.cell($0).first, segment.cell($0).second] }
        }
        emit(1)
        let enabled = state()
        for id: UInt32 in 0..<5 { directory.file().setControlWord(disabledWord, ofMetric: id) }
        for _ in 0..<100 { emit(2) }
        #expect(state() == enabled && segment.controlChanges == 5)
        #expect((0..<5).allSatisfy { !segment.controlWord($0).isEnabled })
        for id: UInt32 in 0..<5 { directory.file().setControlWord(fullWord, ofMetric: id) }
        emit(3)
        let three = Double(3).bitPattern
        #expect(state() == [4, 2, 0, 2, 2, three, three, 2, 0, 2, 2])
    }

    @Test("one metric's word touches no other metric")
    func separate() throws {
        let telemetry = try directory.attach()
        let a = try telemetry.counter("a_total", help: "")
        let b = try telemetry.counter("b_total", help: "")
        directory.file().setControlWord(disabledWord, ofMetric: 0)
        a.increment()
        b.increment()
        let segment = try directory.segment()
        #expect(segment.cell(0).first == 0 && segment.cell(1).first == 1)
    }

    @Test("a metric registered later begins with the default word, and a registered one keeps its own over a new life")
    func defaults() throws {
        let first = try directory.attach()
        let a = try first.counter("a_total", help: "")
        directory.file().setControlWord(sampledWord(7), ofMetric: 0)
        directory.file().write(disabledWord, at: directory.file().header().control.offset)
        let b = try first.counter("b_total", help: "")
        a.increment()
        b.increment()
        let segment = try directory.segment()
        #expect(segment.cell(0).first == 1 && segment.cell(1).first == 0)
        #expect(
            segment.controlWord(1) == ControlWord(disabledWord)
                && segment.defaultControlWord == ControlWord(disabledWord))
        first.close()
        let second = try directory.attach()
        _ = try second.counter("a_total", help: "")
        #expect(segment.controlWord(0) == ControlWord(sampledWord(7)))
        second.close()
    }

    /// A sound draw falls outside of eight standard deviations with a chance below 1e-14.
    @Test("weights of 1-in-N add up to the calls, within eight standard deviations", arguments: [2, 3, 10, 100, 1000])
    func weights(n: Int) throws {
        let telemetry = try directory.attach(records: 1 << 18)
        let values = try telemetry.histogram("value", help: "")
        directory.file().setControlWord(sampledWord(UInt32(n)), ofMetric: 0)
        let calls = 200_000
        for value in 0..<calls { values.record(Double(value)) }
        let segment = try directory.segment()
        let records = segment.records()
        #expect(records.allSatisfy { $0.weight == n })
        #expect(segment.cell(0).first == UInt64(calls))
        #expect(Int(segment.sampledOut) == calls - records.count)
        let deviation = (Double(calls) * Double(n - 1)).squareRoot()
        #expect(abs(Double(records.count * n - calls)) < 8 * deviation)
    }

    /// The work has period N and is sampled 1 in N. Every N-th call would always meet the same phase.
    @Test(
        "sampling does not alias with periodic work, and a written call says nothing of the next",
        arguments: [2, 5, 16])
    func periodic(n: Int) throws {
        let telemetry = try directory.attach(records: 1 << 18)
        let values = try telemetry.histogram("value", help: "")
        directory.file().setControlWord(sampledWord(UInt32(n)), ofMetric: 0)
        let calls = 60_000 * n
        for call in 0..<calls { values.record(Double(call)) }
        let written = try directory.segment().records().map { Int($0.number) }
        var phases = Array(repeating: 0, count: n)
        for call in written { phases[call % n] += 1 }
        let expected = Double(calls / n) / Double(n)
        for phase in phases { #expect(abs(Double(phase) - expected) < 8 * expected.squareRoot()) }
        let pairs = zip(written, written.dropFirst()).count { $1 == $0 + 1 }
        let expectedPairs = Double(written.count) / Double(n)
        #expect(abs(Double(pairs) - expectedPairs) < 8 * expectedPairs.squareRoot())
    }

    @Test("sampling is decided at a span's begin, with the weight at that time")
    func decidedAtBegin() throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let full = spans.start()
        directory.file().setControlWord(sampledWord(65535), ofMetric: 0)
        full.end()
        let sampled = (0..<2000).map { _ in spans.measureTicks {}.ticks }
        directory.file().setControlWord(fullWord, ofMetric: 0)
        spans.measure {}
        let records = try directory.segment().records()
        #expect(records.first?.weight == 1 && records.last?.weight == 1)
        #expect(records.count == 2 + sampled.count { $0 > 0 })
    }

    @Test("with sampling off again, every call is a record")
    func backToFull() throws {
        let telemetry = try directory.attach(records: 1 << 14)
        let values = try telemetry.histogram("value", help: "")
        let segment = try directory.segment()
        directory.file().setControlWord(sampledWord(100), ofMetric: 0)
        for _ in 0..<1000 { values.record(0) }
        let position = segment.position
        directory.file().setControlWord(fullWord, ofMetric: 0)
        for value in 0..<1000 { values.record(Double(value)) }
        #expect(segment.position == position + 1000)
        #expect(segment.records(from: .position(position)).map(\.number) == (0..<1000).map(Double.init))
    }

    @Test(
        "words that no tool writes are obeyed as far as they make sense",
        arguments: [0, 0x10000, 0xffff_0001, 0xffff_ffff])
    func oddWords(word: UInt32) throws {
        let telemetry = try directory.attach(records: 4096)
        let values = try telemetry.histogram("value", help: "")
        directory.file().setControlWord(word, ofMetric: 0)
        for _ in 0..<1000 { values.record(1) }
        let segment = try directory.segment()
        #expect(segment.cell(0).first == (word & 0x10000 == 0 ? 0 : 1000))
        #expect(segment.records().allSatisfy { $0.weight == Int(max(1, word & 0xffff)) })
    }
}
