import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// The effect of an operator's settings on a collector's figures.
@Suite struct ControlWindowTests {
    private let directory = TemporaryRingDirectory()
    private let disabled: UInt32 = 1
    private let full: UInt32 = 0x10001

    private func attach(_ ring: String = "alpha") throws -> Telemetry {
        try Telemetry.attach(ring, options: AttachOptions(directory: directory.path, capacityRecords: 1 << 16))
    }

    private func isComplete(_ snapshot: Snapshot, _ metric: String) throws -> [Bool] {
        try #require(snapshot.histogram(metric)).windows.map(\.isComplete)
    }

    @Test("a disabled metric's windows are incomplete until it has been on for their length, and no other metric's")
    func disabledMetric() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        let a = try telemetry.histogram("a", help: "")
        let b = try telemetry.histogram("b", help: "")
        func emit() {
            a.record(1)
            b.record(1)
        }
        emit()
        var snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [true, true, true])
        let file = RingFile(directory.ring("alpha"))
        file.setControlWord(disabled, ofMetric: 0)
        emit()
        snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [false, false, false])
        #expect(try isComplete(snapshot, "b") == [true, true, true])
        #expect(snapshot.bot()?.windows.map(\.isComplete) == [false, false, false])
        #expect(snapshot.bot()?.windows.allSatisfy { $0.lost == 0 } == true)
        #expect(snapshot.histogram("a")?.calls == 1 && snapshot.histogram("b")?.calls == 2)
        // It is still off, however long ago that began.
        for _ in 0..<30 { collector.leap() }
        #expect(try isComplete(collector.settle(), "a") == [false, false, false])
        file.setControlWord(full, ofMetric: 0)
        for _ in 0..<10 { collector.leap() }
        emit()
        snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [true, false, false])
        for _ in 0..<20 { collector.leap() }
        #expect(try isComplete(collector.settle(), "a") == [true, true, false])
        for _ in 0..<220 { collector.leap() }
        snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [true, true, true])
        #expect(snapshot.bot()?.windows.allSatisfy(\.isComplete) == true)
        telemetry.close()
    }

    @Test("sampling makes no window incomplete, and its weights stand for the calls that were left out")
    func sampled() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        let a = try telemetry.histogram("a", help: "")
        a.record(1, at: telemetry.now())
        _ = try collector.settle()
        RingFile(directory.ring("alpha")).setControlWord(0x1000a, ofMetric: 0)
        let calls = 50_000
        // The records have times, because a leap is longer than the usual time between two reads.
        for _ in 0..<calls { a.record(1, at: telemetry.now()) }
        collector.leap()
        RingFile(directory.ring("alpha")).setControlWord(0x10014, ofMetric: 0)
        let snapshot = try collector.settle()
        let histogram = try #require(snapshot.histogram("a"))
        #expect(histogram.calls == UInt64(calls + 1))
        // The limit is eight standard deviations of a coin toss for each call.
        #expect(abs(Double(histogram.total.count) - Double(calls)) < 8 * (Double(calls) * 9).squareRoot())
        #expect(try #require(snapshot.ring()).drained < UInt64(calls) / 5)
        #expect(histogram.windows.map(\.isComplete) == [true, true, true])
        #expect(snapshot.bot()?.windows.allSatisfy(\.isComplete) == true)
        telemetry.close()
    }

    @Test("a metric that is disabled and enabled between two looks leaves its windows incomplete all the same")
    func unseen() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        let a = try telemetry.histogram("a", help: "")
        a.record(1)
        _ = try collector.settle()
        let file = RingFile(directory.ring("alpha"))
        file.setControlWord(disabled, ofMetric: 0)
        a.record(1)
        file.setControlWord(full, ofMetric: 0)
        let snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [false, false, false])
        telemetry.close()
    }

    @Test("a collector that comes to a disabled ring says so, and a dead bot's disabled ring is not reported")
    func alreadyOff() throws {
        let telemetry = try attach()
        let a = try telemetry.histogram("a", help: "")
        a.record(1)
        RingFile(directory.ring("alpha")).setControlWord(disabled, ofMetric: 0)
        let collector = try CollectorHarness(directory)
        let snapshot = try collector.settle()
        #expect(try isComplete(snapshot, "a") == [false, false, false])
        telemetry.close()
        for _ in 0..<220 { collector.leap() }
        #expect(try collector.settle().bot()?.windows.allSatisfy(\.isComplete) == true)
    }

    @Test("the longest time between two reads of a ring is kept, and a quick read after it does not shorten it")
    func readGap() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        _ = try collector.settle()
        for _ in 0..<10 { collector.work() }
        usleep(400_000)
        for _ in 0..<10 { collector.work() }
        #expect(try #require(collector.look().ring()?.longestReadGap) >= 0.4)
        telemetry.close()
    }

    @Test("the cost of telemetry is the calls times what they cost at attach, and silence costs nothing")
    func overhead() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        let spans = try telemetry.durationHistogram("a_seconds", help: "")
        let values = try telemetry.histogram("b", help: "")
        let level = try telemetry.gauge("level", help: "", recording: .everyChange)
        let calls = try telemetry.counter("calls_total", help: "")
        let bytes = try telemetry.counter("sent_bytes_total", unit: .bytes, help: "")
        let open = try telemetry.upDownCounter("open", help: "")
        var snapshot = try collector.settle()
        let costs = try #require(
            Segment(name: RingName("alpha")!, path: directory.ring("alpha")).lives().last?.callCostPicoseconds)
        let before = collector.now
        for _ in 0..<20_000 {
            spans.measure {}
            values.record(1)
            level.set(2)
            calls.increment()
            bytes.increment(by: 1500)
            open.add(1)
        }
        for _ in 0..<3 { collector.leap() }
        snapshot = try collector.look()
        let seconds = Double(collector.now - before) * 1e-9
        let ratio = try #require(snapshot.ring()?.recordOverheadRatio)
        let expected = 20_000 * (Double(costs[4]) + 2 * Double(costs[3])) * 1e-12
        // All of it is within a second, which was measured with an error of a tenth.
        #expect(ratio > expected / (seconds + 1) * 0.9 && ratio < expected * 1.1)
        // Only counters count whose total is the largest possible number of their calls.
        let ofCounters = try #require(snapshot.ring()?.counterOverheadRatio)
        let expectedOfCounters = 20_000 * Double(costs[0]) * 1e-12
        #expect(
            ofCounters > expectedOfCounters / (seconds + 1) * 0.9 && ofCounters < expectedOfCounters * 1.1,
            "\(ofCounters) \(expectedOfCounters)")
        for _ in 0..<12 { collector.leap() }
        #expect(try collector.look().ring()?.recordOverheadRatio == 0)
        #expect(try collector.look().ring()?.counterOverheadRatio == 0)
        telemetry.close()
        for _ in 0..<3 { collector.leap() }
        #expect(try #require(collector.settle().ring()).recordOverheadRatio == nil)
    }
}
