import Platform
import Drain
import Glibc
import RingReader
import Series
import Synchronization
import TestSupport

/// A collector that a test turns by hand: no thread, no server, and a clock that can be set ahead.
///
/// Every turn checks that no counter of any bot has fallen since the turn before.
final class CollectorHarness {
    /// An error: a counter fell, or the records drained, lost and held back do not add up.
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    private let agent: DrainAgent
    private let readiness = Readiness()
    private let ahead = Ahead()
    private let descriptor: Int32
    private var highest: [SeriesName: Double] = [:]

    /// State that outlives a collector: the totals it has shown, and the time.
    struct Memory {
        fileprivate var highest: [SeriesName: Double]
        fileprivate let ahead: Int64

        /// The same, if some of the totals shown are known to be gone.
        var withoutTotals: Memory { Memory(highest: [:], ahead: ahead) }
    }

    var memory: Memory { Memory(highest: highest, ahead: ahead.nanoseconds.load(ordering: .relaxed)) }

    fileprivate struct SeriesName: Hashable {
        let bot: String
        let name: String
        let labels: [Label]
    }

    private final class Ahead: Sendable {
        let nanoseconds = Atomic<Int64>(0)
        let wall = Atomic<Int64>(0)
    }

    /// The nanoseconds by which the wall clock was set ahead.
    var wallOffset: Int64 {
        get { ahead.wall.load(ordering: .relaxed) }
        set { ahead.wall.store(newValue, ordering: .relaxed) }
    }

    /// Sets the clock ahead.
    func advance(by nanoseconds: Int64) { ahead.nanoseconds.add(nanoseconds, ordering: .relaxed) }

    /// Whether the collector reports its figures as trustworthy.
    var isReady: Bool { readiness.reasonToWait == nil }

    /// - Parameters:
    ///   - checkpoint: The state of an earlier collector, from which this one continues. It saves its state there too.
    ///   - memory: The memory of the earlier collector. Totals that it has shown must not fall.
    init(
        _ directory: TemporaryRingDirectory, rings: [String] = [], configuration: ConfigurationFile? = nil,
        checkpoint: CheckpointFile? = nil, memory: Memory? = nil, forgetRequests: ForgetRequests? = nil,
        alertRequests: AlertRequests? = nil, receipt: HistoryReceipt? = nil, descriptors: DescriptorBudget = .unbounded,
        options: SeriesOptions = SeriesOptions(), clocks: any MachineClocks = SystemClocks(),
        traces: TraceExchange? = nil
    ) throws {
        var template = Array("/tmp/ringside-log-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if let memory {
            highest = memory.highest
            ahead.nanoseconds.store(memory.ahead, ordering: .relaxed)
        }
        let ahead = ahead
        let system = TimeSource.system
        let links = try traces.map {
            DeliveryLinks(
                notices: AlertMailbox(wakeup: try Wakeup()), exports: ExportAccounts(), traces: $0, announced: [])
        }
        agent = DrainAgent(
            directory: RingDirectory(path: directory.path), filter: try RingFilter(names: rings, owners: []),
            exchange: try SnapshotExchange(), readiness: readiness, logger: Logger(descriptor: descriptor),
            version: "test", options: options, configuration: configuration, maximumIntervalNanoseconds: 100_000_000,
            saved: checkpoint?.saved, sink: checkpoint, setAside: checkpoint?.setAside, forgetRequests: forgetRequests,
            alertRequests: alertRequests, receipt: receipt, delivery: links ?? DeliveryLinks(),
            descriptors: descriptors,
            time: TimeSource(
                monotonic: { system.monotonic() + ahead.nanoseconds.load(ordering: .relaxed) },
                unix: { system.unix() + ahead.wall.load(ordering: .relaxed) }),
            clocks: clocks)
    }

    deinit { close(descriptor) }

