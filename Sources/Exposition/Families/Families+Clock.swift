import Series

/// The machine's clocks.
extension FamilyBuilder {
    mutating func addClock(_ clock: ClockSnapshot?) {
        let source = clock.map { [Label("source", $0.source)] } ?? []
        func sample(_ value: Number?) -> [Sample] { value.map { [($0, source)] } ?? [] }
        func plain(_ value: Number?) -> [Sample] { value.map { [($0, [])] } ?? [] }
        addAll(
            "ringside_clock_drift_ratio", .gauge,
            "By how much a tick is longer than it was in the collector's first ten seconds; source says what ticks.",
            sample(clock?.driftRatio.map { .real($0) }), unit: .ratio)
        addAll(
            "ringside_clock_steps_total", .counter, "How often the wall clock was stepped.",
            plain(clock.map { .unsigned($0.steps) }))
        addAll(
            "ringside_clock_last_step_seconds", .gauge, "By how much it was the last time, ahead where positive.",
            plain(clock?.lastStepSeconds.map { .real($0) }), unit: .seconds)
        addAll(
            "ringside_clock_suspends_total", .counter, "How often the machine was suspended.",
            plain(clock.map { .unsigned($0.suspends) }))
        addAll(
            "ringside_clock_suspended_seconds_total", .counter, "For how long the machine was suspended.",
            plain(clock.map { .real($0.suspendedSeconds) }), unit: .seconds)
        addAll(
            "ringside_clock_tick_jumps_total", .counter,
            "How often the tick counter did not go on with CLOCK_MONOTONIC and was measured anew.",
            plain(clock.map { .unsigned($0.tickJumps) }))
    }
}
