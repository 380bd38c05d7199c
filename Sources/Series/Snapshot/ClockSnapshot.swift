/// What the collector knows of the machine's clocks.
package struct ClockSnapshot: Equatable, Sendable {
    /// What ticks: `tsc`, `cntvct`, or `monotonic` where the machine has no counter that can be trusted.
    package var source: String
    /// By how much a tick is longer now than it was when it was first known to 1e-8, after ten seconds, as a share of it; nil
    /// before.
    package var driftRatio: Double?
    /// How often the wall clock was stepped since the collector began.
    package var steps: UInt64
    /// By how many seconds the last time, ahead where positive; nil where it never was.
    package var lastStepSeconds: Double?
    /// How often the machine was suspended since the collector began, and for how long in all.
    package var suspends: UInt64
    package var suspendedSeconds: Double
    /// How often the ticks did not go on with CLOCK_MONOTONIC.
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
