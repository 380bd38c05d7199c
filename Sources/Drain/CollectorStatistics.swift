internal import Platform
internal import Series
internal import Sketch

/// The durations of the collector's turns, and the cost of a record.
struct CollectorStatistics: ~Copyable {
    private let version: String
    private let started: MonotonicTime
    private var cycles = Distribution()
    private var worstCycles = RecentWindow<Int64>()
    private var costs = RecentWindow<DrainCost>()

    /// The total of the drains of some time.
    private struct DrainCost {
        var nanoseconds: Int64 = 0
        var records: Int = 0
    }

    init(version: String, now: MonotonicTime) {
        self.version = version
        started = now
    }

    /// Records the length of a whole turn, without the time to make a snapshot.
    mutating func noteCycle(nanoseconds: Int64, now: MonotonicTime) {
        cycles.insert(Double(nanoseconds) * 1e-9)
        worstCycles.noteGreatest(nanoseconds, now: now)
    }

    /// Records the cost of reading all rings in one turn.
    mutating func noteDrain(records: Int, nanoseconds: Int64, now: MonotonicTime) {
        guard records > 0 else { return }
        costs.note(now: now) {
            let before = $0 ?? DrainCost()
            $0 = DrainCost(nanoseconds: before.nanoseconds + nanoseconds, records: before.records + records)
        }
    }

    mutating func snapshot(
        now: MonotonicTime, configuration: ConfigurationStatus?, checkpointFailure: String?, exports: [ExportStatus]
    ) -> CollectorSnapshot {
        let costs = costs.values(now: now)
        let records = costs.reduce(0) { $0 + $1.records }
        let nanoseconds = costs.reduce(0) { $0 + $1.nanoseconds }
        return CollectorSnapshot(
            version: version, uptimeSeconds: Double(now - started) * 1e-9,
            drainCycle: cycles.summary(quantiles: SeriesOptions.standardQuantiles),
            drainCycleSketch: cycles.sketch.snapshot(),
            worstRecentCycle: worstCycles.greatest(now: now).map { Double($0) * 1e-9 },
            recordCost: records > 0 ? Double(nanoseconds) * 1e-9 / Double(records) : nil,
            configuration: configuration, checkpointFailure: checkpointFailure, exports: exports)
    }
}
