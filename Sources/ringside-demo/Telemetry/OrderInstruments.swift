import Ringside

/// How many orders there are, and what becomes of them.
struct OrderInstruments {
    let received: RecordedCounter
    let submitted: SubmittedCounters
    let filled: RecordedCounter
    let partiallyFilled: RecordedCounter
    let rejected: [RecordedCounter]
    let cancelled: [RecordedCounter]
    let commission: RecordedFractionalCounter
    let produced: RecordedCounter
    let consumed: RecordedCounter
    let dropped: RecordedCounter
    /// The demo's own: the catalogue has no count that also falls.
    let working: RecordedUpDownCounter

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategyAndSymbol: Recorder.LabelPairs = ["strategy": bot.strategy, "symbol": bot.symbol]
        received = try recorder.counter(
            telemetry, "orders_received_total", help: "Orders that the strategy asked for.", strategyAndSymbol)
        submitted = try SubmittedCounters(telemetry, recorder, bot)
        filled = try recorder.counter(
            telemetry, "orders_filled_total", help: "Fills.",
            ["strategy": bot.strategy, "symbol": bot.symbol, "status": "FILLED"])
        partiallyFilled = try recorder.counter(
            telemetry, "orders_filled_total", help: "Fills.",
            ["strategy": bot.strategy, "symbol": bot.symbol, "status": "PARTIAL_FILL"])
        rejected = try VenueRejection.allCases.map { reason throws(RegistrationError) in
            try recorder.counter(
                telemetry, "orders_rejected_total", help: "Orders that the venue refused.",
                ["strategy": bot.strategy, "reason": reason.label])
        }
        cancelled = try CancelReason.allCases.map { reason throws(RegistrationError) in
            try recorder.counter(
                telemetry, "orders_cancelled_total", help: "Orders that were withdrawn.",
                ["strategy": bot.strategy, "reason": reason.label])
        }
        commission = try recorder.fractionalCounter(
            telemetry, "orders_commission_usd_total", unit: .usd, help: "Commissions paid.", ["venue": bot.venue])
        produced = try recorder.counter(
            telemetry, "orders_produced_total", help: "Orders that passed risk.", ["producer_id": bot.strategy])
        consumed = try recorder.counter(
            telemetry, "orders_consumed_total", help: "Orders that the venue answered.", ["consumer_id": bot.venue])
        dropped = try recorder.counter(
            telemetry, "orders_dropped_total", help: "Orders that could not be sent.", ["producer_id": bot.strategy])
        working = try recorder.upDownCounter(
            telemetry, "orders_working", help: "Orders that are at the venue or under way to it.",
            ["strategy": bot.strategy])
    }
}

/// How long an order takes on its way, and at what price it is filled.
struct OrderLatencyInstruments {
    let intentToSubmit: RecordedDuration
    let submitToAck: RecordedDuration
    let ackToFill: RecordedDuration
    let totalFill: RecordedDuration
    let slippage: RecordedHistogram

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let strategy: Recorder.LabelPairs = ["strategy": bot.strategy]
        let strategyAndSymbol: Recorder.LabelPairs = ["strategy": bot.strategy, "symbol": bot.symbol]
        let strategyAndVenue: Recorder.LabelPairs = ["strategy": bot.strategy, "venue": bot.venue]
        intentToSubmit = try recorder.duration(
            telemetry, "orders_intent_to_submit_latency_seconds", help: "From the decision to the sending.", strategy)
        submitToAck = try recorder.duration(
            telemetry, "orders_submit_to_ack_latency_seconds", help: "From the sending to the venue's answer.",
            strategyAndVenue)
        ackToFill = try recorder.duration(
            telemetry, "orders_ack_to_fill_latency_seconds", help: "From the venue's answer to a fill.",
            strategyAndVenue)
        totalFill = try recorder.duration(
            telemetry, "orders_total_fill_latency_seconds", help: "From the decision to a fill.", strategyAndSymbol)
        slippage = try recorder.histogram(
            telemetry, "orders_slippage_bps", unit: .bps,
            help: "Fill price against the middle at the decision; negative is better than the middle.",
            strategyAndSymbol)
    }
}

/// The checks before an order goes out, one instrument a `RiskCheck`.
struct RiskInstruments {
    let rejections: [RecordedCounter]
    let failures: [RecordedCounter]
    let latency: [RecordedDuration]

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        rejections = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.counter(
                telemetry, "orders_risk_rejections_total", help: "Orders that risk refused.",
                ["check_type": check.label])
        }
        failures = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.counter(
                telemetry, "risk_check_failures_total", help: "Risk checks that were not passed.",
                ["check_type": check.label])
        }
        latency = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.duration(
                telemetry, "risk_pretrade_check_latency_seconds", help: "One risk check of an order.",
                ["check_type": check.label])
        }
    }
}

/// The connection to the venue.
struct VenueInstruments {
    let submission: RecordedDuration
    let roundTrip: RecordedDuration
    let connectionsLost: RecordedCounter
    let connectionsRefused: RecordedCounter
    let isAPIUp: RecordedGauge
    let retries: RecordedCounter

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let venue: Recorder.LabelPairs = ["venue": bot.venue]
        submission = try recorder.duration(
            telemetry, "execution_order_submission_latency_seconds", help: "Handing a request to the kernel.", venue)
        roundTrip = try recorder.duration(
            telemetry, "exchange_round_trip_seconds", help: "From a request, orders and cancellations, to its answer.",
            venue)
        connectionsLost = try recorder.counter(
            telemetry, "execution_api_failures_total", help: "Calls of the venue that failed.",
            ["venue": bot.venue, "reason": "connection_lost"])
        connectionsRefused = try recorder.counter(
            telemetry, "execution_api_failures_total", help: "Calls of the venue that failed.",
            ["venue": bot.venue, "reason": "connection_refused"])
        isAPIUp = try recorder.gauge(
            telemetry, "execution_api_up", help: "1 while the venue is connected, else 0.", venue)
        retries = try recorder.counter(
            telemetry, "execution_retries_total", help: "Connections that were tried again.", venue)
    }
}

/// `orders_submitted_total` for each combination of its labels that the bot uses.
struct SubmittedCounters {
    /// Index: direction, then immediate or not, then success or not.
    private let counters: [RecordedCounter]

    fileprivate init(
        _ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity
    ) throws(RegistrationError) {
        var counters: [RecordedCounter] = []
        for direction in ["BUY", "SELL"] {
            for orderType in ["LIMIT", "MARKET"] {
                for status in ["success", "error"] {
                    counters.append(
                        try recorder.counter(
                            telemetry, "orders_submitted_total", help: "Orders that were sent.",
                            [
                                "strategy": bot.strategy, "symbol": bot.symbol, "order_type": orderType,
                                "direction": direction, "status": status,
                            ]))
                }
            }
        }
        self.counters = counters
    }

    func counter(_ intent: OrderIntent, isSent: Bool) -> RecordedCounter {
        counters[(intent.side == .buy ? 0 : 4) + (intent.isImmediate ? 2 : 0) + (isSent ? 0 : 1)]
    }
}
