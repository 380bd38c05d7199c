public import Ringside

/// Orders: their number, their outcome, their latencies and their fill prices.
public enum OrderPlane {
    public static let received = InstrumentDefinition<Counter, Label.Strategy, Label.Symbol>(
        "orders_received_total", help: "Orders that a strategy asked for.")
    public static let submitted = InstrumentDefinition<
        Counter, Label.Strategy, Label.Symbol, Label.OrderType, Label.Direction, Label.SubmissionStatus
    >("orders_submitted_total", help: "Orders that were sent to the venue, or could not be.")
    public static let filled = InstrumentDefinition<Counter, Label.Strategy, Label.Symbol, Label.FillStatus>(
        "orders_filled_total", help: "Fills, whole and partial.")
    public static let rejected = InstrumentDefinition<Counter, Label.Strategy, Label.Reason>(
        "orders_rejected_total", help: "Orders that the venue refused.")
    public static let cancelled = InstrumentDefinition<Counter, Label.Strategy, Label.Reason>(
        "orders_cancelled_total", help: "Orders that were withdrawn.")
    public static let intentToSubmit = InstrumentDefinition<DurationHistogram, Label.Strategy, Label.Symbol>(
        "orders_intent_to_submit_latency_seconds", help: "From the decision for an order to its sending.")
    public static let submitToAck = InstrumentDefinition<
        DurationHistogram, Label.Strategy, Label.Venue, Label.Symbol
    >(
        "orders_submit_to_ack_latency_seconds", help: "From an order's sending to the venue's answer.")
    public static let ackToFill = InstrumentDefinition<
        DurationHistogram, Label.Strategy, Label.Venue, Label.Symbol
    >(
        "orders_ack_to_fill_latency_seconds", help: "From the venue's answer to a fill.")
    public static let totalFill = InstrumentDefinition<DurationHistogram, Label.Strategy, Label.Symbol>(
        "orders_total_fill_latency_seconds", help: "From the decision for an order to a fill.")
    public static let slippage = InstrumentDefinition<Histogram, Label.Strategy, Label.Symbol>(
        "orders_slippage_bps", unit: .bps,
        help: "Fill price against the price at the decision; negative is better than it.")
    public static let commission = InstrumentDefinition<FractionalCounter, Label.Venue>(
        "orders_commission_usd_total", unit: .usd, help: "Commissions paid.")
    public static let riskRejections = InstrumentDefinition<Counter, Label.CheckType>(
        "orders_risk_rejections_total", help: "Orders that risk refused.")
    public static let povDownscales = InstrumentDefinition<Counter, Label.Strategy>(
        "orders_pov_downscales_total", help: "Orders made smaller to keep to their part of the market's volume.")

    public static let definitions: [MetricDefinition] = [
        received.metric, submitted.metric, filled.metric, rejected.metric, cancelled.metric, intentToSubmit.metric,
        submitToAck.metric, ackToFill.metric, totalFill.metric, slippage.metric, commission.metric,
        riskRejections.metric, povDownscales.metric,
    ]
}
