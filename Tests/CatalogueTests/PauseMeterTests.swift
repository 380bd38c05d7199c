import CRingside
import Glibc
import RingReader
import Ringside
import RingsideCatalogue
import Synchronization
import TestSupport
import Testing

@Suite("The pause meter") struct PauseMeterTests {
    private let rings = TemporaryRingDirectory()

    private var options: PauseMeter.Options { PauseMeter.Options(attach: AttachOptions(directory: rings.path)) }

    /// The pauses that a meter recorded, in ticks.
    private final class Seen: Sendable {
        let ticks = Mutex<[UInt64]>([])
        var count: Int { ticks.withLock { $0.count } }
    }

    @Test("it records into a small lane of its own, one record a look, until it is stopped; then its ring is closed")
    func records() throws {
        let seen = Seen()
        let meter = try PauseMeter.start(bot: "alpha", options: options) { ticks in
            seen.ticks.withLock { $0.append(ticks) }
        }
        #expect(meter.isRunning)
        try Watchdog.wait(for: "twenty looks") { seen.count >= 20 }
        let segment = try rings.segment("alpha.pause")
        #expect(segment.isProducerAlive)
        meter.stop()
        #expect(!meter.isRunning)
        #expect(segment.isClosed && !segment.isProducerAlive)
        #expect(segment.geometry.capacity == 65_536)
        #expect(segment.position == UInt64(seen.count))
        let metric = try #require(segment.metrics.first)
        #expect(metric.name == "runtime_pause_seconds" && segment.metricCount == 1)
        #expect(metric.labels.map { "\($0.name)=\($0.value)" } == ["cause=scheduling"])
        #expect(segment.cell(0).first == UInt64(seen.count))
        meter.stop()
        #expect(segment.position == UInt64(seen.count))
    }

    @Test("a delay of its thread is one record of that length")
    func pause() throws {
        let seen = Seen()
        let meter = try PauseMeter.start(bot: "alpha", options: options) { ticks in
            // The thread itself is held up once, for a quarter of a second of deadlines.
            let isFirst = seen.ticks.withLock { $0.isEmpty }
            if isFirst { usleep(250_000) }
            seen.ticks.withLock { $0.append(ticks) }
        }
        try Watchdog.wait(for: "some looks after the pause") { seen.count >= 5 }
        meter.stop()
        let ticks = seen.ticks.withLock { $0 }
        let longest = ticks.map { Double($0) / TickClock.ticksPerSecond }
        #expect(longest[1] > 0.24)
        #expect(ticks.count < 250)
    }

    @Test("the bot's own ring is untouched, and a second meter of the bot is refused as any second producer is")
    func others() throws {
        let telemetry = try rings.attach()
        let meter = try PauseMeter.start(bot: "alpha", options: options)
        #expect(try rings.segment().position == 0 && rings.segment().metricCount == 0)
        let refusal = #expect(throws: AttachError.self) { try PauseMeter.start(bot: "alpha", options: options) }
        #expect(refusal?.reason == .alreadyAttached(pid: getpid()))
        var reported: AttachError?
        let second = PauseMeter.startOrDisabled(bot: "alpha", options: options) { reported = $0 }
        #expect(!second.isRunning && reported == refusal)
        second.stop()
        #expect(throws: AttachError.self) { try PauseMeter.start(bot: "alpha.md", options: options) }
        meter.stop()
        telemetry.close()
        #expect(rings.entries() == ["ringside.alpha", "ringside.alpha.pause"])
    }

    @Test(
        "started again it goes on with its ring"
    )
    func again() throws {
        let first = try PauseMeter.start(bot: "alpha", options: options)
        try Watchdog.wait(for: "a look") { try rings.segment("alpha.pause").position > 0 }
        first.stop()
        let position = try rings.segment("alpha.pause").position
        let second = try PauseMeter.start(bot: "alpha", options: options)
        try Watchdog.wait(for: "a look") { try rings.segment("alpha.pause").position > position }
        second.stop()
    }

    @Test("a forked child has no meter, and its parent's continues")
    func fork() throws {
        let probe = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "pauses", "alpha"], environment: ["RINGSIDE_DIR": rings.path])
        #expect(try probe.line(beginning: "running") == "running true")
        #expect(try probe.line(beginning: "child") == "child false")
        let child = try #require(pid_t(try probe.line(beginning: "stopped").dropFirst("stopped ".count)))
        defer { kill(child, SIGKILL) }
        let segment = try rings.segment("alpha.pause")
        let position = segment.position
        try Watchdog.wait(for: "looks after the fork") { segment.position > position + 5 }
        probe.send(SIGKILL)
        #expect(try probe.wait() == .signal(SIGKILL))
        try Watchdog.wait(for: "a ring without an owner") { !segment.isProducerAlive }
        #expect(kill(child, 0) == 0)
    }

    @Test("with RINGSIDE=off there is neither a thread nor a ring")
    func off() throws {
        let probe = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "pauses", "alpha"],
            environment: ["RINGSIDE_DIR": rings.path, "RINGSIDE": "off"])
        #expect(try probe.line(beginning: "running") == "running false")
        let child = try #require(pid_t(try probe.line(beginning: "stopped").dropFirst("stopped ".count)))
        kill(child, SIGKILL)
        probe.send(SIGKILL)
        #expect(try probe.wait() == .signal(SIGKILL))
        #expect(rings.entries() == [])
    }
}

@Suite("Memory gauges") struct MemoryGaugeTests {
    private let rings = TemporaryRingDirectory()

    @Test("the process' gauge is its resident memory, and an arena's what its closure says when it is asked")
    func gauges() throws {
        let telemetry = try rings.attach()
        let process = try MemoryGauge(telemetry)
        var arena: Int? = 1_000
        let book = try MemoryGauge(telemetry, "order_book") { arena }
        #expect(book.measure() == 1_000)
        arena = nil
        #expect(book.measure() == nil)
        let resident = try #require(process.measure())
        // This program is larger than the lower limit, and the machine smaller than the upper one.
        #expect(resident > 1_000_000 && resident < 1 << 40)
        let segment = try rings.segment()
        #expect(segment.metrics.map(\.name) == ["component_memory_bytes", "component_memory_bytes"])
        #expect(segment.metrics.flatMap(\.labels).map(\.value) == ["process", "order_book"])
        #expect(Double(bitPattern: segment.cell(0).first) == Double(resident))
        #expect(Double(bitPattern: segment.cell(1).first) == 1_000)
        telemetry.close()
    }
}
