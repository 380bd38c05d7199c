public import Ringside

/// Data received from the market, and its storage.
public enum DataPlane {
    public static let ticksReceived = InstrumentDefinition<Counter, Label.Source, Label.Symbol>(
        "data_ticks_received_total", help: "Ticks and order messages that arrived.")
    public static let barsReceived = InstrumentDefinition<Counter, Label.Source, Label.Symbol, Label.Duration>(
        "data_bars_received_total", help: "Candles that arrived or were closed.")
    public static let orderFlowEvents = InstrumentDefinition<Counter, Label.Symbol>(
        "data_ofi_events_generated_total", help: "Changes of the best quotes that carried order flow imbalance.")
    public static let freshness = InstrumentDefinition<DurationHistogram, Label.Source, Label.Symbol>(
        "data_freshness_seconds", help: "Age of a message when it is handled, from the moment at which it was due.")
    public static let completeness = InstrumentDefinition<Gauge, Label.Symbol>(
        "data_completeness_ratio", unit: .ratio, help: "Messages that arrived, of those that were sent: 0 to 1.")
    public static let validationErrors = InstrumentDefinition<Counter, Label.ErrorType, Label.EventType>(
        "data_validation_errors_total", help: "Messages that were refused.")
    public static let ntpRejects = InstrumentDefinition<Counter, Label.Source>(
        "data_ntp_rejects_total", help: "Messages refused because the clocks were too far apart.")
    public static let normalizationErrors = InstrumentDefinition<Counter, Label.Source>(
        "data_normalization_errors_total", help: "Messages that could not be brought into the bot's own form.")
    public static let deadLetterMessages = InstrumentDefinition<Counter, Label.Source>(
        "data_dlq_messages_total", help: "Messages put aside into the dead-letter queue.")
    public static let storageWrites = InstrumentDefinition<Counter, Label.Source>(
        "data_storage_writes_total", help: "Writes of market data to storage.")
    public static let storageWriteLatency = InstrumentDefinition<DurationHistogram, Label.Source>(
        "data_storage_write_latency_seconds", help: "One write of market data to storage.")
    public static let websocketLatency = InstrumentDefinition<DurationHistogram, Label.Venue, Label.Symbol>(
        "market_data_websocket_latency_seconds", help: "From a message's arrival at the socket to its handling.")
    public static let websocketConnectionFailures = InstrumentDefinition<Counter, Label.Venue>(
        "market_data_websocket_connection_failures_total", help: "Connections to the venue's feed that failed.")
    public static let messages = InstrumentDefinition<Counter, Label.Venue>(
        "market_data_messages_total", help: "Messages received from the venue's feed.")
    public static let gapEvents = InstrumentDefinition<Counter, Label.Venue, Label.Symbol>(
        "market_data_gap_events_total", help: "Stretches of the feed that were lost.")
    public static let connected = InstrumentDefinition<Gauge, Label.Venue>(
        "market_data_connected", help: "1 while the feed is connected, else 0.")

    public static let definitions: [MetricDefinition] = [
        ticksReceived.metric, barsReceived.metric, orderFlowEvents.metric, freshness.metric, completeness.metric,
        validationErrors.metric, ntpRejects.metric, normalizationErrors.metric, deadLetterMessages.metric,
        storageWrites.metric, storageWriteLatency.metric, websocketLatency.metric, websocketConnectionFailures.metric,
        messages.metric, gapEvents.metric, connected.metric,
    ]
}
