import Ringside

extension TradingBot {
    static let housekeepingNanoseconds: Int64 = 10_000_000
    private static let reconnectNanoseconds: Int64 = 50_000_000

    /// Connects, and gives every gauge its first value, so that none is missing while nothing happens.
    mutating func begin() {
        instruments.data.isConnected.set(1)
        instruments.strategy.isKillSwitchActive.set(0)
        instruments.strategy.isCircuitBreakerActive.set(0)
        instruments.strategy.dailyLossLimit.set(limits.dailyLossUSD)
        instruments.orders.isAPIUp.set(0)
        instruments.health.ordersPerSecond.set(0)
        ordersAtLastSecond = (0, pacer.startNanoseconds)
        if case .recorded(let cursor) = feed {
            instruments.data.malformedLines.increment(by: UInt64(cursor.feed.malformed.count))
        }
        connect(at: monotonicNanoseconds())
        setGauges()
    }

    /// What need not happen at each message: faults, the connection, the gauges.
    mutating func keepHouse(at now: Int64) {
        guard now >= nextHousekeepingNanoseconds else { return }
        nextHousekeepingNanoseconds = now + Self.housekeepingNanoseconds
        applyFaults(at: now)
        if !link.isConnected && now >= nextConnectionNanoseconds {
            instruments.orders.retries.increment()
            connect(at: now)
        }
        link.flush()
        setGauges()
        if now - ordersAtLastSecond.nanoseconds >= 1_000_000_000 { measureSecond(to: now) }
    }

    /// Withdraws everything and sets the gauges to the state in which the bot leaves.
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
            instruments.orders.isAPIUp.set(1)
        } catch {
            instruments.orders.connectionsRefused.increment()
            instruments.health.networkErrors.increment()
        }
    }

    private func setGauges() {
        let strategy = instruments.strategy
        let net = portfolio.netExposureUSD(markUSD: markUSD)
        strategy.netExposure.set(net)
        strategy.grossExposure.set(abs(net))
        strategy.portfolioValue.set(portfolio.valueUSD(markUSD: markUSD))
        strategy.openPositions.set(portfolio.position == 0 ? 0 : 1)
        strategy.realized.set(portfolio.realizedUSD)
        strategy.unrealized.set(portfolio.unrealizedUSD(markUSD: markUSD))
        strategy.total.set(portfolio.totalUSD(markUSD: markUSD))
        strategy.dailyLoss.set(dailyLossUSD)
        strategy.regime.set(Double(regime.regime.rawValue))
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
        if let bytes = residentMemoryBytes() { instruments.health.memory.set(Double(bytes)) }
    }
}
