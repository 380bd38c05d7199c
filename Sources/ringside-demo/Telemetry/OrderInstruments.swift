import Ringside
import RingsideCatalogue

/// The number of orders, and their outcomes.
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
    let working: RecordedUpDownCounter
    let downscaled: RecordedCounter

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        let (strategy, symbol) = (bot.strategy, bot.symbol)
        let producer = Label.ProducerID(strategy.text)
        received = try recorder.counter(telemetry, OrderPlane.received, strategy, symbol)
        submitted = try SubmittedCounters(telemetry, recorder, bot)
        filled = try recorder.counter(telemetry, OrderPlane.filled, strategy, symbol, .filled)
        partiallyFilled = try recorder.counter(telemetry, OrderPlane.filled, strategy, symbol, .partialFill)
        rejected = try VenueRejection.allCases.map { reason throws(RegistrationError) in
            try recorder.counter(telemetry, OrderPlane.rejected, strategy, reason.label)
        }
        cancelled = try CancelReason.allCases.map { reason throws(RegistrationError) in
            try recorder.counter(telemetry, OrderPlane.cancelled, strategy, reason.label)
        }
        commission = try recorder.fractionalCounter(telemetry, OrderPlane.commission, bot.venue)
        produced = try recorder.counter(telemetry, HealthPlane.ordersProduced, producer)
        consumed = try recorder.counter(telemetry, HealthPlane.ordersConsumed, Label.ConsumerID(bot.venue.text))
        dropped = try recorder.counter(telemetry, HealthPlane.ordersDropped, producer)
        downscaled = try recorder.counter(telemetry, OrderPlane.povDownscales, strategy)
        working = try recorder.upDownCounter(telemetry, DemoPlane.workingOrders, strategy)
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
        for direction in [Label.Direction.buy, .sell] {
            for orderType in [Label.OrderType.limit, .market] {
                for status in [Label.SubmissionStatus.success, .error] {
                    counters.append(
                        try recorder.counter(
                            telemetry, OrderPlane.submitted, bot.strategy, bot.symbol, orderType, direction, status))
                }
            }
        }
        self.counters = counters
    }

    func counter(_ intent: OrderIntent, isSent: Bool) -> RecordedCounter {
        counters[(intent.side == .buy ? 0 : 4) + (intent.isImmediate ? 2 : 0) + (isSent ? 0 : 1)]
    }
}

/// The latencies of orders, and their fill prices.
struct OrderLatencyInstruments {
    let intentToSubmit: RecordedDuration
    let submitToAck: RecordedDuration
    let ackToFill: RecordedDuration
    let totalFill: RecordedDuration
    let slippage: RecordedHistogram

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        intentToSubmit = try recorder.duration(telemetry, OrderPlane.intentToSubmit, bot.strategy, bot.symbol)
        submitToAck = try recorder.duration(telemetry, OrderPlane.submitToAck, bot.strategy, bot.venue, bot.symbol)
        ackToFill = try recorder.duration(telemetry, OrderPlane.ackToFill, bot.strategy, bot.venue, bot.symbol)
        totalFill = try recorder.duration(telemetry, OrderPlane.totalFill, bot.strategy, bot.symbol)
        slippage = try recorder.histogram(telemetry, OrderPlane.slippage, bot.strategy, bot.symbol)
    }
}

/// The checks before an order is sent, one instrument for each `RiskCheck`.
struct RiskInstruments {
    let rejections: [RecordedCounter]
    let failures: [RecordedCounter]
    let latency: [RecordedDuration]

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        rejections = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.counter(telemetry, OrderPlane.riskRejections, check.label)
        }
        failures = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.counter(telemetry, ExecutionPlane.checkFailures, check.label)
        }
        latency = try RiskCheck.allCases.map { check throws(RegistrationError) in
            try recorder.duration(telemetry, ExecutionPlane.pretradeCheck, check.label)
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
    let rateLimitHits: RecordedCounter

    init(_ telemetry: borrowing Telemetry, _ recorder: Recorder, _ bot: BotIdentity) throws(RegistrationError) {
        submission = try recorder.duration(telemetry, ExecutionPlane.orderSubmission, bot.venue, bot.symbol)
        roundTrip = try recorder.duration(telemetry, ExecutionPlane.roundTrip, bot.venue)
        connectionsLost = try recorder.counter(telemetry, ExecutionPlane.apiFailures, bot.venue, "connection_lost")
        connectionsRefused = try recorder.counter(
            telemetry, ExecutionPlane.apiFailures, bot.venue, "connection_refused")
        isAPIUp = try recorder.gauge(telemetry, ExecutionPlane.apiUp, bot.venue)
        retries = try recorder.counter(telemetry, ExecutionPlane.retries, bot.venue)
        rateLimitHits = try recorder.counter(telemetry, ExecutionPlane.rateLimitHits, bot.venue)
    }
}
