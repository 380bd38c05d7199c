import Ringside

extension TradingBot {
    private static let backoffNanoseconds: Int64 = 20_000_000

    /// Reads the venue's answers and puts them on the bus.
    mutating func takeResponses() {
        guard link.isConnected else { return }
        let isAlive = link.receive()
        while let response = link.nextResponse() {
            let span = instruments.health.busPublish[Topic.orders.rawValue].start()
            publish(.response(response), .orders)
            span.end()
            handleEvents()
        }
        if !isAlive { loseConnection() }
    }

    mutating func handle(_ response: VenueResponse) {
        let span = instruments.health.busHandle[Topic.orders.rawValue].start()
        let now = telemetry.now()
        if let index = working.index(of: response.orderID) {
            switch response.kind {
            case .accepted: acknowledge(index, now)
            case .rejected: reject(index, response.reason, now)
            case .filled: fill(index, response, now)
            case .cancelled: finishCancellation(index, now)
            case .cancellationRejected: break
            }
        }
        span.end()
    }

    private mutating func acknowledge(_ index: Int, _ now: Instant) {
        let order = working.orders[index]
        recordAnswer(to: order, now)
        working.update(at: index) {
            $0.acknowledgedAt = now
            $0.state = .resting
        }
        // If everything was withdrawn while this order was on its way, the order has the reason.
        if order.cancelReason != .unfilled { cancelAll(order.cancelReason) }
    }

    private mutating func reject(_ index: Int, _ reason: VenueRejection?, _ now: Instant) {
        recordAnswer(to: working.orders[index], now)
        tally.rejects += 1
        if let reason { instruments.orders.rejected[reason.index].increment() }
        if reason == .rateLimit {
            instruments.venue.rateLimitHits.increment()
            backoffEndNanoseconds = monotonicNanoseconds() + Self.backoffNanoseconds
        }
        remove(index)
    }

    private func recordAnswer(to order: WorkingOrder, _ now: Instant) {
        instruments.orders.consumed.increment()
        instruments.latency.submitToAck.record(from: order.submittedAt, to: now, trace: order.id)
        instruments.venue.roundTrip.record(from: order.submittedAt, to: now, trace: order.id)
    }

    private mutating func fill(_ index: Int, _ response: VenueResponse, _ now: Instant) {
        let order = working.orders[index]
        let priceUSD = response.price.usd
        tally.fills += 1
        let commissionUSD = Double(response.size) * Portfolio.commissionUSD
        portfolio.fill(
            order.intent.side, size: Int(response.size), priceUSD: priceUSD, commissionUSD: commissionUSD)
        instruments.orders.commission.increment(by: commissionUSD)
        instruments.latency.ackToFill.record(
            from: order.acknowledgedAt ?? order.submittedAt, to: now, trace: order.id)
        instruments.latency.totalFill.record(from: order.decidedAt, to: now, trace: order.id)
        let slippage = (priceUSD / order.decisionMidUSD - 1) * 10_000 * Double(order.intent.side.sign)
        instruments.latency.slippage.record(slippage, at: now, trace: order.id)
        if response.remaining == 0 {
            instruments.orders.filled.increment()
            remove(index)
        } else {
            instruments.orders.partiallyFilled.increment()
            working.update(at: index) { $0.remaining = Int(response.remaining) }
        }
    }

    private mutating func finishCancellation(_ index: Int, _ now: Instant) {
        let order = working.orders[index]
        if let sentAt = order.cancellationSentAt {
            instruments.venue.roundTrip.record(from: sentAt, to: now, trace: order.id)
        }
        instruments.orders.cancelled[order.cancelReason.rawValue].increment()
        remove(index)
    }

    private mutating func remove(_ index: Int) {
        working.remove(at: index)
        instruments.orders.working.add(-1)
    }

    /// Handles the loss of the connection. The venue then withdraws the orders, because without a connection they have
    /// no owner.
    mutating func loseConnection() {
        link.disconnect()
        instruments.venue.connectionsLost.increment()
        instruments.health.networkErrors.increment()
        instruments.venue.isAPIUp.set(0)
        dropWorkingOrders(.venueDown)
    }

    mutating func dropWorkingOrders(_ reason: CancelReason) {
        for _ in 0..<working.count { instruments.orders.cancelled[reason.rawValue].increment() }
        instruments.orders.working.add(-Int64(working.count))
        working.removeAll()
    }
}
