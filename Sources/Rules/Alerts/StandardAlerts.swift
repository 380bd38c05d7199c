internal import Series

extension AlertDefinition {
    /// The trading catalogue's alerts, in force unless the configuration says otherwise: P0 at once, P1 within 15
    /// minutes, P2 on the same business day. Each reads an instrument of the catalogue, so a bot without it costs
    /// nothing.
    package static let standard: [AlertDefinition] = (liveness + collector + p0 + p1 + p2).map {
        var alert = $0
        alert.resolveSeconds = standardResolveSeconds
        return alert
    }

    /// The time for which a condition must not hold before its alert ends, so that one stray value ends no alert. A
    /// condition that flaps keeps its alert firing for longer (``FiringHysteresis``).
    package static let standardResolveSeconds = FiringHysteresis.standardCalmSeconds

    /// Alerts about bots that can no longer report for themselves. Each tells people what to check.
    private static let liveness = [
        AlertDefinition(
            name: "bot_down", severity: "P0", instrument: botDown, threshold: 0
        ).annotated(
            "the bot is down", "Its process ended without closing its ring. Alerts that fired stay as they were.",
            "'ringside list' shows its ring, 'ringside dump NAME' its records; 'ringside forget BOT' ends this alert."),
        AlertDefinition(
            name: "bot_hung", severity: "P0", instrument: botHung, threshold: 0
        ).annotated(
            "the bot hangs",
            "Its process lives, and none of its lanes has moved for three times its longest usual pause.",
            "Look whether the process is stopped, waits for a lock or a disk, or has no data."),
        AlertDefinition(
            name: "lane_down", severity: "P1", instrument: laneDown, threshold: 0
        ).annotated(
            "a lane of the bot is down", "The lane's owner ended without closing it, while other lanes are up.",
            "'ringside dump NAME' shows its last records; 'ringside sweep' removes it once it is not needed."),
        AlertDefinition(
            name: "lane_silent", severity: "P2", instrument: laneSilent, threshold: 0
        ).annotated(
            "a lane of the bot is silent",
            "It has not moved for three times its longest usual pause, while other lanes move.",
            "Look at the thread that writes it."),
        AlertDefinition(
            name: "bot_restarting", severity: "P1", instrument: lives, statistic: .increase, threshold: 2
        ).annotated(
            "the bot restarts again and again", "It has begun more than two lives in a minute.",
            "Look at the bot's log and at its service manager."),
    ]

    /// Alerts about the collector itself, and about records and state that it loses.
    private static let collector = [
        AlertDefinition(
            name: "state_not_saved", severity: "P1", instrument: stateNotSaved, threshold: 0, forSeconds: 60
        ).annotated(
            "the collector's state is not saved",
            "A restart now would forget what was counted since the last checkpoint.",
            "/health says why, as checkpoint_failure: a full disk, or a folder that cannot be written."),
        AlertDefinition(
            name: "export_failing", severity: "P1", instrument: exportFailing, threshold: 0, forSeconds: 300
        ).annotated(
            "an export fails", "What waits for it is kept as long as its bounds allow, and dropped then.",
            "/health and the log name the export and the answer that it got."),
        AlertDefinition(
            name: "clock_untrusted", severity: "P2", instrument: tickJumps, statistic: .increase, window: .fiveMinutes,
            threshold: 0
        ).annotated(
            "the machine's clock cannot be trusted", "Its ticks did not go on with the system's clock.",
            "Durations around that moment may be wrong; look at the virtual machine's host."),
        AlertDefinition(
            name: "window_incomplete", severity: "P2", instrument: windowIncomplete, labels: [Label("window", "1m")],
            threshold: 0, forSeconds: 300
        ).annotated(
            "windows of the bot are incomplete", "For minutes records were lost, or metrics were switched off.",
            "'ringside doctor' says which ring is too small; 'ringside control' shows what is off."),
        AlertDefinition(
            name: "collector_behind", severity: "P1", instrument: drainWait, threshold: 1, forSeconds: 60
        ).annotated(
            "the collector is behind",
            "For a minute records have waited for more than a second before they were drained.",
            "The machine has too little processor time for ringsided, or its rings are too many."),
    ]

    /// The alerts that `unusual_level_alerts` adds.
    package static let ofUnusualLevels: [AlertDefinition] = [
        AlertDefinition(name: "level_unusually_high", severity: "P2", instrument: unusualLevel, threshold: 0).annotated(
            "a series of the bot is unusually high",
            "A rate, a quantile or a gauge is above all that is usual at this time of day.",
            "'ringside report' and /latest, under levels, show each, its usual range and since when."),
        AlertDefinition(
            name: "level_unusually_low", severity: "P2", instrument: unusualLevel, comparison: .below, threshold: 0
        ).annotated(
            "a series of the bot is unusually low",
            "A rate, a quantile or a gauge is below all that is usual at this time of day.",
            "'ringside report' and /latest, under levels, show each, its usual range and since when."),
    ].map {
        var alert = $0
        alert.resolveSeconds = standardResolveSeconds
        return alert
    }

