import Ringside

extension TradingBot {
    /// One in so many messages has its publishing measured, its freshness, and so on: each stage has more than enough
    /// samples, and a message emits two to three records.
    private static let publishStride: UInt64 = 4
    private static let freshnessStride: UInt64 = 8
    private static let signalStride: UInt64 = 4
    private static let quoteStride: UInt64 = 8

    /// Takes a message of the feed and everything that follows from it.
    mutating func receive(_ message: FeedMessage) {
        tally.messages += 1
        instruments.data.ticksReceived.increment()
        instruments.data.messages.increment()
        if tally.messages % Self.publishStride == 0 {
            let span = instruments.health.busPublish[Topic.marketData.rawValue].start()
            publish(.message(message), .marketData)
            span.end()
        } else {
            publish(.message(message), .marketData)
        }
        handleEvents()
    }

    mutating func publish(_ event: BusEvent, _ topic: Topic) {
        if bus.publish(event) { instruments.health.busEvents[topic.rawValue].increment() }
    }

    /// Handles what is on the bus, with what is published meanwhile.
    mutating func handleEvents() {
        while let event = bus.next() {
            switch event {
            case .message(let message): handle(message)
            case .bar(let candle, let duration): handle(candle, duration)
            case .response(let response): handle(response)
            }
        }
    }

    /// The road of a message: book, candles, signal, quotes. Each stage ends where the next begins.
    private mutating func handle(_ message: FeedMessage) {
        if tally.messages % Self.freshnessStride == 0, let due = dueNanoseconds {
            instruments.data.freshness.record(UInt64(max(0, monotonicNanoseconds() - due)))
        }
        var watch = telemetry.stopwatch()
        count(book.apply(message))
        let top = book.top
        if let top, signal.update(top) { instruments.data.orderFlowEvents.increment() }
        instruments.health.busHandle[Topic.marketData.rawValue].lap(&watch)
        if message.isTrade {
            takeTrade(message)
            instruments.strategy.candleProcessing.lap(&watch)
            if let top { tellVenue(message, top) }
        }
        if let state = message.haltState { setHalt(state) }
        if let top { decide(top) }
    }

    private mutating func count(_ outcome: OrderBook.Outcome) {
        switch outcome {
        case .applied: break
        case .unknownOrder:
            tally.beforeRecording += 1
            instruments.data.beforeRecording.increment()
        case .duplicateOrder, .sizeMismatch: instruments.data.misfits.increment()
        }
    }

    private mutating func takeTrade(_ message: FeedMessage) {
        for index in bars.indices {
            let closed = bars[index].builder.addTrade(
                price: message.price, size: message.size, timeNanoseconds: message.timeNanoseconds)
            if let closed { publish(.bar(closed, bars[index].duration), .bars) }
        }
    }

    /// A candle was closed: the one-minute ones tell how restless the market is.
    private mutating func handle(_ candle: Candle, _ duration: BarDuration) {
        let span = instruments.health.busHandle[Topic.bars.rawValue].start()
        instruments.data.barsReceived[duration.rawValue].increment()
        if duration == .minute, let old = regime.add(candle) {
            instruments.strategy.regimeTransitions[old.rawValue][regime.regime.rawValue]?.increment()
        }
        span.end()
    }

    private mutating func decide(_ top: TopOfBook) {
        markUSD = top.mid / 10_000
        if tally.messages % Self.signalStride == 0 {
            view = instruments.strategy.signalGeneration.measure { signal.evaluate(top) }
            instruments.strategy.signalStrength.record(view.strength)
            instruments.strategy.signals[view.direction.rawValue].increment()
        }
        if tally.messages % Self.quoteStride == 0 { quote(top) }
    }

    private mutating func setHalt(_ state: FeedMessage.HaltState) {
        condition.isHalted = state != .tradingResumed
        if condition.isHalted { cancelAll(.halt) }
    }

    /// The day is over, or the recording begins anew: nothing that was known of the book holds any longer.
    mutating func endSession() {
        cancelAll(.sessionEnd)
        forgetMarket()
        for index in bars.indices {
            if let closed = bars[index].builder.finish() { publish(.bar(closed, bars[index].duration), .bars) }
        }
        portfolio.startSession(markUSD: markUSD)
        handleEvents()
    }

    /// Forgets a book of which messages were lost.
    mutating func forgetMarket() {
        book.removeAll()
        signal.reset()
        condition.isHalted = false
    }
}
