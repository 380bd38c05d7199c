import Ringside

/// The strategy's stages, and what it thinks of the market.
struct StrategyInstruments {
    let candleProcessing: RecordedDuration
    let signalGeneration: RecordedDuration
    let orderExecution: RecordedDuration
    let signals: [RecordedCounter]
    let signalStrength: RecordedHistogram
    let regime: RecordedGauge
    /// By the regime that was left, then by the one that came.
    let regimeTransitions: [[RecordedCounter?]]

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategy: Recorder.LabelPairs = ["strategy": bot.strategy]
        candleProcessing = try recorder.duration(
            telemetry, "strategy_candle_processing_seconds", help: "Taking a trade into the candles.", strategy)
        signalGeneration = try recorder.duration(
            telemetry, "strategy_signal_generation_seconds", help: "Computing the signal from the book.", strategy)
        orderExecution = try recorder.duration(
            telemetry, "strategy_order_execution_seconds", help: "From the decision for an order to its sending.",
            strategy)
        signals = try SignalDirection.allCases.map { direction throws(RegistrationError) in
            try recorder.counter(
                telemetry, "strategy_signals_generated_total", help: "Signals computed.",
                ["strategy": bot.strategy, "direction": direction.label])
        }
        signalStrength = try recorder.histogram(
            telemetry, "strategy_signal_strength", help: "The signal, from -1 (sell) to 1 (buy).", strategy)
        regime = try recorder.gauge(
            telemetry, "strategy_regime_state", help: "0 calm, 1 normal, 2 storm.", strategy)
        regimeTransitions = try Regime.allCases.map { from throws(RegistrationError) in
            try Regime.allCases.map { to throws(RegistrationError) in
                guard from != to else { return nil }
                return try recorder.counter(
                    telemetry, "strategy_regime_transitions_total", help: "Changes of the regime.",
                    ["from_regime": from.label, "to_regime": to.label])
            }
        }
    }
}

/// What the bot owns and has earned.
struct PortfolioInstruments {
    let grossExposure: RecordedGauge
    let netExposure: RecordedGauge
    let portfolioValue: RecordedGauge
    let openPositions: RecordedGauge
    let realized: RecordedGauge
    let unrealized: RecordedGauge
    let total: RecordedGauge

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategy: Recorder.LabelPairs = ["strategy": bot.strategy]
        grossExposure = try recorder.gauge(
            telemetry, "strategy_portfolio_gross_exposure_usd", unit: .usd, help: "Size of the position.", strategy)
        netExposure = try recorder.gauge(
            telemetry, "strategy_portfolio_net_exposure_usd", unit: .usd, help: "The position, negative when short.",
            strategy)
        portfolioValue = try recorder.gauge(
            telemetry, "strategy_portfolio_value_usd", unit: .usd, help: "Cash and position.", strategy)
        openPositions = try recorder.gauge(
            telemetry, "strategy_open_positions", help: "Symbols in which a position is open.", strategy)
        realized = try recorder.gauge(
            telemetry, "strategy_pnl_realized_usd", unit: .usd, help: "Profit of closed positions.", strategy)
        unrealized = try recorder.gauge(
            telemetry, "strategy_pnl_unrealized_usd", unit: .usd, help: "Profit of the open position.", strategy)
        total = try recorder.gauge(
            telemetry, "strategy_pnl_total_usd", unit: .usd, help: "Profit, realized and unrealized.", strategy)
    }
}

/// What stops the bot.
struct LimitInstruments {
    let dailyLoss: RecordedGauge
    let dailyLossLimit: RecordedGauge
    let killSwitchTrips: RecordedCounter
    let isKillSwitchActive: RecordedGauge
    let isCircuitBreakerActive: RecordedGauge

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategy: Recorder.LabelPairs = ["strategy": bot.strategy]
        dailyLoss = try recorder.gauge(
            telemetry, "strategy_daily_loss_usd", unit: .usd, help: "Loss since the session began, 0 in profit.",
            strategy)
        dailyLossLimit = try recorder.gauge(
            telemetry, "strategy_daily_loss_limit_usd", unit: .usd, help: "The loss above which orders are refused.",
            strategy)
        killSwitchTrips = try recorder.counter(
            telemetry, "strategy_kill_switches_triggered_total", help: "Times that the kill switch was thrown.",
            ["switch_type": "pnl"])
        isKillSwitchActive = try recorder.gauge(
            telemetry, "strategy_kill_switch_active", help: "1 while the kill switch holds, else 0.",
            ["switch_type": "pnl"])
        isCircuitBreakerActive = try recorder.gauge(
            telemetry, "strategy_circuit_breaker_active", help: "1 while losses stop the trading, else 0.", strategy)
    }
}
