import Ringside

extension TradingBot {
    /// Some stages, such as publishing or quoting, are measured or run for one message in so many. Each has more than
    /// enough samples, and a message emits two to three records.
    private static let publishStride: UInt64 = 4
    private static let freshnessStride: UInt64 = 8
    private static let signalStride: UInt64 = 4
    private static let quoteStride: UInt64 = 8

    /// Processes a message of the feed and everything that follows from it.
    mutating func receive(_ message: FeedMessage) {
        guard let message = admit(message) else { return }
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
        // The feed has no socket, so a message has arrived once it is on the bus.
        arrivedAt = tally.messages % Self.freshnessStride == 0 ? telemetry.now() : nil
        handleEvents()
    }

    mutating func publish(_ event: BusEvent, _ topic: Topic) {
        if bus.publish(event) { instruments.health.busEvents[topic.rawValue].increment() }
    }

    /// Handles the events on the bus, including those published meanwhile.
    mutating func handleEvents() {
        while let event = bus.next() {
            switch event {
            case .message(let message): handle(message)
            case .bar(let candle, let duration): handle(candle, duration)
            case .response(let response): handle(response)
            }
        }
    }

    /// Passes a message through book, candles, signal and quotes. Each stage ends where the next begins.
    private mutating func handle(_ message: FeedMessage) {
        if let arrivedAt { instruments.data.websocketLatency.record(from: arrivedAt, to: telemetry.now()) }
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
        tradedShares = tradedShares * 0.95 + Double(message.size)
        for index in bars.indices {
            let closed = bars[index].builder.addTrade(
                price: message.price, size: message.size, timeNanoseconds: message.timeNanoseconds)
            if let closed { publish(.bar(closed, bars[index].duration), .bars) }
        }
    }

    /// Handles a closed candle. Candles of one minute give the market's volatility.
    private mutating func handle(_ candle: Candle, _ duration: BarDuration) {
        let span = instruments.health.busHandle[Topic.bars.rawValue].start()
        instruments.data.barsReceived[duration.rawValue].increment()
        store(candle, duration)
        if duration == .minute {
            if let old = regime.add(candle) {
                instruments.strategy.regimeTransitions[old.rawValue][regime.regime.rawValue]?.increment()
            }
            aim()
        }
        span.end()
    }

    private mutating func store(_ candle: Candle, _ duration: BarDuration) {
        let span = instruments.data.barWriteLatency.start()
        guard barStore.append(candle, duration) else { return span.fail() }
        span.end()
        instruments.data.barWrites.increment()
    }

    /// Sets the target inventory for the signal in this market.
    private mutating func aim() {
        let span = instruments.strategy.solveTime.start()
        let status = target.solve(position: portfolio.position, strength: view.strength, regime: regime.regime)
        span.end()
        instruments.strategy.solves[status.rawValue].increment()
    }

    private mutating func decide(_ top: TopOfBook) {
        markUSD = top.mid / 10_000
        if tally.messages % Self.signalStride == 0 {
            let span = instruments.strategy.signalGeneration.start()
            view = Signal.Value(strength: infer(signal.features(top)))
            span.end()
            instruments.strategy.signalStrength.record(view.strength)
            instruments.strategy.signals[view.direction.rawValue].increment()
        }
        if tally.messages % Self.quoteStride == 0 { quote(top) }
    }

    /// Returns the model's output for the features. Returns 0, no view, if the model fails.
    private func infer(_ features: SignalModel.Features) -> Double {
        var features = features
        if condition.isModelFailing { features.momentum = .nan }
        let span = instruments.strategy.inference.start()
        guard let strength = model.infer(features) else {
            span.fail()
            instruments.strategy.inferenceFailures.increment()
            return 0
        }
        span.end()
        return strength
    }

    private mutating func setHalt(_ state: FeedMessage.HaltState) {
        condition.isHalted = state != .tradingResumed
        if condition.isHalted { cancelAll(.halt) }
    }

    /// Ends the session, because the day is over or the recording begins anew. The whole book is void then.
    mutating func endSession() {
        cancelAll(.sessionEnd)
        forgetMarket()
        for index in bars.indices {
            if let closed = bars[index].builder.finish() { publish(.bar(closed, bars[index].duration), .bars) }
        }
        portfolio.startSession(markUSD: markUSD)
        handleEvents()
    }

    /// Forgets a book that missed messages.
    mutating func forgetMarket() {
        book.removeAll()
        signal.reset()
        condition.isHalted = false
    }
}
