import Ringside

extension TradingBot {
    static let housekeepingNanoseconds: Int64 = 10_000_000
    static let reconnectNanoseconds: Int64 = 50_000_000

    /// Connects, and gives every gauge its first value, so that none is missing while nothing happens.
    mutating func begin() {
        instruments.data.isConnected.set(1)
        instruments.limits.isKillSwitchActive.set(0)
        instruments.limits.isCircuitBreakerActive.set(0)
        instruments.limits.dailyLossLimit.set(limits.dailyLossUSD)
        instruments.venue.isAPIUp.set(0)
        instruments.health.ordersPerSecond.set(0)
        instruments.health.memory.measure()
        ordersAtLastSecond = (0, pacer.startNanoseconds)
        if case .recorded(let cursor) = feed {
            instruments.data.malformedLines.increment(by: UInt64(cursor.feed.malformed.count))
        }
        connect(at: monotonicNanoseconds())
        setGauges()
    }

    /// Does the work that is not needed for each message: faults, the connection, the gauges.
    mutating func keepHouse(at now: Int64) {
        guard now >= nextHousekeepingNanoseconds else { return }
        nextHousekeepingNanoseconds = now + Self.housekeepingNanoseconds
        applyFaults(at: now)
        if !link.isConnected && now >= nextConnectionNanoseconds {
            instruments.venue.retries.increment()
            connect(at: now)
        }
        sendRequestedOrders()
        repeatCancellations(at: now)
        sendBatch()
        setGauges()
        if now - ordersAtLastSecond.nanoseconds >= 1_000_000_000 { measureSecond(to: now) }
    }

    /// Withdraws everything and sets the gauges to their final state.
    mutating func finish() {
        tally.elapsedNanoseconds = monotonicNanoseconds() - pacer.startNanoseconds
        link.disconnect()
        dropWorkingOrders(.shutdown)
        setGauges()
        tally.profitUSD = portfolio.totalUSD(markUSD: markUSD)
        instruments.health.droppedTrades.increment(by: link.droppedTrades)
    }

    private mutating func connect(at now: Int64) {
        nextConnectionNanoseconds = now + Self.reconnectNanoseconds
        do {
            try link.connect()
            instruments.venue.isAPIUp.set(1)
        } catch {
            instruments.venue.connectionsRefused.increment()
            instruments.health.networkErrors.increment()
        }
    }

    private func setGauges() {
        let owned = instruments.portfolio
        let net = portfolio.netExposureUSD(markUSD: markUSD)
        owned.netExposure.set(net)
        owned.grossExposure.set(abs(net))
        owned.portfolioValue.set(portfolio.valueUSD(markUSD: markUSD))
        owned.openPositions.set(portfolio.position == 0 ? 0 : 1)
        owned.realized.set(portfolio.realizedUSD)
        owned.unrealized.set(portfolio.unrealizedUSD(markUSD: markUSD))
        owned.total.set(portfolio.totalUSD(markUSD: markUSD))
        instruments.limits.dailyLoss.set(dailyLossUSD)
        instruments.strategy.regime.set(Double(regime.regime.rawValue))
        instruments.health.busDepth.set(Double(bus.depth))
        instruments.health.requestsInFlight.set(Double(working.unansweredCount))
        instruments.health.outputFill.set(link.fillRatio)
        let sent = Double(tally.messages + tally.missedMessages)
        instruments.data.completeness.set(sent == 0 ? 1 : Double(tally.messages) / sent)
    }

    private mutating func measureSecond(to now: Int64) {
        let seconds = Double(now - ordersAtLastSecond.nanoseconds) / 1e9
        instruments.health.ordersPerSecond.set(Double(tally.orders - ordersAtLastSecond.count) / seconds)
        ordersAtLastSecond = (tally.orders, now)
        instruments.health.memory.measure()
    }
}
