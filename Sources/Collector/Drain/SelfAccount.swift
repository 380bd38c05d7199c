internal import Series
internal import Sketch

/// What the collector keeps of itself.
struct SelfAccount: ~Copyable {
    private let version: String
    private let started: MonotonicTime
    private var cycles = Distribution()

    init(version: String, now: MonotonicTime) {
        self.version = version
        started = now
    }

    mutating func noteCycle(nanoseconds: Int64) {
        cycles.insert(Double(nanoseconds) * 1e-9)
    }

    func snapshot(
        now: MonotonicTime, configuration: ConfigurationStatus?, checkpointFailure: String?, exports: [ExportStatus]
    ) -> CollectorSnapshot {
        CollectorSnapshot(
            version: version, uptimeSeconds: Double(now - started) * 1e-9,
            drainCycle: cycles.summary(quantiles: SeriesOptions.standardQuantiles),
            drainCycleSketch: cycles.sketch.snapshot(), configuration: configuration,
            checkpointFailure: checkpointFailure, exports: exports)
    }
}
