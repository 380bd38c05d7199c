public import Ringside

/// The connection to the venues, and the checks before an order goes out.
public enum ExecutionPlane {
    public static let orderSubmission = InstrumentDefinition<DurationHistogram, Label.Venue, Label.Symbol>(
        "execution_order_submission_latency_seconds", help: "Handing a request to the venue's connection.")
    public static let apiFailures = InstrumentDefinition<Counter, Label.Venue, Label.Reason>(
        "execution_api_failures_total", help: "Calls of the venue that failed.")
    public static let apiUp = InstrumentDefinition<Gauge, Label.Venue>(
        "execution_api_up", help: "1 while the venue takes orders, else 0.")
    public static let rateLimitHits = InstrumentDefinition<Counter, Label.Venue>(
        "execution_rate_limit_hits_total", help: "Requests that the venue refused for coming too fast.")
    public static let retries = InstrumentDefinition<Counter, Label.Venue>(
        "execution_retries_total", help: "Requests and connections that were tried again.")
    public static let roundTrip = InstrumentDefinition<DurationHistogram, Label.Venue>(
        "exchange_round_trip_seconds", help: "From a request, orders and cancellations, to its answer.")
    public static let pretradeCheck = InstrumentDefinition<DurationHistogram, Label.CheckType>(
        "risk_pretrade_check_latency_seconds", help: "One risk check of an order.")
    public static let checkFailures = InstrumentDefinition<Counter, Label.CheckType>(
        "risk_check_failures_total", help: "Risk checks that were not passed.")

    public static let definitions: [MetricDefinition] = [
        orderSubmission.metric, apiFailures.metric, apiUp.metric, rateLimitHits.metric, retries.metric,
        roundTrip.metric, pretradeCheck.metric, checkFailures.metric,
    ]
}
