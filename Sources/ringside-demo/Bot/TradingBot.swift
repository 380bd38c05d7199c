import Ringside

/// One bot. It reads the feed, keeps the book, makes candles and a signal, checks risk, quotes at its venue, and
/// measures all of it. One thread owns it and its ring.
///
/// An accepted message (`+Admission`) goes over the bus to its handler, from there into the candles, the signal and the
/// quotes: `+MarketData`, `+Orders`, `+Responses`. Injected faults are in `+Faults`, periodic work in `+Housekeeping`.
struct TradingBot: ~Copyable {
    let telemetry: Telemetry
    let instruments: DemoInstruments
    let faults: FaultSchedule
    /// The orders that commands want; nil: there are no commands.
    let requestedOrders: RequestedOrders?

    var feed: Feed
    var pacer: Pacer
    var bus = EventBus()
    var book = OrderBook()
    var bars = BarDuration.allCases.map {
        (duration: $0, builder: CandleBuilder(durationNanoseconds: $0.nanoseconds))
    }
    var deadLetters = DeadLetters()
    var barStore = BarStore()
    var signal = Signal()
    let model = SignalModel()
    var target = TargetInventory()
    /// Shares that were traded lately. The figure fades with each trade.
    var tradedShares = 0.0
    var view = Signal.Value(strength: 0)
    var regime = RegimeDetector()
    var portfolio = Portfolio()
    var working = WorkingOrders()
    var link: VenueLink

    let quoter = Quoter()
    let limits = RiskLimits()

    var tally = Tally()
    /// Conditions that restrict the bot now.
    var condition = Condition()
    /// The last known middle price in USD, at which the position is valued.
    var markUSD = 0.0
    /// When the current message was due, on the monotonic clock; nil if nothing is paced.
    var dueNanoseconds: Int64?
    var nextHousekeepingNanoseconds: Int64 = 0
    var nextConnectionNanoseconds: Int64 = 0
    var nextFeedConnectionNanoseconds: Int64 = 0
    /// The time before which no order is sent, because the venue has refused an order for coming too fast.
    var backoffEndNanoseconds: Int64 = 0
    /// When the current message arrived; nil if its way to the handler is not measured.
    var arrivedAt: Instant?
    var ordersAtLastSecond: (count: UInt64, nanoseconds: Int64) = (0, 0)

    /// The bot's activity, for people. It is counted with or without telemetry.
    struct Tally: Sendable {
        var messages: UInt64 = 0
        var missedMessages: UInt64 = 0
        var beforeRecording: UInt64 = 0
        var orders: UInt64 = 0
        var fills: UInt64 = 0
        var rejects: UInt64 = 0
        var profitUSD = 0.0
        var elapsedNanoseconds: Int64 = 0
    }

    /// Reasons not to trade.
    struct Condition {
        var isFeedConnected = true
        /// The difference of the bot's clock from the feed's clock.
        var clockSkewNanoseconds: Int64 = 0
        var isFeedDamaged = false
        /// Whether the feed sends as fast as the bot can take it.
        var isBursting = false
        var isRiskCheckSlow = false
        var isModelFailing = false
        var isHalted = false
        var isKilled = false
        var isBreakerTripped = false
        /// A loss that the fault `loss-limit` adds to the real one.
        var injectedLossUSD = 0.0
    }

    init(
        telemetry: consuming Telemetry, instruments: DemoInstruments, feed: consuming Feed, venue: LocalAddress,
        pacer: Pacer, faults: FaultSchedule, requestedOrders: RequestedOrders? = nil
    ) {
        self.telemetry = telemetry
        self.instruments = instruments
        self.feed = feed
        self.pacer = pacer
        self.faults = faults
        self.requestedOrders = requestedOrders
        link = VenueLink(to: venue)
    }

    /// Trades until the time is over, the feed ends or `stop` is set. Then withdraws its orders and sets its gauges for
    /// the last time. Emits nothing after it returns.
    mutating func run(until stop: StopFlag) {
        begin()
        var hasFeed = true
        while hasFeed && !stop.isSet {
            waitInDeadlock(stop)
            let now = monotonicNanoseconds()
            guard !pacer.isOver(at: now) else { break }
            keepHouse(at: now)
            let due = pacer.due(at: now, limit: condition.isFeedConnected ? 64 : 1024)
            for _ in 0..<due where hasFeed { hasFeed = takeDueStep() }
            if isBursting { for _ in 0..<Self.burstMessages where hasFeed { hasFeed = takeStep() } }
            takeResponses()
            if due == 0 && !isBursting || (pacer.eventsPerSecond == 0 && !condition.isFeedConnected) { rest(from: now) }
        }
        finish()
    }

    /// Ends the ring's life. The file stays for later inspection.
    consuming func close() { telemetry.close() }

    /// The messages of a burst that are taken before the bot looks at the time and at the venue again.
    private static let burstMessages = 256

    /// Whether messages come that are not due. Without a pace every message is due at once.
    private var isBursting: Bool { condition.isBursting && condition.isFeedConnected && pacer.eventsPerSecond > 0 }

    /// Takes the feed's next message, at its due time. Returns false if the feed has ended.
    private mutating func takeDueStep() -> Bool {
        dueNanoseconds = pacer.eventsPerSecond > 0 ? pacer.intendedNanoseconds(pacer.begun) : nil
        pacer.begin()
        defer { dueNanoseconds = nil }
        return takeStep()
    }

    /// Takes the feed's next message. Returns false if the feed has ended.
    private mutating func takeStep() -> Bool {
        while true {
            switch feed.next() {
            case .message(let message):
                if condition.isFeedConnected { receive(message) } else { tally.missedMessages += 1 }
                return true
            case .sessionEnd: endSession()
            case .exhausted: return false
            }
        }
    }

    /// Sleeps until the next message is due or the venue answers, but not past the next housekeeping.
    private mutating func rest(from now: Int64) {
        sendBatch()
        link.wait(nanoseconds: min(pacer.sleepNanoseconds(at: now), Self.housekeepingNanoseconds))
        takeResponses()
    }
}
