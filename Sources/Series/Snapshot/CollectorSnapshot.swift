package import Sketch

/// What the collector says of itself.
package struct CollectorSnapshot: Sendable {
    package var version: String
    package var uptimeSeconds: Double
    /// Seconds that each drain cycle took, since the collector began.
    package var drainCycle: HistogramSummary
    package var drainCycleSketch: SketchSnapshot
    /// The longest cycle of the last minute, in seconds; that since the beginning is the maximum of `drainCycle`. Nil where
    /// none was made.
    package var worstRecentCycle: Double?
    /// What the reading of one record took over the last minute, in seconds: the time in which rings were read by the records
    /// that came of it, without the turning of windows. Nil where no record came.
    package var recordCost: Double?
    /// Nil where there is no configuration to speak of.
    package var configuration: ConfigurationStatus?
    /// What is wrong with the state directory, so that a restart would forget what is counted now; nil where nothing is.
    package var checkpointFailure: String?
    /// How many bots and series there are and may be; nil of a replay.
    package var limits: LimitStatus?
    /// What the start did not take of the state that it found; nil where it took all of it.
    package var stateSetAside: StateSetAsideStatus?
    /// The destinations that it sends to, by name.
    package var exports: [ExportStatus]
    /// What works beside the drain.
    package var services: [ServiceStatus] = []
    /// Rings that lie in the directory and are not read, by name.
    package var unreadRings: [UnreadRing] = []
    /// The machine's clocks; nil where nobody looks at them, as in a replay.
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

/// A ring that is not read, and why.
package struct UnreadRing: Equatable, Sendable {
    package var ring: String
    package var reason: String

    package init(ring: String, reason: String) {
        self.ring = ring
        self.reason = reason
    }
}

/// How the last loading of the collector's configuration went.
package struct ConfigurationStatus: Sendable {
    package var isLastReloadSuccessful: Bool
    /// When the configuration in force was read, in nanoseconds since the Unix epoch.
    package var lastSuccessUnixNanoseconds: Int64

    package init(isLastReloadSuccessful: Bool, lastSuccessUnixNanoseconds: Int64) {
        self.isLastReloadSuccessful = isLastReloadSuccessful
        self.lastSuccessUnixNanoseconds = lastSuccessUnixNanoseconds
    }
}
