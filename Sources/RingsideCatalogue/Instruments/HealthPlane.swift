public import Ringside

/// The bot itself: its bus, its queues, its memory, its pauses, its network.
public enum HealthPlane {
    public static let busPublish = InstrumentDefinition<DurationHistogram, Label.Topic>(
        "event_bus_publish_seconds", help: "Putting an event on the bus.")
    public static let busHandle = InstrumentDefinition<DurationHistogram, Label.Topic>(
        "event_bus_handle_seconds", help: "Handling an event of the bus.")
    public static let busEvents = InstrumentDefinition<Counter, Label.Topic>(
        "event_bus_events_total", help: "Events that went over the bus.")
    public static let queueBacklog = InstrumentDefinition<Gauge, Label.Queue>(
        "queue_backlog_depth", help: "Entries that wait in a queue.")
    public static let pause = InstrumentDefinition<DurationHistogram, Label.PauseCause>(
        "runtime_pause_seconds", help: "For how long a thread that was due to run did not.")
    public static let componentMemory = InstrumentDefinition<Gauge, Label.Component>(
        "component_memory_bytes", unit: .bytes, help: "Memory that a part of the bot holds.")
    public static let ordersProduced = InstrumentDefinition<Counter, Label.ProducerID>(
        "orders_produced_total", help: "Orders that a producer handed on.")
    public static let ordersConsumed = InstrumentDefinition<Counter, Label.ConsumerID>(
        "orders_consumed_total", help: "Orders that a consumer took and answered.")
    public static let ordersDropped = InstrumentDefinition<Counter, Label.ProducerID>(
        "orders_dropped_total", help: "Orders of a producer that did not get through.")
    public static let batchesSent = InstrumentDefinition<Counter>(
        "batches_sent_total", help: "Batches of messages that were sent.")
    public static let batchLatency = InstrumentDefinition<DurationHistogram>(
        "batch_latency_seconds", help: "Sending one batch of messages.")
    public static let networkErrors = InstrumentDefinition<Counter>(
        "network_errors_total", help: "Connections that failed.")
    public static let droppedPackets = InstrumentDefinition<Counter, Label.NetworkType>(
        "network_dropped_packets_total", help: "Messages that were dropped on their way.")
    public static let retransmissions = InstrumentDefinition<Counter, Label.NetworkType>(
        "network_retransmissions_total", help: "Messages that were sent again.")
    public static let ordersPerSecond = InstrumentDefinition<Gauge>(
        "throughput_orders_per_second", help: "Orders sent, over the last second.")
    public static let bufferUtilization = InstrumentDefinition<Gauge>(
        "buffer_utilization_ratio", unit: .ratio, help: "Fill of the buffer towards the venue: 0 to 1.")

    public static let definitions: [MetricDefinition] = [
        busPublish.metric, busHandle.metric, busEvents.metric, queueBacklog.metric, pause.metric,
        componentMemory.metric, ordersProduced.metric, ordersConsumed.metric, ordersDropped.metric, batchesSent.metric,
        batchLatency.metric, networkErrors.metric, droppedPackets.metric, retransmissions.metric,
        ordersPerSecond.metric, bufferUtilization.metric,
    ]
}
