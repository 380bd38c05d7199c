extension AlertDefinition {
    /// The trading catalogue's alerts, in force unless the configuration says otherwise: P0 at once, P1 within 15 minutes, P2 on
    /// the same business day. Each looks at an instrument of the catalogue, so a bot without it costs nothing.
    package static let standard: [AlertDefinition] = atOnce + soon + today

    private static let atOnce = [
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
            name: "kill_switch_active", severity: "P0", instrument: "strategy_kill_switch_active", threshold: 0,
            forSeconds: 60),
    ]

    private static let soon = [
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

    private static let today = [
        AlertDefinition(
            name: "market_data_slow", severity: "P2", instrument: "market_data_websocket_latency_seconds",
            statistic: .quantile(0.99), threshold: 0.00002, forSeconds: 900),
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
