import Ringside

extension TradingBot {
    private static let cancellationPatienceNanoseconds: Int64 = 5_000_000
    /// What a check takes longer while the fault `slow-risk` holds.
    private static let slowCheckNanoseconds: Int64 = 5_000_000

    /// Moves the two quotes to their wanted prices, and reduces an inventory that is too large.
    mutating func quote(_ top: TopOfBook) {
        guard link.isConnected, !condition.isKilled, !condition.isHalted else { return }
        guard backoffEndNanoseconds == 0 || monotonicNanoseconds() >= backoffEndNanoseconds else { return }
        backoffEndNanoseconds = 0
        let wanted = quoter.quotes(
            top, strength: view.strength, position: portfolio.position - target.now, regime: regime.regime)
        place(.buy, wanted.bid, top)
        place(.sell, wanted.ask, top)
        guard !working.hasImmediate,
            let hedge = quoter.hedge(top, position: portfolio.position, tradedShares: tradedShares)
        else { return }
        if hedge.isDownscaled { instruments.orders.downscaled.increment() }
        submit(hedge.intent, top)
    }

    /// Sends the orders that commands want: each takes what rests on the other side, and passes the risk check first.
    mutating func sendRequestedOrders() {
        guard let requestedOrders, let top = book.top else { return }
        for side in requestedOrders.take() {
            guard link.isConnected, !condition.isKilled, !condition.isHalted else { continue }
            let price = side == .buy ? top.askPrice : top.bidPrice
            submit(OrderIntent(side: side, size: quoter.quoteSize, price: price, isImmediate: true), top)
        }
    }

    private mutating func place(_ side: Side, _ price: Price?, _ top: TopOfBook) {
        guard let index = working.quoteIndex(side) else {
            guard let price else { return }
            return submit(OrderIntent(side: side, size: quoter.quoteSize, price: price, isImmediate: false), top)
        }
        let order = working.orders[index]
        // A quote that is a few ticks off keeps its place in the queue, which is worth more than the ticks.
        let isPlaced = price.map { abs($0 - order.intent.price) <= 3 * Quoter.tick } ?? false
        if !isPlaced && order.state == .resting { cancel(index, .requote, top) }
    }

    /// Checks an intent and sends it. The whole way is one span, which fails if the order is not sent.
    private mutating func submit(_ intent: OrderIntent, _ top: TopOfBook) {
        let id = working.makeID()
        let span = instruments.strategy.orderExecution.start(trace: id)
        let decidedAt = telemetry.now()
        instruments.orders.received.increment()
        guard passesRisk(intent) else { return span.fail() }
        instruments.orders.produced.increment()
        let order = WorkingOrder(
            id: id, intent: intent, decisionMidUSD: top.mid / 10_000, decidedAt: decidedAt,
            submittedAt: telemetry.now(), remaining: intent.size)
        instruments.latency.intentToSubmit.record(from: decidedAt, to: order.submittedAt, trace: id)
        let result = send(
            VenueRequest(
                kind: .newOrder, side: intent.side, isImmediate: intent.isImmediate, size: UInt32(intent.size),
                orderID: order.id, price: intent.price, top: top),
            at: order.submittedAt)
        instruments.orders.submitted.counter(intent, isSent: result == .sent).increment()
        guard result == .sent else {
            instruments.orders.dropped.increment()
            return span.fail()
        }
        tally.orders += 1
        working.add(order)
        instruments.orders.working.add(1)
        span.end()
    }

    /// Runs the checks one after the other, each a lap of one stopwatch. The first that fails refuses the order.
    private mutating func passesRisk(_ intent: OrderIntent) -> Bool {
        let state = RiskState(
            position: portfolio.position, workingBuyShares: working.shares(.buy),
            workingSellShares: working.shares(.sell), dailyLossUSD: dailyLossUSD, midUSD: markUSD)
        var watch = telemetry.stopwatch()
        for check in RiskCheck.allCases {
            let isPassed = limits.passes(check, intent, state)
            if check == .position && condition.isRiskCheckSlow { sleepNanoseconds(Self.slowCheckNanoseconds) }
            instruments.risk.latency[check.rawValue].lap(&watch)
            if !isPassed {
                instruments.risk.failures[check.rawValue].increment()
                instruments.risk.rejections[check.rawValue].increment()
                return false
            }
        }
        return true
    }

    /// Hands a request to the kernel, measured by hand from the caller's start time.
    private mutating func send(_ request: VenueRequest, at start: Instant) -> VenueLink.SendResult {
        let result = link.send(request)
        instruments.venue.submission.record(from: start, to: telemetry.now(), trace: request.orderID)
        if result == .disconnected { loseConnection() }
        return result
    }

    private mutating func cancel(_ index: Int, _ reason: CancelReason, _ top: TopOfBook) {
        let order = working.orders[index]
        let sentAt = telemetry.now()
        let request = VenueRequest(
            kind: .cancellation, side: order.intent.side, size: 0, orderID: order.id, price: order.intent.price,
            top: top)
        guard send(request, at: sentAt) == .sent else { return }
        working.update(at: index) {
            $0.state = .cancelling
            $0.cancellationSentAt = sentAt
            $0.cancellationRepeatNanoseconds = monotonicNanoseconds() + Self.cancellationPatienceNanoseconds
            $0.cancelReason = reason
        }
    }

    /// Repeats a cancellation that the venue has not answered for long. The venue refuses a cancellation that it has
    /// already carried out.
    mutating func repeatCancellations(at now: Int64) {
        for index in 0..<working.count {
            guard index < working.count, working.orders[index].state == .cancelling else { continue }
            let order = working.orders[index]
            guard now >= order.cancellationRepeatNanoseconds else { continue }
            let request = VenueRequest(
                kind: .cancellation, side: order.intent.side, size: 0, orderID: order.id, price: order.intent.price,
                top: book.top ?? .unknown)
            guard send(request, at: telemetry.now()) == .sent else { return }
            instruments.health.retransmissions.increment()
            working.update(at: index) {
                $0.cancellationRepeatNanoseconds = now + Self.cancellationPatienceNanoseconds
            }
        }
    }

    /// Withdraws every order. An order still on its way to the venue is withdrawn when its answer comes.
    mutating func cancelAll(_ reason: CancelReason) {
        let top = book.top ?? .unknown
        for index in (0..<working.count).reversed() where index < working.count {
            switch working.orders[index].state {
            case .resting: cancel(index, reason, top)
            case .pending, .cancelling: working.update(at: index) { $0.cancelReason = reason }
            }
        }
    }

    /// Tells the venue of a trade, so that it can fill resting orders.
    mutating func tellVenue(_ trade: FeedMessage, _ top: TopOfBook) {
        guard working.count > 0 else { return }
        link.tell(
            VenueRequest(
                kind: .marketTrade, side: trade.side, size: UInt32(clamping: trade.size), orderID: trade.orderID,
                price: trade.price, top: top))
        if link.hasFullBatch { sendBatch() }
    }

    /// Sends the trades that were held back.
    mutating func sendBatch() {
        guard link.isConnected, link.hasOutput else { return }
        let span = instruments.health.batchLatency.start()
        let result = link.flush()
        if result == .disconnected { loseConnection() }
        guard result == .sent, !link.hasOutput else { return span.fail() }
        span.end()
        instruments.health.batchesSent.increment()
    }
}

extension TopOfBook {
    /// The top of an empty book. It gives the venue no market to fill against.
    static let unknown = TopOfBook(bidPrice: 0, askPrice: .max, bidSize: 0, askSize: 0)
}
