internal import Drain
internal import History
internal import HTTP
internal import Platform
internal import Series
internal import Synchronization

/// The history and the JSON dumps. Each receives snapshots on a thread of its own beside the drain.
final class CollectorServices: Sendable {
    private let options: CollectorOptions
    private let exchange: SnapshotExchange
    private let readiness: Readiness
    private let logger: Logger
    private let running = Mutex(Running())
    /// Reports to the drain which late minutes and alert changes the history has stored.
    let historyReceipt = HistoryReceipt()
    /// Counts how requests to the history ended.
    let questions = HTTPQuestionCounts()

    private struct Running: Sendable {
        var recorder: HistoryRecorder?
        /// Makes the history take a snapshot at once.
        var historyWakeup: Wakeup?
        var dump: SnapshotDump?
        var runners: [AgentRunner] = []
        var hasHistory = true
    }

    init(_ options: CollectorOptions, exchange: SnapshotExchange, readiness: Readiness, logger: Logger) {
        self.options = options
        self.exchange = exchange
        self.readiness = readiness
        self.logger = logger
    }

    /// Starts both. Nothing is recorded before the collector is ready.
    ///
    /// - Parameters:
    ///   - directory: the directory of the history; nil keeps none.
    ///   - isStateRestored: whether the collector resumed the totals of an earlier one.
    ///   - quantiles: the configured quantiles, which a dump contains.
    /// - Throws: the system's refusal. Then ``stop()`` ends the parts that have started.
    func start(in directory: String?, isStateRestored: Bool, quantiles: [Double]) throws(SystemRefusal) {
        try running.withLock { running throws(SystemRefusal) in
            running.hasHistory = directory != nil
            if let directory {
                let recorder = HistoryRecorder(
                    path: "\(directory)/history.db",
                    retention: HistoryRetention(
                        minutes: max(60, options.historyRetentionNanoseconds / 60_000_000_000),
                        bytes: options.historyRetentionBytes),
                    isStateRestored: isStateRestored, startedUnixNanoseconds: TimeSource.system.unix(),
                    startedMonotonicNanoseconds: TimeSource.system.monotonic(), logger: logger,
                    receipt: historyReceipt)
                let wakeup = try Wakeup()
                let runner = AgentRunner(name: "history", wake: { wakeup.signal() }) { [exchange, readiness] in
                    recorder.open()
                    return SnapshotAgent(
                        SnapshotAgent.Source(exchange), readiness: readiness, wakeup: wakeup, isEager: true,
                        nanosecondsToNext: { nanosecondsToNextMinute(unixNanoseconds: TimeSource.system.unix()) },
                        take: { recorder.record($0) })
                }
                // While an old log is imported, many late minutes queue up. This writes them early.
                historyReceipt.whenMany { wakeup.signal() }
                try runner.start()
                (running.recorder, running.historyWakeup) = (recorder, wakeup)
                running.runners.append(runner)
            }
            if let folder = options.jsonDirectory {
                let dump = SnapshotDump(
                    folder: folder, keptCount: options.jsonKeptCount, quantiles: quantiles, logger: logger)
                let interval = options.jsonIntervalNanoseconds
                let wakeup = try Wakeup()
                let runner = AgentRunner(name: "json", wake: { wakeup.signal() }) { [exchange, readiness] in
                    SnapshotAgent(
                        SnapshotAgent.Source(exchange), readiness: readiness, wakeup: wakeup, isEager: false,
                        nanosecondsToNext: { interval }, take: { dump.write($0) })
                }
                try runner.start()
                running.dump = dump
                running.runners.append(runner)
            }
        }
    }

    /// Makes the history store everything up to a step of the wall clock, so that the minutes before it keep the times
    /// of the old clock.
    func noteClockStep() { running.withLock { $0.historyWakeup }?.signal() }

    /// Records the last snapshot, and ends both. Called once, after the drain has ended.
    func stop() {
        let running = running.withLock { $0 }
        for runner in running.runners { runner.stop() }
    }

    var statuses: [ServiceStatus] {
        running.withLock { running in
            var history = running.recorder?.status
            history?.outcomes = questions.all
            return [history, running.dump?.status].compactMap(\.self)
        }
    }

    /// Answers `/stats/history`.
    var historyAnswerer: HTTPAnswerer {
        { [self] arguments, isWanted in
            let (recorder, hasHistory) = running.withLock { ($0.recorder, $0.hasHistory) }
            guard hasHistory else {
                return .whole(.text("no history is kept: there is no state directory; see --state-dir", status: 404))
            }
            guard let recorder else { return .whole(.text("the history is not open yet", status: 503)) }
            return HistoryEndpoint(recorder: recorder, exchange: exchange).answer(arguments, isWanted)
        }
    }
}

/// Returns the nanoseconds to the next whole minute of the wall clock: 1 ns to a minute, for any clock value.
func nanosecondsToNextMinute(unixNanoseconds: Int64) -> Int64 {
    let minute: Int64 = 60_000_000_000
    let past = unixNanoseconds % minute
    return minute - (past < 0 ? past + minute : past)
}