    /// The collector's log.
    var log: String {
        var status = stat()
        fstat(descriptor, &status)
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether a line of the log contains all of these parts.
    func said(_ parts: String...) -> Bool {
        log.split(separator: "\n").contains { line in parts.allSatisfy { line.contains($0) } }
    }

    var now: Int64 { TimeSource.system.monotonic() + ahead.nanoseconds.load(ordering: .relaxed) }

    /// Turns once and checks the snapshot.
    func turn() throws {
        _ = agent.doWork()
        _ = try look()
    }

    /// Turns once without a snapshot.
    ///
    /// - Returns: The number of records read.
    @discardableResult
    func work() -> Int { agent.doWork() }

    /// Turns several times, as far apart as a collector's turns may be, without a snapshot. The last turn is due to
    /// check locks, files and cells.
    func leap() {
        for _ in 0..<3 {
            ahead.nanoseconds.add(100_000_000, ordering: .relaxed)
            _ = agent.doWork()
        }
    }

    /// Sets the clock ahead without a turn, as if the collector had been prevented from running.
    func stand(seconds: Int64) { ahead.nanoseconds.add(seconds * 1_000_000_000, ordering: .relaxed) }

    /// Sends a request as an operator does, and turns until there is an answer.
    func ask<Request, Answer>(_ desk: OperatorRequests<Request, Answer>, _ request: Request) throws -> Answer {
        let answer = AnswerBox<Answer>()
        let thread = NativeThread {
            let given = desk.ask(request)
            answer.value.withLock { $0 = given }
        }
        try Watchdog.wait(for: "an answer of the desk") {
            work()
            return answer.value.withLock { $0 != nil }
        }
        thread.join()
        guard let given = answer.value.withLock({ $0 }) else { throw Wrong(description: "no answer") }
        return given
    }

    private final class AnswerBox<Answer: Sendable>: Sendable {
        let value = Mutex<Answer?>(nil)
    }

    /// Ends the collector cleanly.
    func end() { agent.close() }

    /// Turns until a snapshot meets `condition`.
    @discardableResult
    func turn(until what: String, _ condition: (Snapshot) throws -> Bool) throws -> Snapshot {
        var snapshot = try look()
        try Watchdog.wait(for: "\(what); the collector said:\n\(log)") {
            _ = agent.doWork()
            snapshot = try look()
            return try condition(snapshot)
        }
        return snapshot
    }

    /// Turns until everything written so far is read, and every lock and file is checked.
    @discardableResult
    func settle() throws -> Snapshot {
        for _ in 0..<3 { leap() }
        return try turn(until: "an end of the backlog") { snapshot in
            snapshot.bots.allSatisfy { $0.rings.allSatisfy { $0.backlog == 0 } }
        }
    }

    /// Forgets the totals shown, because other rules apply from here on and earlier totals may be higher.
    func forgetTotals() { highest = [:] }

    /// Returns a snapshot of damaged rings, without checks.
    func lookUnchecked() -> Snapshot { agent.snapshot(now: now) }

    /// Returns a snapshot, after the checks that every snapshot must pass.
    func look() throws -> Snapshot {
        let snapshot = agent.snapshot(now: now)
        for bot in snapshot.bots {
            for ring in bot.rings where ring.position != ring.drained &+ ring.totalLost &+ ring.backlog {
                throw Wrong(description: "ring \(bot.name).\(ring.lane) does not add up: \(ring)")
            }
            for metric in bot.metrics { try checkMonotony(bot.name, metric) }
        }
        return snapshot
    }

    private func checkMonotony(_ bot: String, _ metric: MetricSnapshot) throws {
        let values: [(String, Double)] =
            switch metric.reading {
            case .counter(let counter): [("", counter.value.double)]
            case .histogram(let histogram):
                [("_count", Double(histogram.total.count)), ("_calls", Double(histogram.calls))]
            case .gauge, .upDownCounter: []
            }
        for (suffix, value) in values {
            let series = SeriesName(bot: bot, name: metric.name + suffix, labels: metric.labels)
            let before = highest.updateValue(value, forKey: series) ?? 0
            guard value >= before else {
                throw Wrong(description: "\(series.name) of \(bot) fell from \(before) to \(value)")
            }
        }
    }
}

extension Snapshot {
    func bot(_ name: String = "alpha") -> BotSnapshot? { bots.first { $0.name == name } }

    /// Returns a counter's total; 0 if there is none.
    func counter(_ name: String, of bot: String = "alpha") -> UInt64 {
        guard case .counter(let counter)? = self.bot(bot)?.reading(name), case .unsigned(let value) = counter.value
        else {
            return 0
        }
        return value
    }

    func histogram(_ name: String = "pattern", of bot: String = "alpha") -> HistogramSnapshot? {
        guard case .histogram(let histogram)? = self.bot(bot)?.reading(name) else { return nil }
        return histogram
    }

    func ring(_ lane: String = "", of bot: String = "alpha") -> RingSnapshot? {
        self.bot(bot)?.rings.first { $0.lane == lane }
    }
}

extension BotSnapshot {
    func reading(_ name: String) -> MetricSnapshot.Reading? { metrics.first { $0.name == name }?.reading }
}

extension RingSnapshot {
    var totalLost: UInt64 { lost.values.reduce(0, &+) }
    func lost(_ reason: LossReason) -> UInt64 { lost[reason] ?? 0 }
}
