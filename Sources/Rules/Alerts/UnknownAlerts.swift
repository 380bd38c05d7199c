internal import Series

/// Decides whether a firing alert can be judged while its bot is silent.
extension AlertEvaluator.Instance {
    /// A bot that is silent for longer than this does not count as recovered, because its windows empty by themselves.
    private static let silenceSeconds = 2.0

    /// Returns whether the state of a firing alert is unknown, because its bot is down, hangs or has lost its ring.
    ///
    /// - Parameter holds: Whether the condition holds by the latest reading.
    func isUnknown(_ bot: BotSnapshot?, _ reading: AlertReading?, holds: Bool) -> Bool {
        guard let bot else { return true }
        if bot.name == AlertDefinition.collectorName { return false }
        if definition.isOfLiveness || definition.isOfAccount, reading != nil { return false }
        switch bot.presence {
        case .closed: return false
        case .down, .unknown: return true
        case .up: break
        }
        if let lane = bot.rings.first(where: { $0.lane == self.lane }), !self.lane.isEmpty || bot.rings.count == 1 {
            if lane.presence == .down || lane.presence == .unknown { return true }
            if lane.presence == .closed { return false }
        }
        if reading == nil, definition.isOfPresentValue { return true }
        guard !holds, definition.isOfTimespan || reading == nil else { return false }
        // A window that empties because nothing new arrives is no improvement.
        return bot.activityAge.map { $0 > Self.silenceSeconds } ?? false
    }
}

extension AlertDefinition {
    /// Whether the alert is about the bot's liveness.
    var isOfLiveness: Bool { Self.livenessInstruments.contains(instrument) }

    /// Whether the alert compares a value that the collector knows by itself, whatever the bot writes.
    var isOfAccount: Bool { statistic == .value && ShownSeries.owns(instrument) }

    /// Whether the alert compares the present value of a gauge or a total.
    var isOfPresentValue: Bool { [.value, .growth, .absent].contains(statistic) }

    /// Whether the value changes as time passes, without any record.
    var isOfTimespan: Bool { !isOfPresentValue }
}
