import Platform
import Collector
import Drain
import Glibc
import RingReader
import Ringside
import Series
import TestSupport
import Testing

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

/// Windows that claim to be complete, checked against the recorded values.
@Suite struct WindowTruthTests {
    /// The events that may happen in a run.
    struct Mix: Sendable, CustomStringConvertible {
        var seed: Int
        /// The collector is stopped for seconds at any of its reads of the clock.
        var hasStalls = false
        var hasLateRecords = false
        /// Records are dated ahead. A lost one cannot be known, so their rings lose nothing.
        var hasFutureRecords = false
        /// Another collector continues from the state that the previous one stored.
        var hasRestarts = false
        /// The bot begins new lives, in old rings and new ones.
        var hasLives = false
        var capacity = 1024
        var lanes = 1

        var description: String {
            "seed \(seed), capacity \(capacity), lanes \(lanes), stalls \(hasStalls), late \(hasLateRecords), "
                + "future \(hasFutureRecords), restarts \(hasRestarts), lives \(hasLives)"
        }
    }

    static let mixes: [Mix] = (0..<(isLongRun ? 48 : 6)).map { seed in
        var random = SeededGenerator(seed: UInt64(seed) &+ 77)
        var mix = Mix(seed: seed)
        mix.hasStalls = seed % 4 != 3
        mix.hasLateRecords = seed % 3 != 0
        mix.hasFutureRecords = seed % 4 == 1
        mix.hasRestarts = seed % 4 == 2
        mix.hasLives = seed % 5 == 4
        mix.capacity = mix.hasFutureRecords ? 1 << 17 : [256, 1024, 4096].randomElement(using: &random)!
        mix.lanes = seed % 3 == 1 ? 2 : 1
        return mix
    }

    @Test(
        "no window claims to be complete that is not, and none claims to be incomplete longer than it must",
        arguments: mixes)
    func truth(_ mix: Mix) throws {
        let run = try WindowTruthRun(mix)
        for _ in 0..<(isLongRun ? 1000 : 500) { try run.step() }
        #expect(run.completeWindows > 100 && (!mix.hasStalls || run.incompleteWindows > 10), "\(mix)")
    }
}

/// A run: a bot, the collectors that read it one after the other, and the truth.
private final class WindowTruthRun {
    private let mix: WindowTruthTests.Mix
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let time = SimulatedTime(start: TimeSource.system.monotonic() + 1_000 * second)
    private let truth = RecordedTruth()
    private var lanes: [SimulatedLane] = []
    private var agent: DrainAgent?
    private var random: SeededGenerator
    /// When the reader was last stopped, replaced or behind. Windows may be incomplete until their length after that.
    private var lastCause: Int64
    private(set) var completeWindows = 0
    private(set) var incompleteWindows = 0

    init(_ mix: WindowTruthTests.Mix) throws {
        self.mix = mix
        random = SeededGenerator(seed: UInt64(mix.seed))
        lastCause = time.now
        for lane in 0..<mix.lanes {
            let name = lane == 0 ? "alpha" : "alpha.l\(lane)"
            lanes.append(try SimulatedLane(name, directory, capacity: mix.capacity, time, truth))
        }
        pass(chance(0.5) ? 3 * second : 10 * millisecond)
        try begin()
    }

    deinit { for lane in lanes { lane.close() } }

    private func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    private func begin() throws {
        agent = nil
        let checkpoint = mix.hasRestarts ? try CheckpointFile(folder) : nil
        agent = DrainAgent(
            directory: RingDirectory(path: directory.path), filter: try RingFilter(names: [], owners: []),
            exchange: try SnapshotExchange(), readiness: Readiness(), logger: Logger(level: .error),
            version: "test", maximumIntervalNanoseconds: 100 * millisecond, saved: checkpoint?.saved, sink: checkpoint,
            time: time.source, clocks: time)
        lastCause = time.now
    }

