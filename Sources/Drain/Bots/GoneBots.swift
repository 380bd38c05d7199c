internal import Configuration
package import Platform

/// Since when a bot is gone, as a checkpoint keeps it.
package struct GoneState: Equatable, Sendable {
    package var bot: String
    /// On CLOCK_MONOTONIC of the boot that it was kept in.
    package var since: MonotonicTime
    /// For how long it had been gone then, over earlier runs of the machine.
    package var before: Int64
    /// For how long in all, by whole hours: what is known of this run of the machine after it.
    package var wholeHours: Int64

    package init(bot: String, since: MonotonicTime, before: Int64, wholeHours: Int64) {
        self.bot = bot
        self.since = since
        self.before = before
        self.wholeHours = wholeHours
    }
}

/// How long the bots that have no producer have been without one.
///
/// It goes by CLOCK_MONOTONIC, which nobody sets: a step of the wall clock ages nothing. Over a restart of the machine the
/// time that it was off does not count.
struct GoneBots {
    private var states: [String: GoneState] = [:]

    private static let hour: Int64 = 3_600_000_000_000

    var all: [GoneState] { Array(states.values) }

    /// Takes up what an earlier collector kept.
    ///
    /// - Parameter isSameBoot: Whether the times are of this run of the machine.
    mutating func restore(_ kept: [GoneState], isSameBoot: Bool, now: MonotonicTime) {
        for var state in kept {
            if !isSameBoot || state.since > now {
                state.before = max(0, min(state.wholeHours, .max / Self.hour)) * Self.hour
                state.since = now
            }
            states[state.bot] = state
        }
    }

    /// Takes note of who is gone now; all others are back.
    ///
    /// - Returns: for how long each is gone, in nanoseconds.
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
