import Ringside
import RingsideCatalogue

/// The strategy's stages, and its view of the market.
struct StrategyInstruments {
    let candleProcessing: RecordedDuration
    let signalGeneration: RecordedDuration
    let orderExecution: RecordedDuration
    let signals: [RecordedCounter]
    let signalStrength: RecordedHistogram
    let inference: RecordedDuration
    let inferenceFailures: RecordedCounter
    let solveTime: RecordedDuration
    let solves: [RecordedCounter]
    let regime: RecordedGauge
    /// By the old regime, then by the new one.
    let regimeTransitions: [[RecordedCounter?]]

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategy = bot.strategy
        candleProcessing = try recorder.duration(telemetry, StrategyPlane.candleProcessing, strategy)
        signalGeneration = try recorder.duration(telemetry, StrategyPlane.signalGeneration, strategy)
        orderExecution = try recorder.duration(telemetry, StrategyPlane.orderExecution, strategy)
        signals = try SignalDirection.allCases.map { direction throws(RegistrationError) in
            try recorder.counter(telemetry, StrategyPlane.signalsGenerated, strategy, direction.label)
        }
        signalStrength = try recorder.histogram(telemetry, StrategyPlane.signalStrength, strategy)
        inference = try recorder.duration(telemetry, StrategyPlane.inference, strategy)
        inferenceFailures = try recorder.counter(telemetry, StrategyPlane.inferenceFailures, strategy)
        solveTime = try recorder.duration(telemetry, StrategyPlane.solveTime, strategy)
        solves = try TargetInventory.Status.allCases.map { status throws(RegistrationError) in
            try recorder.counter(telemetry, StrategyPlane.solveStatus, status.label)
        }
        regime = try recorder.gauge(telemetry, StrategyPlane.regimeState, strategy)
        regimeTransitions = try Regime.allCases.map { from throws(RegistrationError) in
            try Regime.allCases.map { to throws(RegistrationError) -> RecordedCounter? in
                guard from != to else { return nil }
                return try recorder.counter(
                    telemetry, StrategyPlane.regimeTransitions, from.whenLeft, to.whenEntered)
            }
        }
    }
}

/// The bot's positions and profit.
struct PortfolioInstruments {
    let grossExposure: RecordedGauge
    let netExposure: RecordedGauge
    let portfolioValue: RecordedGauge
    let openPositions: RecordedGauge
    let realized: RecordedGauge
    let unrealized: RecordedGauge
    let total: RecordedGauge

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        grossExposure = try recorder.gauge(telemetry, StrategyPlane.grossExposure, bot.strategy)
        netExposure = try recorder.gauge(telemetry, StrategyPlane.netExposure, bot.strategy)
        portfolioValue = try recorder.gauge(telemetry, StrategyPlane.portfolioValue, bot.strategy)
        openPositions = try recorder.gauge(telemetry, StrategyPlane.openPositions, bot.strategy)
        realized = try recorder.gauge(telemetry, StrategyPlane.realizedProfit, bot.strategy)
        unrealized = try recorder.gauge(telemetry, StrategyPlane.unrealizedProfit, bot.strategy)
        total = try recorder.gauge(telemetry, StrategyPlane.totalProfit, bot.strategy)
    }
}

/// Conditions that stop the bot.
struct LimitInstruments {
    let dailyLoss: RecordedGauge
    let dailyLossLimit: RecordedGauge
    let killSwitchTrips: RecordedCounter
    let isKillSwitchActive: RecordedGauge
    let isCircuitBreakerActive: RecordedGauge

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        dailyLoss = try recorder.gauge(telemetry, StrategyPlane.dailyLoss, bot.strategy)
        dailyLossLimit = try recorder.gauge(telemetry, StrategyPlane.dailyLossLimit, bot.strategy)
        killSwitchTrips = try recorder.counter(telemetry, StrategyPlane.killSwitchTrips, .profitAndLoss)
        isKillSwitchActive = try recorder.gauge(telemetry, StrategyPlane.killSwitchActive, .profitAndLoss)
        isCircuitBreakerActive = try recorder.gauge(telemetry, StrategyPlane.circuitBreakerActive, bot.strategy)
    }
}