    private func annotated(_ summary: String, _ description: String, _ advice: String) -> AlertDefinition {
        var definition = self
        definition.annotations = Annotations(summary: summary, description: "\(description) \(advice)")
        return definition
    }

    private static let p0 = [
        AlertDefinition(
            name: "circuit_breaker_active", severity: "P0", instrument: "strategy_circuit_breaker_active", threshold: 0),
        AlertDefinition(
            name: "daily_loss_above_limit", severity: "P0", instrument: "strategy_daily_loss_usd",
            divisor: "strategy_daily_loss_limit_usd", threshold: 1),
        AlertDefinition(
            name: "market_data_disconnected", severity: "P0", instrument: "market_data_connected", comparison: .below,
            threshold: 1, forSeconds: 5),
        AlertDefinition(
            name: "execution_api_down", severity: "P0", instrument: "execution_api_up", comparison: .below,
            threshold: 1,
            forSeconds: 5),
        AlertDefinition(
            name: "memory_rising", severity: "P0", instrument: residentMemory, statistic: .growth, window: .halfHour,
            threshold: 0.2),
        AlertDefinition(
            name: "kill_switch_active", severity: "P0", instrument: "strategy_kill_switch_active", threshold: 0,
            forSeconds: 60),
    ]

    private static let p1 = [
        AlertDefinition(
            name: "submit_to_ack_slow", severity: "P1", instrument: "orders_submit_to_ack_latency_seconds",
            statistic: .quantile(0.99), threshold: 0.005, forSeconds: 60),
        AlertDefinition(
            name: "slippage_high", severity: "P1", instrument: "orders_slippage_bps", statistic: .quantile(0.95),
            threshold: 50, forSeconds: 300),
        AlertDefinition(
            name: "inference_failing", severity: "P1", instrument: "strategy_inference_failures_total",
            statistic: .ratio, divisor: "strategy_inference_seconds", window: .fiveMinutes, threshold: 0.01),
        AlertDefinition(
            name: "risk_checks_failing", severity: "P1", instrument: "risk_check_failures_total", statistic: .rate,
            threshold: 1),
        AlertDefinition(
            name: "fill_rate_low", severity: "P1", instrument: "orders_filled_total", statistic: .ratio,
            divisor: "orders_submitted_total", window: .quarterHour, comparison: .below, threshold: 0.2, minimum: 50),
        AlertDefinition(
            name: "rate_limit_hit", severity: "P1", instrument: "execution_rate_limit_hits_total",
            statistic: .increase, window: .fiveMinutes, comparison: .atLeast, threshold: 3),
        AlertDefinition(
            name: "data_invalid", severity: "P1", instrument: "data_validation_errors_total", statistic: .rate,
            window: .fiveMinutes, threshold: 10),
        AlertDefinition(
            name: "bot_silent", severity: "P1", instrument: lastRecordAge, threshold: 30),
    ]

    private static let p2 = [
        AlertDefinition(
            name: "market_data_slow", severity: "P2", instrument: "market_data_websocket_latency_seconds",
            statistic: .quantile(0.99), threshold: 0.00002, forSeconds: 900),
        AlertDefinition(
            name: "cpu_high", severity: "P2", instrument: processorTime, statistic: .rate, threshold: 0.9,
            forSeconds: 900),
        AlertDefinition(
            name: "market_data_rate_low", severity: "P2", instrument: "market_data_messages_total",
            statistic: .rateToMedian, window: .hour, comparison: .below, threshold: 0.1, minimum: 60),
        AlertDefinition(
            name: "queue_backlog_deep", severity: "P2", instrument: "queue_backlog_depth", threshold: 10_000,
            forSeconds: 300),
        AlertDefinition(
            name: "retries_frequent", severity: "P2", instrument: "execution_retries_total", statistic: .ratio,
            divisor: "orders_submitted_total", window: .quarterHour, threshold: 0.05),
        AlertDefinition(
            name: "records_lost", severity: "P2", instrument: lostRecords, statistic: .increase, window: .fiveMinutes,
            threshold: 0),
    ]
}

extension ObjectiveWindow {
    fileprivate static let quarterHour = ObjectiveWindow(name: "15m", lengthSeconds: 900)!
}
