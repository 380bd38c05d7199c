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
    let strategy: StrategyInstruments
    let portfolio: PortfolioInstruments
    let limits: LimitInstruments
    let risk: RiskInstruments
    let orders: OrderInstruments
    let latency: OrderLatencyInstruments
    let venue: VenueInstruments
    let health: HealthInstruments

    /// Registers everything: cold, some hundred microseconds.
    init(
        _ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity
    ) throws(RegistrationError) {
        data = try DataInstruments(telemetry, recorder, bot)
        strategy = try StrategyInstruments(telemetry, recorder, bot)
        portfolio = try PortfolioInstruments(telemetry, recorder, bot)
        limits = try LimitInstruments(telemetry, recorder, bot)
        risk = try RiskInstruments(telemetry, recorder, bot)
        orders = try OrderInstruments(telemetry, recorder, bot)
        latency = try OrderLatencyInstruments(telemetry, recorder, bot)
        venue = try VenueInstruments(telemetry, recorder, bot)
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
