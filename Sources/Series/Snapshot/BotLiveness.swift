extension BotSnapshot {
    /// Up if a lane is up, otherwise down if a lane is down, otherwise closed if a lane is closed, otherwise unknown.
    package var presence: LanePresence {
        for presence in [LanePresence.up, .down, .closed] where rings.contains(where: { $0.presence == presence }) {
            return presence
        }
        return .unknown
    }

    /// Seconds since the last activity of one of its lanes; nil if none was ever seen. A pause meter does not count,
    /// because it is active whether the bot is or not.
    package var activityAge: Double? {
        rings.filter { $0.presence == .up && $0.showsActivity }.compactMap(\.activityAge).min()
    }

    /// Whether its process is alive, but it has paused for much longer than it usually does.
    package var isHung: Bool {
        let up = rings.filter { $0.presence == .up }
        if up.contains(where: \.isPauseMeterLate) { return true }
        let own = up.filter(\.showsActivity)
        // Lanes without a usual pause do not count, but one that is active shows that the bot is alive.
        let judged = own.filter { $0.usualPause != nil }
        return !judged.isEmpty && judged.allSatisfy { $0.isOverdue(atLeast: 2.5) }
            && own.allSatisfy { ($0.activityAge ?? .infinity) > 2.5 }
    }
}

extension RingSnapshot {
    /// Whether it is the lane of a pause meter that is late. A pause meter writes at least once a second.
    fileprivate var isPauseMeterLate: Bool {
        guard !showsActivity, let activityAge else { return false }
        return activityAge > max(2.5, 3 * (usualPause ?? 0))
    }

    /// Returns whether the lane has been silent for longer than three times its longest usual pause, and for longer
    /// than `seconds`.
    package func isOverdue(atLeast seconds: Double) -> Bool {
        guard presence == .up, let activityAge, let usualPause else { return false }
        return activityAge > max(seconds, 3 * usualPause)
    }
}
