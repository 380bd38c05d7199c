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

    /// 1 if no lane of the bot is up and one ended without closing its ring; 0 if a lane is up, or if none is down and
    /// one closed its ring.
    package static let botDown = "ringside_bot_down"
    /// 1 for a lane whose producer ended without closing it, while other lanes of the bot are up.
    package static let laneDown = "ringside_lane_down"
    /// 1 if the bot's process is alive and none of its lanes has been active for much longer than its longest usual
    /// pause.
    package static let botHung = "ringside_bot_hung"
    /// 1 for a lane that has not been active for much longer than its longest usual pause, while other lanes are.
    package static let laneSilent = "ringside_lane_silent"
    /// The number of lives that the bot's lanes have begun.
    package static let lives = "ringside_bot_lives_total"

    /// The bot name of the collector's own alerts.
    package static let collectorName = ""

    /// 1 if the collector's state is not saved.
    package static let stateNotSaved = "ringside_state_not_saved"
    /// 1 for an export, the history or the JSON dumps if the last attempt failed.
    package static let exportFailing = "ringside_export_failing"
    /// The number of times that the tick counter jumped relative to the system's clock. The times of records around
    /// such a jump are in doubt.
    package static let tickJumps = "ringside_clock_tick_jumps_total"
    /// The collector's own series that are known without rendering /metrics.
    static let ofCollector: Set<String> = [stateNotSaved, exportFailing, tickJumps, drainWait]
    /// The longest time that a record waited for its drain in the last seconds, of all rings, in seconds.
    package static let drainWait = "ringside_drain_wait_seconds"
    /// 1 for a window of the bot that is incomplete, for example because records were lost or metrics were disabled.
    package static let windowIncomplete = "ringside_window_incomplete"
    /// The longest time from a record's time to its drain in the last minute, in seconds.
    package static let drainLag = "ringside_drain_lag_worst_recent_seconds"

    /// The standard alerts that cause other alerts of the same bot.
    package static let causes: Set<String> = ["bot_down", "bot_hung"]

    static let livenessInstruments: Set<String> = [botDown, laneDown, botHung, laneSilent, lastRecordAge, lives]
}
