/// The state of the machine's clocks.
package struct ClockSnapshot: Equatable, Sendable {
    /// The source of ticks: `tsc`, `cntvct`, or `monotonic` if the machine has no counter that can be trusted.
    package var source: String
    /// The relative change of the tick's length since it was first known to 1e-8, after ten seconds; nil before.
    package var driftRatio: Double?
    /// The number of steps of the wall clock since the collector began.
    package var steps: UInt64
    /// The seconds of the last step, positive if it was ahead; nil if there was none.
    package var lastStepSeconds: Double?
    /// The number and the duration of the machine's suspends since the collector began.
    package var suspends: UInt64
    package var suspendedSeconds: Double
    /// The number of times that the ticks jumped relative to CLOCK_MONOTONIC.
    package var tickJumps: UInt64

    package init(
        source: String, driftRatio: Double?, steps: UInt64, lastStepSeconds: Double?, suspends: UInt64,
        suspendedSeconds: Double, tickJumps: UInt64
    ) {
        self.source = source
        self.driftRatio = driftRatio
        self.steps = steps
        self.lastStepSeconds = lastStepSeconds
        self.suspends = suspends
        self.suspendedSeconds = suspendedSeconds
        self.tickJumps = tickJumps
    }
}
