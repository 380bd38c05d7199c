internal import Configuration
internal import Platform

/// The times since which bots have no producer.
///
/// It uses CLOCK_MONOTONIC, so that a step of the wall clock has no effect. The time that the machine is off does not
/// count.
struct GoneBots {
    private var states: [String: GoneState] = [:]

    private static let hour: Int64 = 3_600_000_000_000

    var all: [GoneState] { Array(states.values) }

    /// Restores the state of an earlier collector.
    ///
    /// - Parameter isSameBoot: Whether the times are of this boot.
    mutating func restore(_ saved: [GoneState], isSameBoot: Bool, now: MonotonicTime) {
        for var state in saved {
            if !isSameBoot || state.since > now {
                state.before = max(0, min(state.wholeHours, .max / Self.hour)) * Self.hour
                state.since = now
            }
            states[state.bot] = state
        }
    }

    /// Records which bots are gone now. All others are back.
    ///
    /// - Returns: The nanoseconds for which each bot has been gone.
    mutating func look(at gone: [String], now: MonotonicTime) -> [(bot: String, nanoseconds: Int64)] {
        var next: [String: GoneState] = [:]
        let ages = gone.map { bot in
            var state = states[bot] ?? GoneState(bot: bot, since: now, before: 0, wholeHours: 0)
            let age = max(0, state.before) &+ max(0, now &- state.since)
            state.wholeHours = age / Self.hour
            next[bot] = state
            return (bot, age)
        }
        states = next
        return ages
    }

    mutating func forget(_ bot: String) { states[bot] = nil }
}
