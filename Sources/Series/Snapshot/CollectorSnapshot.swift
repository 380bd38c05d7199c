package import Sketch

/// The collector's statistics of itself.
package struct CollectorSnapshot: Sendable {
    package var version: String
    package var uptimeSeconds: Double
    /// The duration of each drain cycle in seconds, since the collector began.
    package var drainCycle: HistogramSummary
    package var drainCycleSketch: SketchSnapshot
    /// The longest cycle of the last minute, in seconds; nil if there was none. The longest one since the beginning is
    /// the maximum of `drainCycle`.
    package var worstRecentCycle: Double?
    /// The time to read one record over the last minute, in seconds: the time spent on rings divided by the number of
    /// their records, without the work on windows. Nil if there was no record.
    package var recordCost: Double?
    /// Nil if there is no configuration file.
    package var configuration: ConfigurationStatus?
    /// Why a restart would lose the present counts; nil if it would not.
    package var checkpointFailure: String?
    /// The numbers of bots and series, and their limits; nil in a replay.
    package var limits: LimitStatus?
    /// The part of the stored state that was not restored at the start; nil if all of it was.
    package var stateSetAside: StateSetAsideStatus?
    /// The destinations of exports, by name.
    package var exports: [ExportStatus]
    /// The history and the JSON dumps, which work beside the drain.
    package var services: [ServiceStatus] = []
    /// Rings in the directory that are not read, by name.
    package var skippedRings: [SkippedRing] = []
    /// The machine's clocks; nil if they are not observed, as in a replay.
    package var clock: ClockSnapshot?

    package init(
        version: String, uptimeSeconds: Double, drainCycle: HistogramSummary, drainCycleSketch: SketchSnapshot,
        worstRecentCycle: Double? = nil, recordCost: Double? = nil, configuration: ConfigurationStatus? = nil,
        checkpointFailure: String? = nil, exports: [ExportStatus] = []
    ) {
        self.version = version
        self.uptimeSeconds = uptimeSeconds
        self.drainCycle = drainCycle
        self.drainCycleSketch = drainCycleSketch
        self.worstRecentCycle = worstRecentCycle
        self.recordCost = recordCost
        self.checkpointFailure = checkpointFailure
        self.exports = exports
        self.configuration = configuration
    }
}

/// The result of the last loading of the collector's configuration.
package struct ConfigurationStatus: Sendable {
    package var isLastReloadSuccessful: Bool
    /// The time at which the present configuration was read, in nanoseconds since the Unix epoch.
    package var lastSuccessUnixNanoseconds: Int64

    package init(isLastReloadSuccessful: Bool, lastSuccessUnixNanoseconds: Int64) {
        self.isLastReloadSuccessful = isLastReloadSuccessful
        self.lastSuccessUnixNanoseconds = lastSuccessUnixNanoseconds
    }
}
