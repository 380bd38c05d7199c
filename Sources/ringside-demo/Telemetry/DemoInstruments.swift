import Ringside
import RingsideCatalogue

/// The label values that identify a bot.
struct BotIdentity: Sendable {
    /// The ring's name: `demo1`.
    let name: String
    /// Where the messages come from: `generated` or `lobster`.
    let source: Label.Source
    let symbol: Label.Symbol
    var strategy: Label.Strategy = "market_maker"
    var venue: Label.Venue = "simulated"
}

/// The demo's measurements that are in no catalogue, declared like the catalogue's.
enum DemoPlane {
    static let messagesBeforeRecording = InstrumentDefinition<Counter, Label.Source, Label.Symbol>(
        "data_messages_before_recording_total",
        help: "Messages about orders placed before the recording began or while messages were lost.")
    static let workingOrders = InstrumentDefinition<UpDownCounter, Label.Strategy>(
        "orders_working", help: "Orders that are at the venue or under way to it.")

    static let definitions = [messagesBeforeRecording.metric, workingOrders.metric]
}

/// The instruments of one bot. An array has one instrument for each value of a label, in the order of the label's
/// cases.
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

/// Data received from the market.
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
    let connectionFailures: RecordedCounter
    let websocketLatency: RecordedDuration
    let clockRejects: RecordedCounter
    let normalizationErrors: RecordedCounter
    let deadLetters: RecordedCounter
    let barWrites: RecordedCounter
    let barWriteLatency: RecordedDuration

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        ticksReceived = try recorder.counter(telemetry, DataPlane.ticksReceived, bot.source, bot.symbol)
        barsReceived = try BarDuration.allCases.map { duration throws(RegistrationError) in
            try recorder.counter(telemetry, DataPlane.barsReceived, bot.source, bot.symbol, duration.label)
        }
        orderFlowEvents = try recorder.counter(telemetry, DataPlane.orderFlowEvents, bot.symbol)
        freshness = try recorder.nanoseconds(telemetry, DataPlane.freshness, bot.source, bot.symbol)
        completeness = try recorder.gauge(telemetry, DataPlane.completeness, bot.symbol)
        malformedLines = try recorder.counter(telemetry, DataPlane.validationErrors, "malformed", .tick)
        misfits = try recorder.counter(telemetry, DataPlane.validationErrors, "book_mismatch", .tick)
        beforeRecording = try recorder.counter(telemetry, DemoPlane.messagesBeforeRecording, bot.source, bot.symbol)
        messages = try recorder.counter(telemetry, DataPlane.messages, bot.venue)
        gaps = try recorder.counter(telemetry, DataPlane.gapEvents, bot.venue, bot.symbol)
        isConnected = try recorder.gauge(telemetry, DataPlane.connected, bot.venue)
        connectionFailures = try recorder.counter(telemetry, DataPlane.websocketConnectionFailures, bot.venue)
        websocketLatency = try recorder.duration(telemetry, DataPlane.websocketLatency, bot.venue, bot.symbol)
        clockRejects = try recorder.counter(telemetry, DataPlane.ntpRejects, bot.source)
        normalizationErrors = try recorder.counter(telemetry, DataPlane.normalizationErrors, bot.source)
        deadLetters = try recorder.counter(telemetry, DataPlane.deadLetterMessages, bot.source)
        barWrites = try recorder.counter(telemetry, DataPlane.storageWrites, "bars")
        barWriteLatency = try recorder.duration(telemetry, DataPlane.storageWriteLatency, "bars")
    }
}

/// The bot's own health.
struct HealthInstruments {
    let busPublish: [RecordedDuration]
    let busHandle: [RecordedDuration]
    let busEvents: [RecordedCounter]
    let busDepth: RecordedGauge
    let requestsInFlight: RecordedGauge
    let memory: RecordedMemory
    let outputFill: RecordedGauge
    let ordersPerSecond: RecordedGauge
    let networkErrors: RecordedCounter
    let droppedTrades: RecordedCounter
    let retransmissions: RecordedCounter
    let batchesSent: RecordedCounter
    let batchLatency: RecordedDuration

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        busPublish = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.duration(telemetry, HealthPlane.busPublish, topic.label)
        }
        busHandle = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.duration(telemetry, HealthPlane.busHandle, topic.label)
        }
        busEvents = try Topic.allCases.map { topic throws(RegistrationError) in
            try recorder.counter(telemetry, HealthPlane.busEvents, topic.label)
        }
        busDepth = try recorder.gauge(telemetry, HealthPlane.queueBacklog, "event_bus")
        requestsInFlight = try recorder.gauge(telemetry, HealthPlane.queueBacklog, "venue_requests")
        memory = try recorder.memory(telemetry)
        outputFill = try recorder.gauge(telemetry, HealthPlane.bufferUtilization)
        ordersPerSecond = try recorder.gauge(telemetry, HealthPlane.ordersPerSecond)
        networkErrors = try recorder.counter(telemetry, HealthPlane.networkErrors)
        droppedTrades = try recorder.counter(telemetry, HealthPlane.droppedPackets, "local")
        retransmissions = try recorder.counter(telemetry, HealthPlane.retransmissions, "local")
        batchesSent = try recorder.counter(telemetry, HealthPlane.batchesSent)
        batchLatency = try recorder.duration(telemetry, HealthPlane.batchLatency)
    }
}
