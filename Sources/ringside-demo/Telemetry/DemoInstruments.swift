import Ringside

/// Who a bot is to its metrics' labels.
struct BotIdentity: Sendable {
    /// The ring's name: `demo1`.
    let name: String
    /// Where the messages come from: `generated` or `lobster`.
    let source: String
    var symbol = "AAPL"
    var strategy = "market_maker"
    var venue = "simulated"
}

/// Why an order was withdrawn: a label of `orders_cancelled_total`.
enum CancelReason: Int, CaseIterable, Sendable {
    case requote, unfilled, marketDataLost, halt, killSwitch, circuitBreaker, venueDown, sessionEnd, shutdown

    var label: String {
        switch self {
        case .requote: "requote"
        case .unfilled: "unfilled"
        case .marketDataLost: "market_data_lost"
        case .halt: "halt"
        case .killSwitch: "kill_switch"
        case .circuitBreaker: "circuit_breaker"
        case .venueDown: "venue_down"
        case .sessionEnd: "session_end"
        case .shutdown: "shutdown"
        }
    }
}

/// The instruments of one bot, under the names of the trading catalogue. An array stands for one instrument a value of a
/// label, in the order of that label's cases.
struct DemoInstruments {
    let data: DataInstruments
    let orders: OrderInstruments
    let strategy: StrategyInstruments
    let health: HealthInstruments

    /// Registers everything: cold, some hundred microseconds.
    init(
        _ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity
    ) throws(RegistrationError) {
        data = try DataInstruments(telemetry, recorder, bot)
        orders = try OrderInstruments(telemetry, recorder, bot)
        strategy = try StrategyInstruments(telemetry, recorder, bot)
        health = try HealthInstruments(telemetry, recorder, bot)
    }
}

/// What comes in from the market.
struct DataInstruments {
    let ticksReceived: RecordedCounter
    let barsReceived: [RecordedCounter]
    let orderFlowEvents: RecordedCounter
    let freshness: RecordedNanoseconds
    let completeness: RecordedGauge
    let malformedLines: RecordedCounter
    let misfits: RecordedCounter
    let beforeRecording: RecordedCounter
    let messages: RecordedCounter
    let gaps: RecordedCounter
    let isConnected: RecordedGauge

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        ticksReceived = try recorder.counter(
            telemetry, "data_ticks_received_total", help: "Messages of the feed that arrived.",
            ["source": bot.source, "symbol": bot.symbol])
        barsReceived = try BarDuration.allCases.map { duration throws(RegistrationError) in
            try recorder.counter(
                telemetry, "data_bars_received_total", help: "Candles that were closed.",
                ["source": bot.source, "symbol": bot.symbol, "duration": duration.label])
        }
        orderFlowEvents = try recorder.counter(
            telemetry, "data_ofi_events_generated_total", help: "Changes of the best quotes that carried order flow.",
            ["symbol": bot.symbol])
        freshness = try recorder.nanoseconds(
            telemetry, "data_freshness_seconds", help: "From the moment a message was due to its handling.",
            ["source": bot.source, "symbol": bot.symbol])
        completeness = try recorder.gauge(
            telemetry, "data_completeness_ratio", unit: .ratio, help: "Messages that arrived, of those that were sent.",
            ["symbol": bot.symbol])
        malformedLines = try recorder.counter(
            telemetry, "data_validation_errors_total", help: "Messages that were refused.",
            ["error_type": "malformed", "event_type": "tick"])
        misfits = try recorder.counter(
            telemetry, "data_validation_errors_total", help: "Messages that were refused.",
            ["error_type": "book_mismatch", "event_type": "tick"])
        beforeRecording = try recorder.counter(
            telemetry, "data_messages_before_recording_total",
            help: "Messages about orders placed before the recording began or while messages were lost.",
            ["source": bot.source, "symbol": bot.symbol])
        messages = try recorder.counter(
            telemetry, "market_data_messages_total", help: "Messages received from the venue's feed.",
            ["venue": bot.venue])
        gaps = try recorder.counter(
            telemetry, "market_data_gap_events_total", help: "Stretches of the feed that were lost.",
            ["venue": bot.venue, "symbol": bot.symbol])
        isConnected = try recorder.gauge(
            telemetry, "market_data_connected", help: "1 while the feed is connected, else 0.", ["venue": bot.venue])
    }
}

/// What the strategy thinks and owns.
struct StrategyInstruments {
    let candleProcessing: RecordedDuration
    let signalGeneration: RecordedDuration
    let orderExecution: RecordedDuration
    let signals: [RecordedCounter]
    let signalStrength: RecordedHistogram
    let grossExposure: RecordedGauge
    let netExposure: RecordedGauge
    let portfolioValue: RecordedGauge
    let openPositions: RecordedGauge
    let realized: RecordedGauge
    let unrealized: RecordedGauge
    let total: RecordedGauge
    let dailyLoss: RecordedGauge
    let dailyLossLimit: RecordedGauge
    let regime: RecordedGauge
    /// By the regime that was left, then by the one that came.
    let regimeTransitions: [[RecordedCounter?]]
    let killSwitchTrips: RecordedCounter
    let isKillSwitchActive: RecordedGauge
    let isCircuitBreakerActive: RecordedGauge

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
        dailyLoss = try recorder.gauge(
            telemetry, "strategy_daily_loss_usd", unit: .usd, help: "Loss since the session began, 0 in profit.",
            strategy)
        dailyLossLimit = try recorder.gauge(
            telemetry, "strategy_daily_loss_limit_usd", unit: .usd, help: "The loss above which orders are refused.",
            strategy)
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

/// The bot's own health.
struct HealthInstruments {
    let busPublish: [RecordedDuration]
    let busHandle: [RecordedDuration]
    let busEvents: [RecordedCounter]
    let busDepth: RecordedGauge
    let requestsInFlight: RecordedGauge
    let memory: RecordedGauge
    let outputFill: RecordedGauge
    let ordersPerSecond: RecordedGauge
    let networkErrors: RecordedCounter
    let droppedTrades: RecordedCounter

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        busPublish = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.duration(
                telemetry, "event_bus_publish_seconds", help: "Putting an event on the bus.", ["topic": topic.label])
        }
        busHandle = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.duration(
                telemetry, "event_bus_handle_seconds", help: "Handling an event of the bus.", ["topic": topic.label])
        }
        busEvents = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.counter(
                telemetry, "event_bus_events_total", help: "Events that went over the bus.", ["topic": topic.label])
        }
        busDepth = try recorder.gauge(
            telemetry, "queue_backlog_depth", help: "Entries that wait in a queue.", ["queue": "event_bus"])
        requestsInFlight = try recorder.gauge(
            telemetry, "queue_backlog_depth", help: "Entries that wait in a queue.", ["queue": "venue_requests"])
        memory = try recorder.gauge(
            telemetry, "component_memory_bytes", unit: .bytes, help: "Resident memory.", ["component": "process"])
        outputFill = try recorder.gauge(
            telemetry, "buffer_utilization_ratio", unit: .ratio, help: "Fill of the buffer towards the venue.")
        ordersPerSecond = try recorder.gauge(
            telemetry, "throughput_orders_per_second", help: "Orders sent, over the last second.")
        networkErrors = try recorder.counter(
            telemetry, "network_errors_total", help: "Connections that failed.")
        droppedTrades = try recorder.counter(
            telemetry, "network_dropped_packets_total", help: "Trades that the venue could not be told of.",
            ["network_type": "local"])
    }
}
