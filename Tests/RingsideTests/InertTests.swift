import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct InertTests {
    private let directory = TemporaryRingDirectory()

    private struct Instruments {
        let counter: Counter
        let upDown: UpDownCounter
        let gauge: Gauge
        let values: Histogram
        let spans: DurationHistogram

        init(_ telemetry: borrowing Telemetry) throws {
            counter = try telemetry.counter("hits_total", help: "")
            upDown = try telemetry.upDownCounter("open", help: "")
            gauge = try telemetry.gauge("level", help: "")
            values = try telemetry.histogram("value", help: "")
            spans = try telemetry.durationHistogram("wait_seconds", help: "")
        }

        func emit() {
            counter.increment()
            upDown.add(1)
            gauge.set(1)
            values.record(1)
            values.record(1, at: Instant(ticks: 1))
            spans.record(nanoseconds: 1)
            spans.measure {}
            spans.start().end()
            _ = spans.start()
        }
    }

    @Test("instruments that outlive their ring do nothing, also when another producer has the ring now")
    func afterDetach() throws {
        let first = try directory.attach()
        let instruments = try Instruments(first)
        instruments.emit()
        let span = instruments.spans.start()
        let dropped = instruments.spans.start()
        var watch = first.stopwatch()
        first.close()
        let before = directory.file().bytes()
        instruments.emit()
        span.end()
        _ = consume dropped
        watch.lap(into: instruments.spans)
        #expect(directory.file().bytes() == before)

        let second = try directory.attach()
        let position = try directory.segment().position
        for _ in 0..<100 { instruments.emit() }
        #expect(try directory.segment().position == position)
        second.close()
    }

    @Test("a disabled handle takes every call, and its clock ticks")
    func disabled() throws {
        let telemetry = Telemetry.disabled()
        let instruments = try Instruments(telemetry)
        instruments.emit()
        var watch = telemetry.stopwatch()
        watch.restart()
        let start = telemetry.now()
        usleep(1000)
        let end = telemetry.now()
        let seconds = Double(end.ticks - start.ticks) / TickClock.ticksPerSecond
        #expect(seconds >= 0.0009)
        #expect(instruments.spans.measureTicks {}.ticks == 0)
    }

    @Test("ticks are nanoseconds when divided by their frequency")
    func tickClock() {
        let telemetry = Telemetry.disabled()
        _ = TickClock.ticksPerSecond
        let (ticks, start) = (telemetry.now().ticks, monotonicNanoseconds())
        usleep(200_000)
        let elapsed = Double(monotonicNanoseconds() - start)
        let measured = Double(telemetry.now().ticks - ticks) / TickClock.ticksPerSecond * 1e9
        #expect(measured >= elapsed * 0.99)
    }

    @Test("a forked child stores nothing, may have a ring of its own, and does not hold its parent's after its death")
    func fork() throws {
        let parent = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "fork", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
        let line = try parent.line(beginning: "child")
        let child = try #require(pid_t(line.split(separator: " ")[1]))
        defer { kill(child, SIGKILL) }
        #expect(line.hasSuffix("attached false"))
        #expect(try parent.line(beginning: "own") == "own true")

        let segment = try directory.segment()
        #expect(segment.position == 5 && segment.isProducerAlive)
        #expect(try segment.cell(of: "probe_total").first == 7)
        #expect(try segment.cell(of: "probe_level").first == Double(3).bitPattern)
        #expect(try directory.segment("alpha-child").position == 3)

        parent.send(SIGKILL)
        try parent.wait()
        #expect(kill(child, 0) == 0)
        try Watchdog.wait(for: "the lock of a killed parent") { !segment.isProducerAlive }
        let heir = try directory.attach(records: 64)
        #expect(segment.lifeCount == 2)
        heir.close()
    }
}
