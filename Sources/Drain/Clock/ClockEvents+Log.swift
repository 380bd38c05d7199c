internal import Platform

extension Logger {
    /// Says what happened to the machine's clocks, and what it means for what is shown.
    func note(_ events: [ClockEvent]) {
        for event in events {
            switch event {
            case .wallClockStep(let nanoseconds):
                warn(
                    "wall clock stepped; windows go by CLOCK_MONOTONIC and are not touched",
                    [("seconds", .number(Double(nanoseconds) * 1e-9))])
            case .suspend(let nanoseconds):
                warn("machine was suspended", [("seconds", .number(Double(nanoseconds) * 1e-9))])
            case .tickJump:
                warn("the tick counter did not go on with CLOCK_MONOTONIC; it is measured anew")
            }
        }
    }
}
