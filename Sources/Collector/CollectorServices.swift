internal import Drain
internal import History
internal import HTTP
internal import Platform
internal import Series
internal import Synchronization

/// What works beside the drain on threads of its own, fed by snapshots: the history and the JSON dumps.
final class CollectorServices: Sendable {
    private let options: CollectorOptions
    private let exchange: SnapshotExchange
    private let readiness: Readiness
    private let logger: Logger
    private let running = Mutex(Running())
    /// Which late minutes the history has written.
    let lateReceipt = LateReceipt()
    /// What became of the questions to the history.
    let questions = HTTPQuestionCounts()

    private struct Running: Sendable {
        var recorder: HistoryRecorder?
        var historyThread: SnapshotThread?
        var dump: SnapshotDump?
        var threads: [SnapshotThread] = []
        var hasHistory = true
    }

    init(_ options: CollectorOptions, exchange: SnapshotExchange, readiness: Readiness, logger: Logger) {
        self.options = options
        self.exchange = exchange
        self.readiness = readiness
        self.logger = logger
    }

    /// Begins; nothing is recorded before the collector is ready.
    ///
    /// - Parameters:
    ///   - directory: where the history lies; nil keeps none.
    ///   - isStateResumed: whether the collector's totals go on from an earlier one's.
    ///   - quantiles: those configured, which a dump names.
    /// - Throws: what the system refuses; what has begun by then ends with ``stop()``.
    func start(in directory: String?, isStateResumed: Bool, quantiles: [Double]) throws(SystemRefusal) {
        try running.withLock { running throws(SystemRefusal) in
            running.hasHistory = directory != nil
            if let directory {
                let recorder = HistoryRecorder(
                    path: "\(directory)/history.db",
                    retention: HistoryRetention(
                        minutes: max(60, options.historyRetentionNanoseconds / 60_000_000_000),
                        bytes: options.historyRetentionBytes),
                    isStateResumed: isStateResumed, startedUnixNanoseconds: TimeSource.system.unix(),
                    startedMonotonicNanoseconds: TimeSource.system.monotonic(), logger: logger,
                    late: lateReceipt)
                let thread = try SnapshotThread(
                    "history", exchange: exchange, readiness: readiness,
                    nanosecondsToNext: { nanosecondsToNextMinute(unixNanoseconds: TimeSource.system.unix()) },
                    take: { recorder.record($0) })
                // Many late minutes wait while an old log is imported.
                lateReceipt.whenMany { thread.hurry() }
                try thread.start(isEager: true) { recorder.open() }
                (running.recorder, running.historyThread) = (recorder, thread)
                running.threads.append(thread)
            }
            if let folder = options.jsonDirectory {
                let dump = SnapshotDump(
                    folder: folder, keptCount: options.jsonKeptCount, quantiles: quantiles, logger: logger)
                let interval = options.jsonIntervalNanoseconds
                let thread = try SnapshotThread(
                    "json", exchange: exchange, readiness: readiness, nanosecondsToNext: { interval },
                    take: { dump.write($0) })
                try thread.start(isEager: false)
                running.dump = dump
                running.threads.append(thread)
            }
        }
    }

    /// Has the history take what came until now, since the wall clock was stepped: until here its minutes are those of the clock
    /// as it was.
    func noteClockStep() { running.withLock { $0.historyThread }?.hurry() }

    /// Records what came last. Called once, when nothing is drained any more.
    func stop() {
        let running = running.withLock { $0 }
        for thread in running.threads { thread.stop() }
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

/// How long it is to the next whole minute of the wall clock; between 1 ns and a minute, whatever the clock says.
func nanosecondsToNextMinute(unixNanoseconds: Int64) -> Int64 {
    let minute: Int64 = 60_000_000_000
    let past = unixNanoseconds % minute
    return minute - (past < 0 ? past + minute : past)
}
