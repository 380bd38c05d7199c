/// The names of the series that the ready-made alerts look at.
extension AlertDefinition {
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
