internal import Series

/// Whether an alert that fires can be judged while its bot is silent.
extension AlertEvaluator.Instance {
    /// A bot silent for longer than this is not believed to have recovered: its windows empty by themselves.
    private static let silenceSeconds = 2.0

    /// Returns whether the alert's state is unknown: its bot is down, hangs or has lost its ring.
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

    /// Whether the alert compares something that the collector knows by itself, whatever the bot writes.
    var isOfAccount: Bool { statistic == .value && ShownSeries.owns(instrument) }

    /// Whether the alert compares the present value of a gauge or a total.
    var isOfPresentValue: Bool { [.value, .growth, .absent].contains(statistic) }

    /// Whether the value changes by the passing of time alone.
    var isOfTimespan: Bool { !isOfPresentValue }

    /// 1 where the bot's owner is gone and no lane was closed, 0 where it is up or closed.
    package static let botDown = "ringside_bot_down"
    /// 1 for a lane whose owner is gone and did not close it, while the bot's other lanes are up.
    package static let laneDown = "ringside_lane_down"
    /// 1 where the bot's process lives and none of its lanes has moved for much longer than its longest usual pause.
    package static let botHung = "ringside_bot_hung"
    /// 1 for a lane that has not moved for much longer than its longest usual pause, while other lanes move.
    package static let laneSilent = "ringside_lane_silent"
    /// Lives that the bot's lanes have begun.
    package static let lives = "ringside_bot_lives_total"

    /// The bot name of the collector's own alerts.
    package static let collectorName = ""

    /// 1 where the collector's state is not saved.
    package static let stateNotSaved = "ringside_state_not_saved"
    /// 1 for an export, the history or the JSON dumps where the last attempt failed.
    package static let exportFailing = "ringside_export_failing"
    /// How often the tick counter did not go on with the system's clock; times of records around such a jump are in
    /// doubt.
    package static let tickJumps = "ringside_clock_tick_jumps_total"
    /// The collector's own series that are known without rendering /metrics.
    static let ofCollector: Set<String> = [stateNotSaved, exportFailing, tickJumps, drainWait]
    /// Seconds for which records waited in a ring for their drain, the longest of all rings and of the last seconds.
    package static let drainWait = "ringside_drain_wait_seconds"
    /// 1 for a window of the bot in which records were lost or metrics were off.
    package static let windowIncomplete = "ringside_window_incomplete"
    /// Seconds from a record's time to its drain, the longest of the last minute.
    package static let drainLag = "ringside_drain_lag_worst_recent_seconds"

    /// The standard alerts that cause other alerts of the same bot.
    package static let causes: Set<String> = ["bot_down", "bot_hung"]

    static let livenessInstruments: Set<String> = [botDown, laneDown, botHung, laneSilent, lastRecordAge, lives]
}