    /// Lets time pass while the bot writes.
    private func pass(_ nanoseconds: Int64) {
        let end = time.now + nanoseconds
        while time.now < end {
            time.move(to: min(end, time.now + Int64.random(in: 1...20, using: &random) * millisecond))
            for lane in lanes { write(lane) }
        }
    }

    private func write(_ lane: SimulatedLane) {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let isMixed = chance(0.3)
            var own = time.now
            if mix.hasLateRecords, chance(0.1) { own -= Int64.random(in: 0...90_000, using: &random) * millisecond }
            if mix.hasFutureRecords, chance(0.02) { own += Int64.random(in: 0...20_000, using: &random) * millisecond }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: lane.recordTimed(at: own, mixed: isMixed)
            case 1: lane.recordUntimed(mixed: isMixed)
            default: lane.count()
            }
        }
    }

    /// Turns the collector once, and checks what it shows.
    func step() throws {
        pass(Int64.random(in: 1...100, using: &random) * millisecond)
        if mix.hasRestarts, chance(0.01) {
            if chance(0.5) { agent?.close() }
            pass(Int64.random(in: 10...4_000, using: &random) * millisecond)
            try begin()
        }
        if mix.hasLives, chance(0.01) {
            for lane in lanes { try lane.attach(chance(0.5) ? .resume : .fresh) }
            lastCause = time.now
        }
        if mix.hasStalls, chance(0.01) { stall() }
        var isFirstRead = true
        var begun = time.now
        time.onRead = { [self] in
            if isFirstRead { (begun, isFirstRead) = (time.now, false) }
            if mix.hasStalls, chance(0.0005) { stall() }
        }
        defer { time.onRead = {} }
        _ = agent?.doWork()
        let snapshot = try #require(agent).snapshot(now: begun)
        time.onRead = {}
        check(snapshot)
    }

    private func stall() {
        pass(Int64.random(in: 250...8_000, using: &random) * millisecond)
        lastCause = time.now
    }

    private func check(_ snapshot: Snapshot) {
        let shown = snapshot.unixNanoseconds - SimulatedTime.unixOffset
        guard let bot = snapshot.bot() else { return }
        for name in ["timed", "untimed", "mixed"] {
            for window in snapshot.histogram(name)?.windows ?? [] {
                note(window.isComplete, window.window, shown)
                guard window.isComplete else { continue }
                #expect(window.lost == 0, "\(mix)")
                check(Double(window.summary.count), name, window.window, shown, leeway: 300 * millisecond)
            }
        }
        if case .counter(let counter)? = bot.reading("calls_total") {
            for window in counter.windows {
                note(window.isComplete, window.window, shown)
                guard window.isComplete else { continue }
                check(window.increase, "calls_total", window.window, shown, leeway: 400 * millisecond)
            }
        }
        for window in bot.windows { note(window.isComplete, window.window, shown) }
    }

    /// Compares a count that is marked as complete with the truth. It must include the window's length up to a tenth of
    /// a second ago, and nothing that is older than its length, a slice and the leeway.
    private func check(_ count: Double, _ name: String, _ window: WindowSpan, _ shown: Int64, leeway: Int64) {
        let read = shown - 100 * millisecond
        let least = truth.count(name, after: shown - window.lengthNanoseconds, through: read, writtenBy: read)
        let oldest = shown - window.lengthNanoseconds - window.sliceNanoseconds - leeway
        let most = truth.count(name, after: oldest, through: shown + second)
        #expect(
            count >= Double(least) && count <= Double(most),
            "\(name) \(window.name) says \(count) of \(least)...\(most); \(mix)")
    }

    private func note(_ isComplete: Bool, _ window: WindowSpan, _ shown: Int64) {
        if isComplete { completeWindows += 1 } else { incompleteWindows += 1 }
        guard !isComplete, !mix.hasFutureRecords else { return }
        let bound = window.lengthNanoseconds + window.sliceNanoseconds + 500 * millisecond
        #expect(shown - lastCause <= bound, "\(window.name) is incomplete for too long; \(mix)")
    }
}
