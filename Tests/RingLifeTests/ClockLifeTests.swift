import Platform
import CRingside
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

/// This machine's clocks. The test sets some of them.
private final class SetClocks: MachineClocks {
    private let system = SystemClocks()
    var wallOffset: Int64 = 0
    var slept: Int64 = 0

    var kind: Life.Clock { system.kind }
    func ticksPerSecond() -> Double { system.ticksPerSecond() }
    func glance() -> (ticks: UInt64, monotonic: MonotonicTime) { system.glance() }

    func read() -> ClockReading {
        var reading = system.read()
        reading.bootTime += slept
        reading.unix += slept + wallOffset
        return reading
    }
}

/// The effects of the machine's clocks on rings that are being read.
@Suite struct ClockLifeTests {
    private let directory = TemporaryRingDirectory()

    private func attach() throws -> Telemetry {
        try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path, capacityRecords: 64))
    }

    @Test("a step of the wall clock and a suspend are logged once each and shown, and touch no window")
    func stepped() throws {
        let clocks = SetClocks()
        let collector = try CollectorHarness(directory, clocks: clocks)
        let telemetry = try attach()
        let values = try telemetry.durationHistogram("x_seconds", help: "X.")
        clocks.wallOffset += 3_600_000_000_000
        clocks.slept += 60_000_000_000
        values.record(nanoseconds: 1000)
        try collector.turn(until: "the step and the suspend") { $0.collector.clock?.steps == 1 }
        for _ in 0..<3 { values.measure {} }
        let begun = monotonicNanoseconds()
        try collector.turn(until: "two more looks at the clocks") { _ in monotonicNanoseconds() - begun > 2_200_000_000
        }
        let snapshot = try collector.settle()
        let clock = try #require(snapshot.collector.clock)
        #expect(clock.steps == 1 && clock.suspends == 1 && clock.tickJumps == 0)
        #expect(abs((clock.lastStepSeconds ?? 0) - 3600) < 1e-3 && abs(clock.suspendedSeconds - 60) < 1e-3)
        let lines = collector.log.split(separator: "\n")
        #expect(lines.filter { $0.contains("wall clock stepped") }.count == 1)
        #expect(lines.filter { $0.contains("machine was suspended") }.count == 1)
        let minute = try #require(snapshot.histogram("x_seconds")?.windows.last)
        #expect(minute.summary.count == 4 && minute.isComplete)
        telemetry.close()
    }

    @Test("a ring that comes after the wall clock was set back is new all the same")
    func newRing() throws {
        let collector = try CollectorHarness(directory)
        let telemetry = try attach()
        let counter = try telemetry.counter("x_total", help: "X.")
        counter.increment(by: 5)
        let created = UInt64(MemoryLayout<ringside_header>.offset(of: \.created_realtime_ns)!)
        directory.file().write(directory.file().header().created_realtime_ns - 3_600_000_000_000, at: created)
        let snapshot = try collector.settle()
        let metric = try #require(snapshot.bots.first?.metrics.first { $0.name == "x_total" })
        var watched: Double?
        if case .counter(let counter) = metric.reading { watched = counter.watchedIncrease }
        #expect(watched == 5)
        telemetry.close()
    }

    @Test("a life that ticks by CLOCK_MONOTONIC is read in nanoseconds, whatever this machine's counter is")
    func monotonicLife() throws {
        let telemetry = try attach()
        let values = try telemetry.durationHistogram("x_seconds", help: "X.")
        let life = directory.file().header().lives.offset
        let kind = life + UInt64(MemoryLayout<ringside_life>.offset(of: \.clock_kind)!)
        directory.file().write(RINGSIDE_CLOCK_MONOTONIC.rawValue, at: kind)
        for nanoseconds in [1_000_000, 2_000_000] as [UInt64] {
            let now = ringside_monotonic_ns()
            values.record(from: Instant(ticks: now - nanoseconds), to: Instant(ticks: now))
        }
        let collector = try CollectorHarness(directory)
        let snapshot = try collector.settle()
        let histogram = try #require(snapshot.histogram("x_seconds"))
        #expect(abs(histogram.total.sum - 0.003) < 1e-12)
        // The harness sets its clock ahead by nearly the shortest window.
        #expect(histogram.windows.count == 3 && histogram.windows.dropFirst().allSatisfy { $0.summary.count == 2 })
        telemetry.close()
    }
}
