import CRingside
import RingReader
import Ringside
import TestSupport
import Testing

/// The forms of instrumenting beyond a closure and a token.
@Suite struct FormTests {
    private let directory = TemporaryRingDirectory()

    private struct Refused: Error, Equatable {}

    @Test("an asynchronous body is recorded, suspensions included, and failed when it throws")
    func asynchronous() async throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let start = telemetry.now()
        let result = await spans.measure(trace: 9) { () async -> Int in
            await Task.yield()
            spans.record(nanoseconds: 1)  // interleaved, not overlapped
            return 42
        }
        let end = telemetry.now()
        await #expect(throws: Refused.self) {
            try await spans.measure { () async throws -> Int in
                await Task.yield()
                throw Refused()
            }
        }
        let records = try directory.segment().records()
        #expect(result == 42 && records.map(\.trace_id) == [0, 9, 0])
        #expect(records[1].value <= end.ticks - start.ticks)
        #expect(records.map { $0.has(Int(RINGSIDE_FLAG_FAILED)) } == [false, false, true])
    }

    @Test("a wrapped function does the same as before, and each call is recorded")
    func wrapped() async throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        let add = spans.measured { (a: Int, b: Int) -> Int in a + b }
        let refuse = spans.measured { (isRefused: Bool) throws -> Int in
            if isRefused { throw Refused() }
            return 7
        }
        #expect(add(2, 3) == 5)
        #expect(try refuse(false) == 7)
        #expect(throws: Refused()) { try refuse(true) }
        let records = try directory.segment().records()
        #expect(records.map { $0.has(Int(RINGSIDE_FLAG_FAILED)) } == [false, false, true])
    }

    @Test("every form of measuring carries its trace")
    func traces() throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        spans.measure(trace: 1) {}
        spans.start(trace: 2).end()
        spans.start(trace: 3).fail()
        spans.record(since: telemetry.now(), trace: 4)
        spans.record(from: telemetry.now(), to: telemetry.now(), trace: 5)
        spans.record(nanoseconds: 1, trace: .max)
        #expect(try directory.segment().records().map(\.trace_id) == [1, 2, 3, 4, 5, .max])
    }

    @Test("a fractional counter adds positive amounts, and goes on over a life")
    func fractional() throws {
        for life in 1...2 {
            let telemetry = try directory.attach()
            let fees = try telemetry.fractionalCounter("fees_usd_total", unit: .usd, help: "")
            for amount in [0.25, -1, .nan, 0.5, 0, -.infinity] { fees.increment(by: amount) }
            #expect(try Double(bitPattern: directory.segment().cell(of: "fees_usd_total").first) == 0.75 * Double(life))
            telemetry.close()
        }
    }

    @Test("a gauge that records every change has each in a record with its time, and its cell like any")
    func everyChange() throws {
        let telemetry = try directory.attach()
        let gauge = try telemetry.gauge("level", help: "", recording: .everyChange)
        let before = telemetry.now().ticks
        for value in [1, 5, .nan, -2] { gauge.set(value) }
        let after = telemetry.now().ticks
        let segment = try directory.segment()
        let records = segment.records()
        #expect(records.map(\.number) == [1, 5, -2])
        #expect(records.allSatisfy { (before...after).contains($0.time) && $0.weight == 1 })
        #expect(
            records.allSatisfy { Int($0.flags) & Int(RINGSIDE_FLAG_KIND_MASK) == Int(RINGSIDE_RECORD_GAUGE.rawValue) })
        #expect(try segment.cell(of: "level") == (Double(-2).bitPattern, Double(5).bitPattern))
    }

    @Test("a family registers a value once, and beyond its limit shares one series, counting")
    func family() throws {
        let telemetry = try directory.attach()
        let fills = try telemetry.counterFamily("fills_total", help: "Fills.", label: "symbol", limit: 2)
        for symbol in ["A", "B", "A", "C", "D", "", "A"] { fills[symbol].increment() }
        let segment = try directory.segment()
        let totals = (0..<segment.metricCount).map {
            ($0, segment.metric($0)?.labels.first?.value, segment.cell($0).first)
        }
        #expect(totals.map(\.1) == ["other", "A", "B"] && totals.map(\.2) == [3, 3, 1])
        #expect(fills.overflowed == 3)
    }

    /// The programs beside the tests have the tests' configuration. The programs that users run are release builds,
    /// which have no trap.
    @Test("in a debug build two threads that emit through one ring are trapped, with the ring's name; in a release not")
    func overlap() throws {
        for program in Set(["\(ChildProcess.folderOfTests)/RingProbe", ChildProcess.builtProgram("RingProbe")]) {
            let child = try ChildProcess([program, "overlap", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
            let exit = try child.wait()
            let isDebug = child.lines.first == "build unoptimised"
            #expect((exit == .code(0)) != isDebug, "\(program): \(exit) \(child.standardError)")
            #expect(child.standardError.contains(directory.ring("alpha")) == isDebug)
            #if DEBUG
                if program.hasPrefix(ChildProcess.folderOfTests) { #expect(isDebug, "\(child.standardOutput)") }
            #endif
        }
    }

    @Test("whole numbers of any type are taken, and a counter never falls")
    func wholeNumbers() throws {
        let telemetry = try directory.attach()
        let total = try telemetry.counter("hits_total", help: "")
        let level = try telemetry.gauge("level", help: "")
        let open = try telemetry.upDownCounter("orders_open", help: "")
        let sizes = try telemetry.histogram("sizes", help: "")
        let (five, minus, byte) = (5, -3, UInt8(7))
        total.increment(by: five)
        total.increment(by: minus)
        total.increment(by: byte)
        level.set(five)
        open.add(minus)
        open.add(byte)
        sizes.record(five)
        let segment = try directory.segment()
        #expect(try segment.cell(of: "hits_total").first == 12)
        #expect(try Double(bitPattern: segment.cell(of: "level").first) == 5)
        #expect(try Int64(bitPattern: segment.cell(of: "orders_open").first) == 4)
        #expect(segment.records().map { Double(bitPattern: $0.value) } == [5])
    }

    @Test(
        "a Duration is recorded to the nanosecond, and none traps",
        arguments: [
            (Duration.microseconds(3), UInt64(3000)), (.seconds(2) + .nanoseconds(7), 2_000_000_007),
            (.nanoseconds(-1), 0), (.seconds(-5), 0), (.zero, 0),
            (Duration(secondsComponent: .max, attosecondsComponent: 0), .max),
            (Duration(secondsComponent: 18_446_744_073, attosecondsComponent: 709_551_616_000_000_000), .max),
        ])
    func durations(duration: Duration, nanoseconds: UInt64) throws {
        let telemetry = try directory.attach()
        let spans = try telemetry.durationHistogram("wait_seconds", help: "")
        spans.record(duration)
        spans.record(nanoseconds: nanoseconds)
        let values = try directory.segment().records().map(\.value)
        #expect(values.count == 2 && values.first == values.last)
    }

    @Test("disabled instruments take every call")
    func disabledInstruments() {
        let telemetry = Telemetry.disabled()
        let total = (try? telemetry.counter("not a name", help: "")) ?? .disabled
        total.increment(by: 3)
        FractionalCounter.disabled.increment(by: 0.5)
        UpDownCounter.disabled.add(-1)
        Gauge.disabled.set(1)
        Histogram.disabled.record(1)
        #expect(DurationHistogram.disabled.measure { 7 } == 7)
    }

    /// A bot as a class.
    private final class Bot {
        let telemetry: Telemetry
        let total: Counter

        init(_ directory: TemporaryRingDirectory) throws {
            telemetry = try directory.attach()
            total = try telemetry.counter("hits_total", help: "")
        }

        func stop() { telemetry.close() }
    }

    @Test("a class closes its handle, a second time too, and its instruments do nothing afterwards")
    func closedInClass() throws {
        let bot = try Bot(directory)
        bot.total.increment()
        bot.stop()
        bot.total.increment()
        bot.stop()
        let segment = try directory.segment()
        #expect(try segment.isClosed && segment.cell(of: "hits_total").first == 1)
        let isAttached = bot.telemetry.isAttached
        #expect(!isAttached)
        try directory.attach().close()
    }
}
