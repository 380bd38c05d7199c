import Exposition
import Glibc
import Platform
import RingReader
import Ringside
import Series
import Synchronization
import TestSupport
import Testing

@testable import Drain

/// Two collectors read one ring by one clock. The first turns at each step. The second looks first and turns only if
/// something came, as its idle loop does. Both must show the same of the bot.
@Suite struct QuietLookTests {
    @Test(
        "a collector that looks before it turns shows what one shows that always turns",
        arguments: 1...3 as ClosedRange<UInt64>)
    func sameFigures(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = TemporaryRingDirectory()
        let clock = SteppedClock()
        let telemetry = try Telemetry.attach("alpha", options: AttachOptions(directory: directory.path))
        let orders = try telemetry.counter("orders_total", help: "Orders.")
        let depth = try telemetry.gauge("depth", help: "Depth.")
        let latency = try telemetry.histogram("latency_seconds", unit: .seconds, help: "Latency.")
        let (always, looking) = (try agent(directory, clock), try agent(directory, clock))
        var (quiet, compared) = (0, 0)
        for step in 0..<1000 {
            clock.advance(by: Int64.random(in: 1...60, using: &random) * 1_000_000)
            // There are long rests between short bursts, so that most looks find nothing.
            if step / 40 % 4 == 0 || Int.random(in: 0..<50, using: &random) == 0 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: orders.increment(by: Int.random(in: 0..<5, using: &random))
                case 1: depth.set(Double(Int.random(in: 0..<100, using: &random)))
                case 2: latency.record(Double.random(in: 1e-6...9e-4, using: &random), at: clock.instant)
                default: break
                }
            }
            _ = always.doWork()
            if looking.looksQuiet(now: clock.source.monotonic()) { quiet += 1 } else { _ = looking.doWork() }
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            let now = clock.source.monotonic()
            // A collector makes a snapshot in a turn, so the second one turns too.
            _ = looking.doWork()
            let (first, second) = (shown(always.snapshot(now: now)), shown(looking.snapshot(now: now)))
            #expect(first == second, "step \(step)")
            #expect(first.contains { $0.hasPrefix("latency") } || step < 300)
            compared += 1
        }
        #expect(quiet > 200 && compared > 50, "\(quiet) quiet looks, \(compared) comparisons")
        always.close()
        looking.close()
        telemetry.close()
    }

    private func agent(_ directory: TemporaryRingDirectory, _ clock: SteppedClock) throws -> DrainAgent {
        DrainAgent(
            directory: RingDirectory(path: directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(), logger: Logger(level: .error), version: "test",
            maximumIntervalNanoseconds: 100_000_000, time: clock.source, clocks: clock)
    }

    /// Returns everything that is shown of the bot's metrics, one line each.
    private func shown(_ snapshot: Snapshot) -> [String] {
        var bots = snapshot.bots
        for index in bots.indices { bots[index].metrics.removeAll { $0.name.hasPrefix("ringside_") } }
        return bots.flatMap(\.metrics).map { metric in
            let reading: String
            switch metric.reading {
            case .counter(let counter), .upDownCounter(let counter): reading = "\(counter)"
            case .gauge(let gauge): reading = "\(gauge)"
            case .histogram(let histogram):
                reading = "\(histogram.calls) \(histogram.total) \(histogram.classicBuckets) \(histogram.windows)"
            }
            return "\(metric.name) \(metric.labels) \(reading)"
        }
    }
}

/// The machine's clocks, stopped. They advance only when a test advances them.
private final class SteppedClock: MachineClocks {
    private let system = SystemClocks()
    private let begun: ClockReading
    private let ticksPerNanosecond: Double
    private let elapsed = Elapsed()

    private final class Elapsed: Sendable {
        let nanoseconds = Atomic<Int64>(0)
        var value: Int64 { nanoseconds.load(ordering: .relaxed) }
    }

    init() {
        ticksPerNanosecond = system.ticksPerSecond() / 1e9
        begun = system.read()
    }

    func advance(by nanoseconds: Int64) { elapsed.nanoseconds.add(nanoseconds, ordering: .relaxed) }

    var instant: Instant { Instant(ticks: ticks) }

    var source: TimeSource {
        let (begun, elapsed) = (begun, elapsed)
        return TimeSource(
            monotonic: { begun.monotonic + elapsed.value }, unix: { begun.unix + elapsed.value })
    }

    private var ticks: UInt64 { begun.ticks &+ UInt64(Double(elapsed.value) * ticksPerNanosecond) }

    var kind: Life.Clock { system.kind }

    func ticksPerSecond() -> Double { ticksPerNanosecond * 1e9 }

    func glance() -> (ticks: UInt64, monotonic: MonotonicTime) { (ticks, begun.monotonic + elapsed.value) }

    func read() -> ClockReading {
        var reading = begun
        reading.ticks = ticks
        reading.monotonic += elapsed.value
        reading.bootTime += elapsed.value
        reading.unix += elapsed.value
        return reading
    }
}
