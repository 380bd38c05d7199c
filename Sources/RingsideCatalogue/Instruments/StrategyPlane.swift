public import Ringside

/// The strategies: their stages, their view of the market, their positions and profit, and their limits.
public enum StrategyPlane {
    public static let candleProcessing = InstrumentDefinition<DurationHistogram, Label.Strategy>(
        "strategy_candle_processing_seconds", help: "Taking a trade or a bar into the candles.")
    public static let signalGeneration = InstrumentDefinition<DurationHistogram, Label.Strategy>(
        "strategy_signal_generation_seconds", help: "Computing a signal.")
    public static let orderExecution = InstrumentDefinition<DurationHistogram, Label.Strategy>(
        "strategy_order_execution_seconds", help: "From the decision for an order to its sending, checks included.")
    public static let inference = InstrumentDefinition<DurationHistogram, Label.Strategy>(
        "strategy_inference_seconds", help: "One inference of a model.")
    public static let inferenceFailures = InstrumentDefinition<Counter, Label.Strategy>(
        "strategy_inference_failures_total", help: "Inferences that failed.")
    public static let signalsGenerated = InstrumentDefinition<Counter, Label.Strategy, Label.SignalDirection>(
        "strategy_signals_generated_total", help: "Signals computed.")
    public static let signalStrength = InstrumentDefinition<Histogram, Label.Strategy>(
        "strategy_signal_strength", help: "A signal's strength, negative where it points to selling.")
    public static let regimeState = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_regime_state", help: "The market's regime: 0 calm, 1 normal, 2 storm.")
    public static let regimeTransitions = InstrumentDefinition<Counter, Label.FromRegime, Label.ToRegime>(
        "strategy_regime_transitions_total", help: "Changes of the market's regime.")
    public static let solveTime = InstrumentDefinition<DurationHistogram, Label.Strategy>(
        "strategy_qp_solve_time_seconds", help: "One solution of the portfolio's quadratic program.")
    public static let solveStatus = InstrumentDefinition<Counter, Label.SolveStatus>(
        "strategy_qp_solve_status_total", help: "How the solutions of quadratic programs ended.")

    public static let definitions: [MetricDefinition] =
        [
            candleProcessing.metric, signalGeneration.metric, orderExecution.metric, inference.metric,
            inferenceFailures.metric, signalsGenerated.metric, signalStrength.metric, regimeState.metric,
            regimeTransitions.metric, solveTime.metric, solveStatus.metric,
        ] + portfolioDefinitions + limitDefinitions
}

/// Positions and profit.
extension StrategyPlane {
    public static let grossExposure = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_portfolio_gross_exposure_usd", unit: .usd, help: "Size of all positions.")
    public static let netExposure = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_portfolio_net_exposure_usd", unit: .usd, help: "All positions, short ones negative.")
    public static let portfolioValue = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_portfolio_value_usd", unit: .usd, help: "Cash and positions.")
    public static let openPositions = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_open_positions", help: "Symbols in which a position is open.")
    public static let realizedProfit = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_pnl_realized_usd", unit: .usd, help: "Profit of closed positions, costs deducted.")
    public static let unrealizedProfit = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_pnl_unrealized_usd", unit: .usd, help: "Profit of open positions at the market's price.")
    public static let totalProfit = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_pnl_total_usd", unit: .usd, help: "Profit, realized and unrealized.")

    private static let portfolioDefinitions = [
        grossExposure.metric, netExposure.metric, portfolioValue.metric, openPositions.metric, realizedProfit.metric,
        unrealizedProfit.metric, totalProfit.metric,
    ]
}

/// Conditions that stop a strategy.
extension StrategyPlane {
    public static let dailyLoss = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_daily_loss_usd", unit: .usd, help: "Loss since the session began; 0 while there is a profit.")
    public static let dailyLossLimit = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_daily_loss_limit_usd", unit: .usd, help: "The daily loss above which orders are refused.")
    public static let killSwitchTrips = InstrumentDefinition<Counter, Label.SwitchType>(
        "strategy_kill_switches_triggered_total", help: "Times that a kill switch was thrown.")
    public static let killSwitchActive = InstrumentDefinition<Gauge, Label.SwitchType>(
        "strategy_kill_switch_active", help: "1 while a kill switch holds, else 0.")
    public static let circuitBreakerActive = InstrumentDefinition<Gauge, Label.Strategy>(
        "strategy_circuit_breaker_active", help: "1 while losses stop the trading, else 0.")

    private static let limitDefinitions = [
        dailyLoss.metric, dailyLossLimit.metric, killSwitchTrips.metric, killSwitchActive.metric,
        circuitBreakerActive.metric,
    ]
}
