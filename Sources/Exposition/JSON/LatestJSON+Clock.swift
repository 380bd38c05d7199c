internal import JSON
import Series

extension JSONWriter {
    /// Writes the state of the machine's clocks; null if they are not observed, as in a replay.
    mutating func clock(_ clock: ClockSnapshot?) {
        key("clock")
        guard let clock else { return null() }
        object {
            $0.key("source")
            $0.string(clock.source)
            $0.key("drift_ratio")
            $0.number(clock.driftRatio)
            $0.key("steps")
            $0.integer(clock.steps)
            $0.key("last_step")
            $0.number(clock.lastStepSeconds)
            $0.key("suspends")
            $0.integer(clock.suspends)
            $0.key("suspended")
            $0.number(clock.suspendedSeconds)
            $0.key("tick_jumps")
            $0.integer(clock.tickJumps)
        }
    }
}
