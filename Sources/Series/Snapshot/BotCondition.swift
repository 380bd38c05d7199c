/// The condition of a bot or of one of its lanes, in one word.
package enum BotCondition: String, Sendable {
    case up
    /// It is up, but one of its lanes is down or silent.
    case degraded
    /// Its process is alive, but none of its lanes is active.
    case hung
    /// It is up, but has paused for much longer than it usually does.
    case silent
    /// It ended without closing its ring.
    case down
    /// It closed its ring.
    case closed
    /// It is not watched.
    case unknown
}

extension BotSnapshot {
    /// The condition of the bot.
    package var condition: BotCondition {
        switch presence {
        case .down: return .down
        case .closed: return .closed
        case .unknown: return .unknown
        case .up: break
        }
        if isHung { return .hung }
        let silence = rings.filter { $0.isUp && $0.showsActivity }.compactMap(\.silence).min() ?? 0
        if silence > Self.longestSilenceSeconds, activityAge.map({ $0 > Self.longestSilenceSeconds }) ?? true {
            return .silent
        }
        return rings.contains { [.down, .silent].contains(condition(of: $0)) } ? .degraded : .up
    }

    /// Returns the condition of one of its lanes.
    package func condition(of lane: RingSnapshot) -> BotCondition {
        switch lane.presence {
        case .down: .down
        case .closed: .closed
        case .unknown: .unknown
        case .up: isHung ? .hung : lane.showsActivity && lane.isOverdue(atLeast: 5) ? .silent : .up
        }
    }

    /// A bot without a known usual pause is silent after this time.
    private static let longestSilenceSeconds = 30.0
}
